#include "tests/programs/comm_rows/comm_row.h"
#include "tests/programs/oracle_rows/oracle_row.h"

#include <algorithm>

namespace fabricast {
namespace {

constexpr Recorded<Checkpointing> kCheckpoint[] = {{"none", Checkpointing::None},
                                                   {"", Checkpointing::None},
                                                   {"selective", Checkpointing::Selective},
                                                   {"full", Checkpointing::Full}};
constexpr Recorded<Reshard> kReshard[] = {{"", Reshard::Default},
                                          {"default", Reshard::Default},
                                          {"always", Reshard::Always},
                                          {"never", Reshard::Never}};
constexpr Recorded<Dtype> kDtype[] = {
    {"", Dtype::Fp32}, {"fp32", Dtype::Fp32}, {"bf16", Dtype::Bf16}};
constexpr Recorded<LossKernel> kLoss[] = {{"", LossKernel::Fp32Upcast},
                                          {"plain", LossKernel::Fp32Upcast},
                                          {"chunked", LossKernel::Chunked}};
constexpr Recorded<TitanBackend> kBackend[] = {{"", TitanBackend::SpmdTypes},
                                               {"spmd_types", TitanBackend::SpmdTypes},
                                               {"partial_dtensor", TitanBackend::PartialDTensor},
                                               {"full_dtensor", TitanBackend::FullDTensor}};
constexpr Recorded<ScheduleKind> kSchedule[] = {
    {"", ScheduleKind::OneFOneB},
    {"1F1B", ScheduleKind::OneFOneB},
    {"GPipe", ScheduleKind::Gpipe},
    {"Interleaved1F1B", ScheduleKind::Interleaved},
    {"LoopedBFS", ScheduleKind::LoopedBfs},
    {"InterleavedZeroBubble", ScheduleKind::InterleavedZb},
    {"ZBVZeroBubble", ScheduleKind::ZbV},
    {"DualPipeV", ScheduleKind::DualPipeV}};

Result<void> readMesh(const CsvTable& table, std::size_t row, CommRow& out) {
    Layout& layout = out.scenario.layout;
    layout.tp = setting(table, row, "tp");
    layout.cp = setting(table, row, "cp");
    layout.pp = setting(table, row, "pp");
    layout.ep = setting(table, row, "ep");
    layout.sp = setting(table, row, "sp") != 0 && layout.tp > 1;
    const std::int64_t rest = layout.tp * layout.cp * layout.pp;
    const std::int64_t replicate = setting(table, row, "replicate");
    if (rest < 1 || replicate < 1) {
        return fail(Error::Code::BadInput, "tp", "parallel sizes are positive");
    }
    layout.dp = setting(table, row, "world") / rest;
    layout.shard = replicate > 1 ? Shard::Hsdp : Shard::Fsdp;
    layout.shardSize = std::max<std::int64_t>(1, layout.dp / replicate * layout.cp);
    const std::int64_t batch = setting(table, row, "b");
    const std::int64_t accumulate = setting(table, row, "accumulate");
    out.scenario.workload.globalBatch = batch * accumulate * layout.dp;
    layout.microBatch = batch;
    if (layout.pp > 1) {  // one sequence per microbatch; several fillings of the pipeline
        FABRICAST_ASSIGN(layout.schedule, pick(kSchedule, table.text(row, "schedule"), "schedule"));
        const bool single =
            layout.schedule == ScheduleKind::OneFOneB || layout.schedule == ScheduleKind::Gpipe;
        layout.microBatch = 1;
        layout.vpp = single ? 1 : 2;
        out.scenario.settings.pipeline.passes = accumulate;
    }
    return {};
}

/// Experts are of torchtitan's DeepSeek-V3, with its latent attention.
void setLatentAttention(ModelSpec& model) {
    AttentionSpec& attention = model.attention;
    attention.kind = AttentionKind::Latent;
    attention.kvHeads = attention.heads;
    attention.kvLoraRank = 512;
    attention.qkRopeDim = 64;
    attention.qkNopeDim = attention.vHeadDim = attention.headDim;
}

}  // namespace

Result<void> readTitan(const CsvTable& table, std::size_t row, CommRow& out) {
    FABRICAST_TRY(readMesh(table, row, out));
    Settings& settings = out.scenario.settings;
    settings.engine = Engine::Fsdp2;
    settings.kernels.code = ModelCode::TorchTitan;
    settings.kernels.fusedQkv = true;
    if (out.scenario.model.moe) {
        setLatentAttention(out.scenario.model);
    }
    FABRICAST_ASSIGN(settings.kernels.loss, pick(kLoss, table.text(row, "loss"), "loss"));
    FABRICAST_ASSIGN(settings.recompute.kind, pick(kCheckpoint, table.text(row, "ac"), "ac"));
    FABRICAST_ASSIGN(settings.torch.reshard, pick(kReshard, table.text(row, "reshard"), "reshard"));
    FABRICAST_ASSIGN(settings.torch.backend, pick(kBackend, table.text(row, "backend"), "backend"));
    FABRICAST_ASSIGN(settings.precision.reduce,
                     pick(kDtype, table.text(row, "reduce_dtype"), "reduce_dtype"));
    out.where.logs = setting(table, row, "log") != 0;
    return {};
}

}  // namespace fabricast
