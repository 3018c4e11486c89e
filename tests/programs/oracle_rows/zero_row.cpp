#include "tests/programs/oracle_rows/oracle_row.h"

namespace fabricast {

namespace {

constexpr Recorded<Engine> kEngine[] = {
    {"ddp", Engine::Ddp}, {"fsdp1", Engine::Fsdp1}, {"deepspeed", Engine::DeepSpeed}};
constexpr Recorded<Checkpointing> kCheckpoint[] = {{"none", Checkpointing::None},
                                                   {"full", Checkpointing::Full}};
constexpr Recorded<Dtype> kDtype[] = {
    {"fp32", Dtype::Fp32}, {"bf16", Dtype::Bf16}, {"fp16", Dtype::Fp16}};

constexpr Recorded<Shard> kStage[] = {
    {"0", Shard::None}, {"1", Shard::Zero1}, {"2", Shard::Zero2}, {"3", Shard::Zero3}};
constexpr Recorded<Shard> kStrategy[] = {{"FULL_SHARD", Shard::Fsdp},
                                         {"SHARD_GRAD_OP", Shard::Zero2},
                                         {"NO_SHARD", Shard::None},
                                         {"HYBRID_SHARD", Shard::Hsdp},
                                         {"_HYBRID_SHARD_ZERO2", Shard::Hsdp}};

void setPrecision(Settings& settings, const std::string& precision) {
    PrecisionSettings& types = settings.precision;
    const bool deepspeed = settings.engine == Engine::DeepSpeed;
    types.autocast = precision == "autocast";
    types.compute = precision == "fp16" ? Dtype::Fp16 : Dtype::Bf16;
    types.parameters = types.autocast || precision == "mixed" ? Dtype::Fp32 : types.compute;
    types.gradients = types.reduce = types.parameters;
    types.masterWeights = deepspeed && !types.autocast;
    types.moments = deepspeed ? Dtype::Fp32 : types.parameters;
}

Result<void> setLayout(const CsvTable& table, std::size_t row, OracleRow& out) {
    Scenario& scenario = out.scenario;
    Layout& layout = scenario.layout;
    layout.dp = table.integer(row, "world", 1);
    layout.microBatch = table.integer(row, "b", 1);
    scenario.workload.sequence = table.integer(row, "s");
    scenario.workload.globalBatch =
        layout.microBatch * layout.dp * table.integer(row, "accumulate", 1);
    out.rank = table.integer(row, "rank");
    if (scenario.settings.engine == Engine::Fsdp1) {
        const std::string strategy = table.text(row, "strategy");
        FABRICAST_ASSIGN(layout.shard, pick(kStrategy, strategy, "strategy"));
        scenario.settings.torch.shardGradOp =
            strategy == "SHARD_GRAD_OP" || strategy == "_HYBRID_SHARD_ZERO2";
        layout.shardSize = table.integer(row, "shard");
        layout.offload =
            table.integer(row, "offload") != 0 ? Offload::ParametersCpu : Offload::None;
    }
    if (scenario.settings.engine == Engine::DeepSpeed) {
        FABRICAST_ASSIGN(layout.shard, pick(kStage, table.text(row, "zero"), "zero"));
        const std::string parameters = table.text(row, "offload_param");
        const std::string optimizer = table.text(row, "offload_optimizer");
        layout.offload = parameters == "nvme"  ? Offload::ParametersNvme
                         : parameters == "cpu" ? Offload::ParametersCpu
                         : optimizer == "nvme" ? Offload::OptimizerNvme
                         : optimizer == "cpu"  ? Offload::OptimizerCpu
                                               : Offload::None;
        scenario.settings.deepspeed.optimizerStaysOnDevice =
            parameters != "none" && optimizer == "none";
    }
    return {};
}

Result<void> setTorch(const CsvTable& table, std::size_t row, Settings& settings) {
    TorchSettings& torch = settings.torch;
    torch.sync = table.text(row, "sync") == "last" ? GradientSync::LastMicroBatch
                                                   : GradientSync::EachMicroBatch;
    torch.setToNone = table.integer(row, "set_to_none", 1) != 0;
    torch.bucketView = table.integer(row, "bucket_view") != 0;
    torch.staticGraph = table.integer(row, "static_graph") != 0;
    torch.useOrigParams = table.integer(row, "use_orig_params", 1) != 0;
    const std::string prefetch = table.text(row, "backward_prefetch");
    torch.backwardPrefetch = prefetch == "post"   ? BackwardPrefetch::Post
                             : prefetch == "none" ? BackwardPrefetch::None
                                                  : BackwardPrefetch::Pre;
    torch.forwardPrefetch = table.integer(row, "forward_prefetch") != 0;
    torch.limitAllGathers = table.integer(row, "limit_all_gathers", 1) != 0;
    if (settings.engine == Engine::Fsdp1 && settings.precision.parameters == Dtype::Fp32) {
        FABRICAST_ASSIGN(settings.precision.reduce,
                         pick(kDtype, table.text(row, "reduce_dtype"), "reduce_dtype"));
    }
    return {};
}

Result<void> setDeepSpeed(const CsvTable& table, std::size_t row, Settings& settings) {
    DeepSpeedSettings& zero = settings.deepspeed;
    const std::int64_t overlap = table.integer(row, "overlap_comm", -1);
    zero.overlapComm = overlap < 0 ? table.integer(row, "zero") == 3 : overlap != 0;
    zero.contiguousGradients = table.integer(row, "contiguous", 1) != 0;
    zero.reduceScatter = table.integer(row, "reduce_scatter", 1) != 0;
    zero.roundRobin = table.integer(row, "round_robin") != 0;
    zero.reduceBucket = table.integer(row, "reduce_bucket", zero.reduceBucket);
    zero.allgatherBucket = table.integer(row, "allgather_bucket", zero.allgatherBucket);
    zero.prefetchBucket = table.integer(row, "prefetch", zero.prefetchBucket);
    zero.persistenceThreshold = table.integer(row, "persistence", zero.persistenceThreshold);
    zero.maxLive = table.integer(row, "max_live", zero.maxLive);
    zero.maxReuse = table.integer(row, "max_reuse", zero.maxReuse);
    zero.subGroup = table.integer(row, "sub_group", zero.subGroup);
    zero.pinMemory = table.integer(row, "pin") != 0;
    const std::string accumulated = table.text(row, "grad_accum_dtype");
    if (accumulated != "default" && !accumulated.empty()) {
        FABRICAST_ASSIGN(settings.precision.gradients,
                         pick(kDtype, accumulated, "grad_accum_dtype"));
    }
    return {};
}

Result<void> setAdapters(const CsvTable& table, std::size_t row, Settings& settings) {
    const std::int64_t rank = table.integer(row, "lora_r");
    if (rank == 0) {
        return {};
    }
    settings.tuning = Tuning::Lora;
    settings.lora.rank = rank;
    settings.lora.dropout = table.number(row, "lora_dropout");
    settings.lora.dora = table.integer(row, "dora") != 0;
    settings.lora.dtype = settings.precision.parameters;
    const std::string base = table.text(row, "base");
    if (base.starts_with("nf4")) {
        settings.lora.base = Dtype::Nf4;
        settings.lora.doubleQuantization = base == "nf4dq";
    }
    FABRICAST_ASSIGN(settings.lora.targets, loraTargets(table.text(row, "lora_targets")));
    settings.lora.modulesToSave = savedModules(table, row);
    return {};
}

}  // namespace

Result<OracleRow> zeroRow(const CsvTable& table, std::size_t row) {
    OracleRow out;
    Scenario& scenario = out.scenario;
    Settings& settings = scenario.settings;
    FABRICAST_ASSIGN(settings.engine, pick(kEngine, table.text(row, "framework"), "framework"));
    FABRICAST_ASSIGN(scenario.model, huggingFaceModel(table, row));
    setPrecision(settings, table.text(row, "precision"));
    FABRICAST_TRY(setLayout(table, row, out));
    KernelSettings& kernels = settings.kernels;
    setTransformersKernels(table.text(row, "loss"), kernels);
    kernels.fusedQkv = scenario.model.attention.fusedQkv;
    FABRICAST_ASSIGN(settings.recompute.kind, pick(kCheckpoint, table.text(row, "ac"), "ac"));
    FABRICAST_ASSIGN(settings.optimizer, recordedOptimizer(table.text(row, "optimizer")));
    settings.allocator = table.text(row, "alloc") == "expandable"
                             ? AllocatorKind::ExpandableSegments
                             : AllocatorKind::Default;
    if (settings.engine == Engine::DeepSpeed) {
        FABRICAST_TRY(setDeepSpeed(table, row, settings));
    } else {
        FABRICAST_TRY(setTorch(table, row, settings));
    }
    FABRICAST_TRY(setAdapters(table, row, settings));
    FABRICAST_TRY(setExtras(table, row, scenario));
    return out;
}

}  // namespace fabricast
