#include "planner/spec/peft_targets.h"
#include "tests/programs/oracle_rows/oracle_row.h"

namespace fabricast {

namespace {

constexpr Recorded<AttentionKernel> kAttention[] = {{"flash", AttentionKernel::Flash},
                                                    {"unfused", AttentionKernel::Unfused}};
constexpr Recorded<Dtype> kDtype[] = {{"fp32", Dtype::Fp32}, {"bf16", Dtype::Bf16}};

ModelSpec modelOf(const CsvTable& table, std::size_t row) {
    ModelSpec model;
    model.name = table.text(row, "model");
    model.hidden = table.integer(row, "h");
    model.mlp.width = table.integer(row, "ffn");
    model.attention.heads = table.integer(row, "heads");
    model.attention.kvHeads = table.integer(row, "kv");
    model.attention.headDim = table.integer(row, "d");
    model.vocab = table.integer(row, "vocab");
    model.layers = table.integer(row, "layers", 4);
    if (table.text(row, "kind") == "gpt") {
        model.family = "gpt";
        model.norm = NormKind::Layer;
        model.position = PositionKind::Learned;
        model.learnedPositions = table.integer(row, "s");
        model.mlp = {.kind = MlpKind::Plain, .width = model.mlp.width, .bias = true};
        model.attention.qkvBias = model.attention.outBias = true;
    }
    return model;
}

void readLayout(const CsvTable& table, std::size_t row, OracleRow& out) {
    Layout& layout = out.scenario.layout;
    layout.tp = table.integer(row, "tp", 1);
    layout.sp = table.integer(row, "sp") != 0;
    layout.pp = table.integer(row, "pp", 1);
    layout.cp = table.integer(row, "cp", 1);
    layout.dp = table.integer(row, "world", 8) / (layout.tp * layout.pp * layout.cp);
    layout.microBatch = table.integer(row, "b", 1);
    out.scenario.workload.globalBatch = layout.microBatch * layout.dp;
    out.scenario.workload.sequence = table.integer(row, "s");
    // tp is the fastest axis, then cp and dp, then pp.
    const std::int64_t inStage = layout.tp * layout.cp * layout.dp;
    const std::int64_t rank = table.integer(row, "rank");
    out.stage = rank / inStage;
    out.rank = rank % inStage / layout.tp;
}

}  // namespace

void setMegatronCore(Settings& settings) {
    settings.engine = Engine::Megatron;
    settings.kernels.code = ModelCode::Megatron;
    settings.kernels.fusedQkv = true;
    settings.kernels.activation = ActivationKernel::Eager;
    settings.kernels.loss = LossKernel::VocabParallel;
    settings.precision = {.parameters = Dtype::Bf16,
                          .compute = Dtype::Bf16,
                          .gradients = Dtype::Fp32,
                          .reduce = Dtype::Fp32,
                          .masterWeights = true};
    settings.optimizer.kernel = OptimizerKernel::Foreach;
    settings.megatron.vocabPadding = 1;
    settings.megatron.gradientAccumulationFusion = false;
}

Result<void> setOwnLora(const CsvTable& table, std::size_t row, Scenario& scenario) {
    if (!table.has("lora_r") || table.integer(row, "lora_r") == 0) {
        return {};
    }
    Settings& settings = scenario.settings;
    settings.tuning = Tuning::Lora;
    settings.lora.rank = table.integer(row, "lora_r");
    const std::string targets = table.text(row, "lora_targets");
    settings.lora.targets = attentionTargets(scenario.model);
    if (targets != "attention") {
        FABRICAST_ASSIGN(settings.lora.targets, loraTargets(targets));
    }
    settings.lora.dropout = table.has("lora_dropout") ? table.number(row, "lora_dropout") : 0.0;
    settings.lora.base = settings.precision.parameters;
    settings.lora.dtype = settings.precision.parameters;
    return {};
}

void setRecompute(Settings& settings, const std::string& text) {
    RecomputeSettings& recompute = settings.recompute;
    if (text == "none" || text == "full") {
        recompute.kind = text == "full" ? Checkpointing::Full : Checkpointing::None;
        return;
    }
    if (const std::size_t colon = text.find(':'); colon != std::string::npos) {
        recompute.kind = text.starts_with("block") ? Checkpointing::Block : Checkpointing::Full;
        recompute.layers = std::stoll(text.substr(colon + 1));
        return;
    }
    recompute.kind = Checkpointing::Modules;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('+', begin), text.size());
        recompute.modules.insert(text.substr(begin, end - begin));
        begin = end + 1;
    }
}

Result<OracleRow> megatronRow(const CsvTable& table, std::size_t row) {
    OracleRow out;
    Scenario& scenario = out.scenario;
    scenario.model = modelOf(table, row);
    readLayout(table, row, out);
    Settings& settings = scenario.settings;
    setMegatronCore(settings);
    setRecompute(settings, table.text(row, "recompute"));
    FABRICAST_ASSIGN(settings.kernels.attention, pick(kAttention, table.text(row, "attn"), "attn"));
    FABRICAST_ASSIGN(settings.precision.gradients,
                     pick(kDtype, table.text(row, "grad_dtype"), "grad_dtype"));
    settings.kernels.dropout = std::stod(table.text(row, "dropout"));
    settings.megatron.distributedOptimizer = table.integer(row, "dist_opt", 1) != 0;
    if (table.number(row, "offload") > 0) {  // optimizer_offload_fraction
        scenario.layout.offload = Offload::OptimizerCpu;
    }
    settings.megatron.overlapGradReduce = table.integer(row, "overlap") != 0;
    FABRICAST_TRY(setOwnLora(table, row, scenario));
    return out;
}

}  // namespace fabricast
