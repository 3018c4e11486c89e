#include "planner/schedule/framework_order.h"

#include <algorithm>

namespace fabricast {
namespace {

tl::unexpected<Error> needs(const std::string& where, const std::string& what, std::string hint) {
    return fail(Error::Code::BadInput, where, what, std::move(hint));
}

Result<FrameworkOrder> withChunks(OrderKind kind, const PipelineShape& shape, std::int64_t chunks) {
    if (shape.chunks != chunks) {
        return needs("vpp",
                     "this schedule has " + std::to_string(chunks) +
                         (chunks == 1 ? " stage" : " stages") + " per rank, not " +
                         std::to_string(shape.chunks),
                     "--vpp " + std::to_string(chunks));
    }
    return FrameworkOrder{kind, shape};
}

/// The default group is the number of ranks; a smaller one, or a last group that is
/// smaller, waits for itself.
Result<FrameworkOrder> inGroups(OrderKind kind, PipelineShape shape) {
    if (shape.group == 0) {
        shape.group = std::min(shape.ranks, shape.microBatches);
    }
    const std::int64_t least = std::min(shape.ranks, shape.microBatches);
    const std::int64_t rest = shape.microBatches % shape.group;
    if (shape.group < least || shape.group > shape.microBatches) {
        return needs("group",
                     "a group has from " + std::to_string(least) + " to " +
                         std::to_string(shape.microBatches) + " microbatches",
                     "--group " + std::to_string(least));
    }
    if (rest > 0 && rest < shape.ranks) {
        return needs(
            "microbatches",
            "the last group would have " + std::to_string(rest) + " microbatches, fewer than ranks",
            "--microbatches " + nearestMultiples(shape.microBatches, shape.group));
    }
    return FrameworkOrder{kind, shape};
}

Result<FrameworkOrder> dualPipeV(const PipelineShape& shape) {
    if (shape.microBatches < 2 * shape.ranks) {
        return needs("microbatches",
                     "DualPipeV needs two microbatches per rank",
                     "--microbatches " + std::to_string(2 * shape.ranks));
    }
    return withChunks(OrderKind::DualPipeV, shape, 2);
}

/// As in DeepSeek's code; each rank holds a stage of either pipeline.
Result<FrameworkOrder> dualPipe(const PipelineShape& shape) {
    if (shape.ranks % 2 != 0) {
        return needs("pp", "DualPipe folds an even number of ranks", "--pp 4");
    }
    if (shape.microBatches % 2 != 0 || shape.microBatches < 2 * shape.ranks) {
        return needs("microbatches",
                     "DualPipe needs an even number of microbatches, two per rank at least",
                     "--microbatches " + std::to_string(2 * shape.ranks));
    }
    return withChunks(OrderKind::DualPipe, shape, 1);
}

/// These are planned slot by slot, which takes long for many ranks.
Result<FrameworkOrder> controlledOrder(OrderKind kind, const PipelineShape& shape) {
    constexpr std::int64_t kMostRanks = 512;
    if (shape.ranks > kMostRanks) {
        return needs("pp",
                     "this schedule supports " + std::to_string(kMostRanks) + " ranks at most",
                     "--pp " + std::to_string(kMostRanks));
    }
    return withChunks(kind, shape, 2);
}

}  // namespace

// The schedules as published; where code came with the paper, that code's rules.
Result<FrameworkOrder> paperOrder(const ScheduleRequest& request) {
    const PipelineShape& shape = request.shape;
    switch (request.schedule) {
        case ScheduleKind::Gpipe:
            return withChunks(OrderKind::Gpipe, shape, 1);
        case ScheduleKind::OneFOneB:
        case ScheduleKind::None:
            return withChunks(OrderKind::OneFOneB, shape, 1);
        case ScheduleKind::LoopedBfs:
            return FrameworkOrder{OrderKind::LoopedBfs, shape};
        case ScheduleKind::Interleaved:
            return inGroups(
                request.expertOverlap ? OrderKind::InterleavedPairs : OrderKind::Interleaved,
                shape);
        case ScheduleKind::InterleavedZb:
            return inGroups(OrderKind::InterleavedZb, shape);
        case ScheduleKind::ZbH1:
            FABRICAST_TRY(withChunks(OrderKind::InterleavedZb, shape, 1));
            return FrameworkOrder{OrderKind::InterleavedZb,
                                  {shape.ranks, 1, shape.microBatches, shape.microBatches}};
        case ScheduleKind::ZbV:
            return withChunks(OrderKind::ZbV, shape, 2);
        case ScheduleKind::DualPipeV:
            return dualPipeV(shape);
        case ScheduleKind::ZbH2:
            return withChunks(OrderKind::ZbH2, shape, 1);
        case ScheduleKind::DualPipe:
            return dualPipe(shape);
        case ScheduleKind::VHalf:
            return controlledOrder(OrderKind::VHalf, shape);
        case ScheduleKind::VMin:
            return controlledOrder(OrderKind::VMin, shape);
    }
    return fail(Error::Code::Internal, "schedule", "unknown schedule");
}

}  // namespace fabricast
