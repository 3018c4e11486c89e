#include "tests/programs/oracle_rows/oracle_row.h"

namespace fabricast {

namespace {

constexpr Recorded<ModelCode> kCode[] = {{"torch", ModelCode::Torch},
                                         {"hf:llama", ModelCode::HuggingFace},
                                         {"hf:qwen3", ModelCode::HuggingFace},
                                         {"hf:gpt2", ModelCode::HuggingFace},
                                         {"hf:mixtral", ModelCode::HuggingFace}};
constexpr Recorded<LossKernel> kLoss[] = {{"fp32_upcast", LossKernel::Fp32Upcast},
                                          {"bf16", LossKernel::LogitsDtype},
                                          {"hf", LossKernel::HuggingFace}};

ModelSpec modelOf(const CsvTable& table, std::size_t row) {
    ModelSpec model;
    const std::string framework = table.text(row, "framework");
    const std::size_t colon = framework.find(':');
    const bool gpt = table.text(row, "norm_impl") == "layernorm" || framework == "hf:gpt2";
    model.family =
        colon == std::string::npos ? (gpt ? "gpt" : "llama") : framework.substr(colon + 1);
    model.layers = 3;
    model.hidden = table.integer(row, "h");
    model.vocab = table.integer(row, "vocab");
    model.mlp.width = table.integer(row, "ffn");
    model.attention.heads = table.integer(row, "heads");
    model.attention.kvHeads = table.integer(row, "kv");
    model.attention.headDim = table.integer(row, "head_dim");
    if (gpt) {
        model.norm = NormKind::Layer;
        model.position = PositionKind::Learned;
        model.learnedPositions = table.integer(row, "s");
        model.mlp = {.kind = MlpKind::Plain, .width = model.mlp.width, .bias = true};
        model.attention.qkvBias = model.attention.outBias = true;
    }
    if (model.family == "qwen3") {
        model.attention.qkNorm = QkNorm::PerHead;
    }
    if (const std::int64_t experts = table.integer(row, "experts"); experts > 0) {
        model.moe = MoeSpec{
            .experts = experts, .topK = table.integer(row, "topk"), .expertWidth = model.mlp.width};
        model.sparse.assign(3, true);
    }
    return model;
}

void setPrecision(Settings& settings, const std::string& precision) {
    PrecisionSettings& types = settings.precision;
    types.parameters = precision == "bf16" ? Dtype::Bf16 : Dtype::Fp32;
    types.compute = precision == "fp32" ? Dtype::Fp32 : Dtype::Bf16;
    types.autocast = precision == "autocast";
    types.gradients = types.reduce = types.parameters;
}

}  // namespace

Result<OracleRow> savedTensorsRow(const CsvTable& table, std::size_t row) {
    OracleRow out;
    out.layerOnly = true;
    Scenario& scenario = out.scenario;
    scenario.model = modelOf(table, row);
    scenario.workload.sequence = table.integer(row, "s");
    scenario.layout.microBatch = table.integer(row, "b");
    scenario.workload.globalBatch = scenario.layout.microBatch;
    KernelSettings& kernels = scenario.settings.kernels;
    FABRICAST_ASSIGN(kernels.code, pick(kCode, table.text(row, "framework"), "framework"));
    FABRICAST_ASSIGN(kernels.loss, pick(kLoss, table.text(row, "loss"), "loss"));
    setPrecision(scenario.settings, table.text(row, "precision"));
    const std::string norm = table.text(row, "norm_impl");
    kernels.norm = norm == "fp32" || norm == "model" ? NormKernel::Fp32 : NormKernel::Fused;
    const std::string rope = table.text(row, "rope_impl");
    kernels.rope = rope == "cos_sin" || rope == "model" ? RopeKernel::CosSin : RopeKernel::Complex;
    kernels.experts = ExpertKernel::Sequential;  // as recorded
    kernels.fusedQkv = table.integer(row, "fused_qkv") != 0 || scenario.model.family == "gpt2";
    scenario.settings.engine =
        table.text(row, "precision") == "autocast" ? Engine::Ddp : Engine::Fsdp2;
    return out;
}

}  // namespace fabricast
