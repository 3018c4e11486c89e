#include "tests/programs/comm_rows/comm_row.h"
#include "tests/programs/oracle_rows/oracle_row.h"

namespace fabricast {
namespace {

constexpr Recorded<Engine> kEngine[] = {{"ddp", Engine::Ddp},
                                        {"fsdp1", Engine::Fsdp1},
                                        {"zero", Engine::DeepSpeed},
                                        {"ulysses", Engine::Local}};
constexpr Recorded<Checkpointing> kCheckpoint[] = {
    {"", Checkpointing::None}, {"none", Checkpointing::None}, {"full", Checkpointing::Full}};
constexpr Recorded<Shard> kStage[] = {
    {"0", Shard::None}, {"1", Shard::Zero1}, {"2", Shard::Zero2}, {"3", Shard::Zero3}};
constexpr Recorded<Shard> kStrategy[] = {{"", Shard::Fsdp},
                                         {"FULL_SHARD", Shard::Fsdp},
                                         {"SHARD_GRAD_OP", Shard::Zero2},
                                         {"NO_SHARD", Shard::None},
                                         {"HYBRID_SHARD", Shard::Hsdp},
                                         {"_HYBRID_SHARD_ZERO2", Shard::Hsdp}};
constexpr Recorded<Dtype> kDtype[] = {
    {"", Dtype::Fp32}, {"fp32", Dtype::Fp32}, {"bf16", Dtype::Bf16}, {"fp16", Dtype::Fp16}};

Result<void> setTorch(const CsvTable& table, std::size_t row, CommRow& out) {
    Settings& settings = out.scenario.settings;
    Layout& layout = out.scenario.layout;
    settings.torch.sync = table.text(row, "ddp_mode").find("no_sync") != std::string::npos
                              ? GradientSync::LastMicroBatch
                              : GradientSync::EachMicroBatch;
    FABRICAST_ASSIGN(settings.precision.reduce,
                     pick(kDtype, table.text(row, "reduce_dtype"), "reduce_dtype"));
    if (settings.engine == Engine::Ddp) {  // gradients have the type of the model
        settings.precision.parameters = settings.precision.gradients = settings.precision.reduce;
        settings.torch.smallFirstBucket = false;  // bucket_cap_mb was always given
        if (const std::int64_t bucket = setting(table, row, "bucket"); bucket > 0) {
            settings.torch.bucketCapMb = bucket;
        }
        return {};
    }
    const std::string strategy = table.text(row, "strategy");
    FABRICAST_ASSIGN(layout.shard, pick(kStrategy, strategy, "strategy"));
    settings.torch.shardGradOp = strategy == "SHARD_GRAD_OP" || strategy == "_HYBRID_SHARD_ZERO2";
    layout.shardSize = setting(table, row, "shard_group");
    return {};
}

Result<void> setDeepSpeed(const CsvTable& table, std::size_t row, CommRow& out) {
    Settings& settings = out.scenario.settings;
    const std::string stage = std::to_string(setting(table, row, "stage"));
    FABRICAST_ASSIGN(out.scenario.layout.shard, pick(kStage, stage, "stage"));
    FABRICAST_ASSIGN(const Dtype wire,
                     pick(kDtype, table.text(row, "reduce_dtype"), "reduce_dtype"));
    settings.precision = {
        .parameters = Dtype::Bf16,
        .compute = Dtype::Bf16,
        .gradients = table.text(row, "grad_dtype") == "fp32" ? Dtype::Fp32 : Dtype::Bf16,
        .reduce = wire == Dtype::Fp32 ? Dtype::Bf16 : wire,
        .masterWeights = true};
    DeepSpeedSettings& zero = settings.deepspeed;
    const auto orDefault = [&](const char* column, std::int64_t least, std::int64_t& value) {
        const std::int64_t given = setting(table, row, column);
        value = given >= least ? given : value;
    };
    orDefault("bucket", 1, zero.reduceBucket);
    orDefault("bucket", 1, zero.allgatherBucket);
    orDefault("prefetch", 0, zero.prefetchBucket);
    orDefault("persist", 0, zero.persistenceThreshold);
    orDefault("max_live", 1, zero.maxLive);
    orDefault("max_reuse", 1, zero.maxReuse);
    zero.overlapComm = setting(table, row, "overlap") != 0;
    zero.reduceScatter = table.text(row, "ddp_mode") != "no_reduce_scatter";
    zero.multiRankBuckets = table.text(row, "ddp_mode") != "no_multi_rank";
    return {};
}

}  // namespace

Result<void> readHuggingFace(const CsvTable& table, std::size_t row, CommRow& out) {
    Scenario& scenario = out.scenario;
    Settings& settings = scenario.settings;
    FABRICAST_ASSIGN(settings.engine, pick(kEngine, table.text(row, "framework"), "framework"));
    settings.kernels.code = ModelCode::HuggingFace;
    FABRICAST_ASSIGN(settings.recompute.kind, pick(kCheckpoint, table.text(row, "ac"), "ac"));
    Layout& layout = scenario.layout;
    layout.dp = setting(table, row, "world");
    layout.microBatch = setting(table, row, "b");
    if (settings.engine == Engine::Local) {
        layout.cp = setting(table, row, "cp");
        layout.cpKind = CpKind::Ulysses;
        layout.dp = layout.cp > 0 ? layout.dp / layout.cp : 0;
    } else if (settings.engine == Engine::DeepSpeed) {
        FABRICAST_TRY(setDeepSpeed(table, row, out));
    } else {
        FABRICAST_TRY(setTorch(table, row, out));
    }
    scenario.workload.globalBatch =
        layout.microBatch * layout.dp * setting(table, row, "accumulate");
    return {};
}

}  // namespace fabricast
