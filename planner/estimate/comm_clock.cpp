#include "planner/estimate/comm_clock.h"

#include "planner/comm/call_collective.h"
#include "planner/comm/expert_calls.h"
#include "planner/ops/expert_layers.h"

#include <algorithm>

namespace fabricast {

const GroupShape& CommClock::shape(GroupKind group) {
    std::optional<GroupShape>& known = shapes_[static_cast<std::size_t>(group)];
    if (!known) {
        known = groupShape(scenario_.layout, order_, group, links_);
    }
    return *known;
}

/// Where a row goes to several experts of one node, or inside a node of one rank, it is sent there
/// once: of the copies that a router makes, the share that is left.
double CommClock::nodeShare(const CommCall& call, const GroupShape& where) const {
    const bool once = scenario_.settings.kernels.dispatchOncePerNode;
    if (!once || call.use != CommUse::Dispatch || !scenario_.model.moe) {
        return 1.0;
    }
    const MoeSpec& moe = *scenario_.model.moe;
    const double places =
        expectedPlaces(moe.experts, moe.topK, where.nodes > 1 ? where.nodes : where.ranks);
    return std::min(1.0, places / static_cast<double>(moe.topK));
}

/// Ranks exchange rows as fast as the one that gets most of them, which is no more than its experts
/// take. Where what they take is filled up, or every rank gathers every row, all get the same;
/// deepspeed.moe's buffer has the rows of the fullest expert for every one.
double CommClock::busiestShare(const CommCall& call) const {
    const KernelSettings& kernels = scenario_.settings.kernels;
    const bool byLoad = call.use == CommUse::Dispatch && !kernels.padToCapacity &&
                        kernels.dispatcher == Dispatcher::AllToAll && !usesDeepSpeedMoe(scenario_);
    const double most = kernels.capacityFactor > 0
                            ? std::min(kernels.imbalance, kernels.capacityFactor)
                            : kernels.imbalance;
    return byLoad ? std::max(1.0, most) : 1.0;
}

bool CommClock::isHalfOfPair(const CommCall& call) {
    return call.use == CommUse::KeyValue && (call.op == CommOp::Send || call.op == CommOp::Recv);
}

Bytes CommClock::moved(const CommCall& call, const GroupShape& where) const {
    const double bytes =
        static_cast<double>(call.bytes()) * nodeShare(call, where) * busiestShare(call);
    return Bytes(static_cast<std::int64_t>(bytes));
}

/// Between sites transfers of stages are those of the pipelines, whatever group they are made on.
const GroupShape& CommClock::shapeOf(const CommCall& call) {
    const bool isOfPipeline =
        links_.sites > 1 && call.use == CommUse::StageExchange && call.group == GroupKind::World;
    return shape(isOfPipeline ? GroupKind::Pipeline : call.group);
}

double CommClock::seconds(const CommCall& call) {
    return secondsOver(call, shapeOf(call));
}

double CommClock::nearSeconds(const CommCall& call) {
    const GroupShape& where = shapeOf(call);
    if (where.sites <= 1) {
        return secondsOver(call, where);
    }
    GroupShape near = where;  // two of its ranks, as far apart as inside a site
    near.nodes = insideSite(where).nodes;
    near.sites = near.siteGroups = 1;
    return secondsOver(call, near);
}

double CommClock::secondsOver(const CommCall& call, const GroupShape& where) {
    if (where.ranks <= 1 || call.elements <= 0) {
        return 0.0;
    }
    const double seconds =
        curves_.of(collectiveOf(call.op), where).seconds(moved(call, where)).count();
    return isHalfOfPair(call) ? 0.5 * seconds : seconds;
}

double CommClock::leastSeconds(const CommCall& call) {
    const GroupShape& where = shapeOf(call);
    if (where.ranks <= 1 || call.elements <= 0) {
        return 0.0;
    }
    const auto bytes = static_cast<double>(moved(call, where).count());
    const double seconds = bytes * curves_.of(collectiveOf(call.op), where).leastPerByte();
    return isHalfOfPair(call) ? 0.5 * seconds : seconds;
}

bool CommClock::isInsideBlock(GroupKind group) const {
    switch (group) {
        case GroupKind::Tensor:
        case GroupKind::Context:
        case GroupKind::TensorContext:
        case GroupKind::ContextInner:
        case GroupKind::ContextOuter:
        case GroupKind::ExpertTensor:
            return true;
        case GroupKind::Expert:
        case GroupKind::ExpertTensorExpert:
            return order_.experts != ExpertPlace::DataFirst;
        default:
            return false;
    }
}

double CommClock::sentBytes(const CommCall& call) {
    const GroupShape& where = shapeOf(call);
    if (where.ranks <= 1 || call.elements <= 0 || call.op == CommOp::Recv) {
        return 0.0;
    }
    const CollectiveTime time = curves_.of(collectiveOf(call.op), where).at(moved(call, where));
    return static_cast<double>(time.wire.count());
}

}  // namespace fabricast
