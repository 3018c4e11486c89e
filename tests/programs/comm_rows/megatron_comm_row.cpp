#include "tests/programs/comm_rows/comm_row.h"
#include "tests/programs/oracle_rows/oracle_row.h"

#include <algorithm>

namespace fabricast {
namespace {

constexpr Recorded<Dispatcher> kDispatcher[] = {{"", Dispatcher::AllToAll},
                                                {"alltoall", Dispatcher::AllToAll},
                                                {"allgather", Dispatcher::AllGather}};
constexpr Recorded<LossKernel> kLoss[] = {{"", LossKernel::VocabParallel},
                                          {"plain", LossKernel::VocabParallel},
                                          {"fused", LossKernel::Fused}};
constexpr Recorded<Dtype> kDtype[] = {
    {"", Dtype::Fp32}, {"fp32", Dtype::Fp32}, {"bf16", Dtype::Bf16}};

Result<void> readLayout(const CsvTable& table, std::size_t row, CommRow& out) {
    Layout& layout = out.scenario.layout;
    layout.tp = setting(table, row, "tp");
    layout.cp = setting(table, row, "cp");
    layout.pp = setting(table, row, "pp");
    layout.vpp = setting(table, row, "vpp");
    layout.ep = setting(table, row, "ep");
    layout.etp = setting(table, row, "etp");
    if (layout.ep == 1 && layout.etp == 1) {  // not passed on, and then it follows tp
        layout.etp = layout.tp;
    }
    layout.sp = setting(table, row, "sp") != 0 && layout.tp > 1;
    layout.microBatch = setting(table, row, "b");
    const std::int64_t rest = layout.tp * layout.cp * layout.pp;
    const std::int64_t instances = setting(table, row, "optim_instances");
    if (rest < 1 || instances < 1) {
        return fail(Error::Code::BadInput, "tp", "parallel sizes are positive");
    }
    layout.dp = setting(table, row, "world") / rest;
    layout.shard = setting(table, row, "dist_opt") != 0 ? Shard::Zero1 : Shard::None;
    layout.shardSize = std::max<std::int64_t>(1, layout.replicas() / instances);
    if (layout.pp > 1) {
        layout.schedule = layout.vpp > 1 ? ScheduleKind::Interleaved : ScheduleKind::OneFOneB;
    }
    out.scenario.workload.globalBatch =
        layout.microBatch * layout.dp * setting(table, row, "accumulate");
    return {};
}

void setModel(const CsvTable& table, std::size_t row, ModelSpec& model) {
    if (setting(table, row, "qk_norm") != 0) {
        model.attention.qkNorm = QkNorm::PerHead;
    }
    if (model.moe) {  // every layer has experts
        model.sparse.assign(static_cast<std::size_t>(model.layers), true);
        model.moe->sharedWidth = model.moe->expertWidth * setting(table, row, "shared_expert");
        model.moe->correctionBias = setting(table, row, "expert_bias") != 0;
    }
}

}  // namespace

Result<void> readMegatron(const CsvTable& table, std::size_t row, CommRow& out) {
    FABRICAST_TRY(readLayout(table, row, out));
    setModel(table, row, out.scenario.model);
    Settings& settings = out.scenario.settings;
    setMegatronCore(settings);
    const std::string again = table.text(row, "ac");
    setRecompute(settings, again.empty() ? "none" : again);
    FABRICAST_ASSIGN(settings.kernels.loss, pick(kLoss, table.text(row, "loss"), "loss"));
    FABRICAST_ASSIGN(settings.kernels.dispatcher,
                     pick(kDispatcher, table.text(row, "dispatcher"), "dispatcher"));
    FABRICAST_ASSIGN(settings.precision.reduce,
                     pick(kDtype, table.text(row, "grad_dtype"), "grad_dtype"));
    settings.precision.gradients = settings.precision.reduce;
    settings.kernels.auxLoss =
        setting(table, row, "aux_loss") != 0 ? AuxLoss::Batch : AuxLoss::None;
    MegatronSettings& megatron = settings.megatron;
    megatron.vocabPadding = 128;
    megatron.distributedOptimizer = out.scenario.layout.shard != Shard::None;
    megatron.overlapGradReduce = setting(table, row, "overlap") != 0;
    megatron.overlapParamGather = setting(table, row, "overlap_param") != 0;
    megatron.bucketElements = setting(table, row, "bucket");
    return {};
}

}  // namespace fabricast
