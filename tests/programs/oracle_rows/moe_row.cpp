#include "tests/programs/oracle_rows/oracle_row.h"

#include <string>

namespace fabricast {

namespace {

constexpr Recorded<ExpertKernel> kExperts[] = {{"sequential", ExpertKernel::Sequential},
                                               {"grouped", ExpertKernel::Grouped},
                                               {"grouped_fused", ExpertKernel::GroupedFused}};
constexpr Recorded<Dispatcher> kDispatcher[] = {{"alltoall", Dispatcher::AllToAll},
                                                {"allgather", Dispatcher::AllGather}};
constexpr Recorded<AuxLoss> kAux[] = {{"none", AuxLoss::None},
                                      {"aux_loss", AuxLoss::Batch},
                                      {"seq_aux_loss", AuxLoss::Sequence},
                                      {"global_aux_loss", AuxLoss::Global}};
constexpr Recorded<Dtype> kDtype[] = {{"fp32", Dtype::Fp32}, {"bf16", Dtype::Bf16}};
constexpr Recorded<Quantization> kPrecision[] = {
    {"bf16", Quantization::None},
    {"tensorwise", Quantization::Fp8Tensorwise},
    {"rowwise", Quantization::Fp8Rowwise},
    {"rowwise_with_gw_hp", Quantization::Fp8RowwiseGwHp},
    {"mxfp8", Quantization::MxFp8}};
constexpr Recorded<OptimizerKind> kOptimizer[] = {{"adam", OptimizerKind::AdamW},
                                                  {"adamw8bit", OptimizerKind::AdamW8bit}};

double decimal(const CsvTable& table, std::size_t row, const char* column) {
    return std::stod(table.text(row, column));
}

ModelSpec modelOf(const CsvTable& table, std::size_t row) {
    ModelSpec model;
    const bool latent = table.integer(row, "kvl") > 0;
    model.hidden = table.integer(row, "h");
    model.mlp.width = table.integer(row, "ffn");
    model.vocab = table.integer(row, "vocab");
    model.layers = table.integer(row, "layers");
    model.mtpDepth = table.integer(row, "mtp");
    AttentionSpec& attention = model.attention;
    attention.heads = table.integer(row, "heads");
    attention.kvHeads = latent ? attention.heads : table.integer(row, "kv");
    attention.headDim = table.integer(row, "d");
    if (latent) {
        attention.kind = AttentionKind::Latent;
        attention.qLoraRank = table.integer(row, "ql");
        attention.kvLoraRank = table.integer(row, "kvl");
        attention.qkNopeDim = table.integer(row, "dn");
        attention.qkRopeDim = table.integer(row, "dr");
        attention.vHeadDim = table.integer(row, "dv");
    }
    if (const std::int64_t experts = table.integer(row, "experts"); experts > 0) {
        model.moe = MoeSpec{.experts = experts,
                            .topK = table.integer(row, "topk"),
                            .expertWidth = table.integer(row, "fe"),
                            .correctionBias = table.integer(row, "expert_bias") != 0,
                            .sharedWidth = table.integer(row, "fs"),
                            .sigmoidScore = table.text(row, "score") == "sigmoid"};
        const std::int64_t dense = table.integer(row, "dense_layers");
        for (std::int64_t layer = 0; layer < model.layers; ++layer) {
            model.sparse.push_back(layer >= dense);
        }
    }
    const bool titan = table.text(row, "framework") == "titan";
    model.family = latent ? "deepseek_v3" : model.moe ? "qwen3_moe" : "llama";
    if (titan && model.family == "qwen3_moe") {
        model.attention.qkNorm = QkNorm::PerHead;
    }
    return model;
}

void readLayout(const CsvTable& table, std::size_t row, OracleRow& out) {
    Layout& layout = out.scenario.layout;
    const std::int64_t world = table.integer(row, "world");
    layout.tp = table.integer(row, "tp");
    layout.sp = table.integer(row, "sp") != 0;
    layout.pp = table.integer(row, "pp");
    layout.vpp = table.integer(row, "vp");
    layout.cp = table.integer(row, "cp");
    layout.ep = table.integer(row, "ep");
    layout.etp = table.integer(row, "etp");
    layout.dp = world / (layout.tp * layout.pp * layout.cp);
    layout.microBatch = table.integer(row, "b");
    layout.schedule = layout.pp == 1   ? ScheduleKind::None
                      : layout.vpp > 1 ? ScheduleKind::Interleaved
                                       : ScheduleKind::OneFOneB;
    out.scenario.workload.sequence = table.integer(row, "s");
    out.scenario.workload.globalBatch = layout.microBatch * layout.dp * table.integer(row, "micro");
    const std::int64_t inStage = world / layout.pp;
    const std::int64_t rank = table.integer(row, "rank");
    out.stage = rank / inStage;
    out.rank = rank % inStage / layout.tp;
    out.expertRank = rank % inStage / (layout.etp * layout.ep);
}

Result<void> readExperts(const CsvTable& table, std::size_t row, KernelSettings& kernels) {
    FABRICAST_ASSIGN(kernels.experts,
                     pick(kExperts, table.text(row, "expert_impl"), "expert_impl"));
    FABRICAST_ASSIGN(kernels.dispatcher,
                     pick(kDispatcher, table.text(row, "dispatcher"), "dispatcher"));
    FABRICAST_ASSIGN(kernels.auxLoss, pick(kAux, table.text(row, "aux"), "aux"));
    FABRICAST_ASSIGN(kernels.routerDtype,
                     pick(kDtype, table.text(row, "router_dtype"), "router_dtype"));
    kernels.capacityFactor = decimal(table, row, "capacity");
    kernels.padToCapacity = table.integer(row, "pad") != 0;
    kernels.imbalance = decimal(table, row, "imbalance");
    return {};
}

/// The other ranks' share of queries, keys, values, output and row sums (fp32) of the attention.
std::int64_t attentionElsewhere(const Scenario& scenario) {
    const AttentionSpec& attention = scenario.model.attention;
    const Layout& layout = scenario.layout;
    const bool latent = attention.kind == AttentionKind::Latent;
    const std::int64_t key = latent ? attention.qkNopeDim + attention.qkRopeDim : attention.headDim;
    const std::int64_t value = latent ? attention.vHeadDim : attention.headDim;
    // Latent values are a view of keys and values together.
    const std::int64_t kept = latent ? attention.qkNopeDim + value : value;
    const std::int64_t perToken =
        attention.heads * (2 * key + 2 * value + 4) + attention.kvHeads * (2 * key + 2 * kept);
    const std::int64_t tokens = layout.microBatch * scenario.workload.sequence / layout.cp;
    return (layout.cp - 1) * tokens * perToken / layout.tp;
}

/// torchtitan: FSDP2 around fp32 shards; its own DeepSeek-V3, Qwen3 and Llama 3.
Result<void> setTorchTitan(const CsvTable& table, std::size_t row, OracleRow& out) {
    Scenario& scenario = out.scenario;
    Settings& settings = scenario.settings;
    Layout& layout = scenario.layout;
    const std::int64_t replicate = table.integer(row, "replicate");
    layout.shard = replicate > 1 ? Shard::Hsdp : Shard::Fsdp;
    layout.shardSize = layout.replicas() / replicate;
    settings.engine = Engine::Fsdp2;
    settings.kernels.code = ModelCode::TorchTitan;
    settings.kernels.rope =
        scenario.model.family == "qwen3_moe" ? RopeKernel::CosSin : RopeKernel::Complex;
    settings.kernels.fusedQkv = scenario.model.attention.kind == AttentionKind::Grouped;
    settings.kernels.positionIds = true;
    settings.kernels.balancedRouting = true;
    settings.kernels.loss = LossKernel::Fp32Upcast;
    settings.pipeline = {.embeddingWeight = 1, .headWeight = 1};
    if (table.has("backend") && table.text(row, "backend") == "partial_dtensor") {
        settings.torch.backend = TitanBackend::PartialDTensor;
    }
    if (table.text(row, "recompute") == "selective") {
        settings.recompute.kind = Checkpointing::Selective;
    }
    std::string precision = table.text(row, "precision");
    if (const std::size_t plus = precision.find('+'); plus != std::string::npos) {
        settings.kernels.quantizedExperts = true;
        precision.resize(plus);
    }
    FABRICAST_ASSIGN(settings.kernels.quantization, pick(kPrecision, precision, "precision"));
    FABRICAST_ASSIGN(settings.optimizer.kind,
                     pick(kOptimizer, table.text(row, "optimizer"), "optimizer"));
    return {};
}

}  // namespace

Result<OracleRow> moeRow(const CsvTable& table, std::size_t row) {
    OracleRow out;
    Scenario& scenario = out.scenario;
    scenario.model = modelOf(table, row);
    readLayout(table, row, out);
    Settings& settings = scenario.settings;
    FABRICAST_TRY(readExperts(table, row, settings.kernels));
    const std::string recompute = table.text(row, "recompute");
    setRecompute(settings, recompute);
    if (table.text(row, "framework") == "titan") {
        FABRICAST_TRY(setTorchTitan(table, row, out));
        FABRICAST_TRY(setOwnLora(table, row, scenario));
        out.hidesSaved = recompute != "none";
        out.countedBesides = attentionElsewhere(scenario);
        return out;
    }
    setMegatronCore(settings);
    out.hidesSaved = recompute == "full";
    FABRICAST_ASSIGN(settings.precision.gradients,
                     pick(kDtype, table.text(row, "grad_dtype"), "grad_dtype"));
    settings.megatron.distributedOptimizer = table.integer(row, "dist_opt") != 0;
    settings.kernels.deallocatePipelineOutputs = table.integer(row, "dealloc") != 0;
    FABRICAST_TRY(setOwnLora(table, row, scenario));
    return out;
}

}  // namespace fabricast
