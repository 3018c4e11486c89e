#include "planner/comm/check_shape.h"
#include "planner/comm/collective_groups.h"

#include <string>
#include <utility>

namespace fabricast {

Result<StageView> stageView(const Scenario& scenario, CommRank rank) {
    FABRICAST_TRY(checkShape(scenario));
    const Layout& layout = scenario.layout;
    if (rank.stage < 0 || rank.stage >= layout.pp || rank.tensorRank < 0 ||
        rank.tensorRank >= layout.tp) {
        return fail(Error::Code::BadInput,
                    "rank",
                    "stage " + std::to_string(rank.stage) + " and tensor rank " +
                        std::to_string(rank.tensorRank) + " are not in this layout");
    }
    if (layout.schedule == ScheduleKind::DualPipe && layout.pp > 1) {
        return fail(Error::Code::Unsupported,
                    "layout.schedule",
                    "no stack runs bidirectional pipelines",
                    "schedule=dualpipe_v");
    }
    FABRICAST_ASSIGN(StageShape held, stageShape(scenario, rank.stage, rank.tensorRank));
    StageView view{std::move(held)};
    view.logs = rank.logs;
    view.shape = rankShape(scenario);
    view.microBatches = scenario.microBatches();
    view.passes = layout.pp > 1 ? scenario.settings.pipeline.passes : view.microBatches;
    view.compute = wireType(scenario.settings.precision.compute);
    view.reduce = wireType(scenario.settings.precision.reduce);
    if (view.shardsContext) {
        view.shardGroup = GroupKind::Context;
        view.copyGroup = GroupKind::Data;
    }
    return view;
}

WireType wireType(Dtype type) {
    switch (type) {
        case Dtype::Fp32:
            return WireType::Fp32;
        case Dtype::Bf16:
            return WireType::Bf16;
        case Dtype::Fp16:
            return WireType::Fp16;
        case Dtype::Fp8:
            return WireType::Fp8;
        case Dtype::Int8:
        case Dtype::Fp4:
        case Dtype::Nf4:
            return WireType::Uint8;
    }
    return WireType::Bf16;
}

void add(Calls& calls, const CommCall& call) {
    constexpr std::size_t kUsual = 16;
    if (call.count() > 0 && call.elements > 0) {
        if (calls.empty()) {
            calls.reserve(kUsual);
        }
        calls.push_back(call);
    }
}

void append(Calls& calls, const Calls& more) {
    calls.insert(calls.end(), more.begin(), more.end());
}

}  // namespace fabricast
