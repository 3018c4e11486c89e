#include "planner/spec/peft_targets.h"
#include "tests/programs/oracle_rows/oracle_row.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace fabricast {

namespace {

constexpr Recorded<ExpertKernel> kExperts[] = {{"eager", ExpertKernel::Sequential},
                                               {"grouped_mm", ExpertKernel::Grouped},
                                               {"deepspeed", ExpertKernel::DeepSpeed},
                                               {"autoep", ExpertKernel::AutoEp}};
constexpr Recorded<Reshard> kResharding[] = {
    {"default", Reshard::Default}, {"always", Reshard::Always}, {"never", Reshard::Never}};
constexpr Recorded<Dtype> kReduced[] = {{"fp32", Dtype::Fp32}, {"bf16", Dtype::Bf16}};

/// Column latent: ranks of q and kv, widths of a head's plain, rotary and value parts, and how
/// many groups of experts there are.
void setLatent(const std::string& text, ModelSpec& model) {
    std::vector<std::int64_t> n;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, '/');) {
        n.push_back(std::stoll(part));
    }
    AttentionSpec& attention = model.attention;
    attention.kind = AttentionKind::Latent;
    attention.qLoraRank = n.at(0);
    attention.kvLoraRank = n.at(1);
    attention.qkNopeDim = n.at(2);
    attention.qkRopeDim = n.at(3);
    attention.vHeadDim = n.at(4);
    attention.headDim = n.at(3);
    model.moe->groups = n.at(5);
}

/// Experts in every layer that column dense_layers counts to, one of them shared; positions in
/// three layers of four, or as column norope has it.
void setLlama4(const CsvTable& table, std::size_t row, ModelSpec& model) {
    model.family = "llama4_text";
    model.moe->sharedWidth = model.moe->expertWidth;
    model.moe->sigmoidScore = true;
    const std::int64_t step = std::max<std::int64_t>(1, table.integer(row, "dense_layers"));
    const std::int64_t without =
        table.integer(row, "norope") > 0 ? table.integer(row, "norope") : 4;
    const std::int64_t chunk = table.integer(row, "chunk") > 0 ? table.integer(row, "chunk") : 8192;
    for (std::int64_t layer = 0; layer < model.layers; ++layer) {
        model.sparse[static_cast<std::size_t>(layer)] = (layer + 1) % step == 0;
        model.window.push_back((layer + 1) % without != 0 ? chunk : 0);
    }
    model.attention.unitHeads = model.attention.scalesQueries = table.integer(row, "qk_norm") != 0;
}

/// Columns ep, capacity, min_capacity and residual of deepspeed.moe.layer.MoE.
void setDeepSpeedMoe(const CsvTable& table, std::size_t row, Scenario& scenario) {
    scenario.layout.ep = table.integer(row, "ep");
    scenario.settings.kernels.capacityFactor = std::stod(table.text(row, "capacity"));
    scenario.settings.deepspeed.minCapacity = table.integer(row, "min_capacity");
    MoeSpec& moe = *scenario.model.moe;
    moe.residual = table.integer(row, "residual") != 0;
    moe.sharedWidth = moe.residual ? moe.expertWidth : 0;
}

/// Columns experts, topk, fe and dense_layers: of the transformers model in column `kind`.
void setExperts(const CsvTable& table, std::size_t row, ModelSpec& model) {
    MoeSpec moe;
    moe.experts = table.integer(row, "experts");
    moe.topK = table.integer(row, "topk");
    moe.expertWidth = table.integer(row, "fe");
    moe.sharedWidth = table.integer(row, "fs");
    model.moe = moe;
    model.sparse.assign(static_cast<std::size_t>(model.layers), true);
    const std::int64_t dense = table.integer(row, "dense_layers");
    for (std::int64_t layer = 0; layer < dense; ++layer) {
        model.sparse[static_cast<std::size_t>(layer)] = false;
    }
    const bool sinks = model.family == "gpt_oss";
    const bool glm = model.family == "glm4_moe";
    model.attention.qkvBias = model.family == "qwen2_moe" || sinks || glm;
    model.attention.outBias = model.attention.sinks = sinks;
    moe.sharedGate = model.family == "qwen2_moe";
    moe.expertBias = moe.routerBias = moe.clampedGlu = sinks;
    moe.correctionBias = moe.sigmoidScore = glm || model.family == "deepseek_v3";
    model.moe = moe;
    if (table.has("latent") && !table.text(row, "latent").empty()) {
        setLatent(table.text(row, "latent"), model);
    }
    if (model.family == "llama4") {
        setLlama4(table, row, model);
        return;
    }
    if (model.family == "qwen3_moe" || table.integer(row, "qk_norm", 0) != 0) {
        model.attention.qkNorm = QkNorm::PerHead;
    }
    for (std::int64_t layer = 0; sinks && layer < model.layers; ++layer) {
        model.window.push_back(layer % 2 == 0 ? 128 : 0);
    }
}

Result<void> setFsdp2(const CsvTable& table, std::size_t row, OracleRow& out) {
    Settings& settings = out.scenario.settings;
    settings.engine = Engine::Fsdp2;
    settings.precision.autocast = false;
    settings.precision.parameters =
        table.text(row, "precision") == "bf16" ? Dtype::Bf16 : Dtype::Fp32;
    FABRICAST_ASSIGN(settings.precision.reduce,
                     pick(kReduced, table.text(row, "reduce_dtype"), "reduce_dtype"));
    FABRICAST_ASSIGN(settings.torch.reshard,
                     pick(kResharding, table.text(row, "reshard"), "reshard"));
    settings.lora.dtype =
        table.text(row, "lora_dtype") == "fp32" ? Dtype::Fp32 : settings.precision.parameters;
    Layout& layout = out.scenario.layout;
    layout.dp = table.integer(row, "world", 1);
    layout.shard = Shard::Fsdp;
    layout.shardSize = layout.dp;
    layout.offload = table.has("offload") && table.integer(row, "offload") != 0
                         ? Offload::ParametersCpu
                         : Offload::None;
    out.scenario.workload.globalBatch =
        layout.microBatch * layout.dp * table.integer(row, "accumulate", 1);
    out.rank = table.integer(row, "rank");
    return {};
}

void setExpertTargets(const std::string& targets, Scenario& scenario) {
    const std::string& family = scenario.model.family;
    NameSet& adapted = scenario.settings.lora.targets;
    if (scenario.model.attention.kind == AttentionKind::Latent) {
        adapted = attentionTargets(scenario.model);
    }
    if (targets == "experts") {  // by target_parameters
        adapted.insert("experts");
    } else if (targets == "all-linear" && family != "gpt_oss" && family != "granitemoe") {
        adapted.insert("experts");  // transformers' stacks too
        adapted.insert("router");
    }
}

}  // namespace

Result<OracleRow> hfMoeRow(const CsvTable& table, std::size_t row) {
    const std::string framework = table.text(row, "framework");
    const bool sharded = framework == "ddp" || framework == "fsdp1" || framework == "deepspeed";
    FABRICAST_ASSIGN(OracleRow out, sharded ? zeroRow(table, row) : peftRow(table, row));
    if (framework == "fsdp2") {
        FABRICAST_TRY(setFsdp2(table, row, out));
    }
    if (table.has("attention") && table.text(row, "attention") == "eager") {
        out.scenario.settings.kernels.attention = AttentionKernel::Unfused;
    }
    const std::string experts = table.text(row, "expert_impl");
    if (out.scenario.model.moe) {  // of a config
        FABRICAST_ASSIGN(out.scenario.settings.kernels.experts,
                         pick(kExperts, experts, "expert_impl"));
    }
    if (table.integer(row, "experts") > 0) {
        setExperts(table, row, out.scenario.model);
        FABRICAST_ASSIGN(out.scenario.settings.kernels.experts,
                         pick(kExperts, experts, "expert_impl"));
        if (out.scenario.settings.kernels.experts == ExpertKernel::DeepSpeed) {
            setDeepSpeedMoe(table, row, out.scenario);
        }
        if (out.scenario.settings.kernels.experts == ExpertKernel::AutoEp) {
            out.scenario.layout.ep = table.integer(row, "ep");
        }
    }
    if (out.scenario.model.moe) {
        setExpertTargets(table.text(row, "lora_targets"), out.scenario);
    }
    return out;
}

}  // namespace fabricast
