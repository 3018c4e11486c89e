#include "planner/schedule/framework_order.h"

#include <algorithm>

namespace fabricast {
namespace {

std::string titleOf(ScheduleKind schedule) {
    switch (schedule) {
        case ScheduleKind::ZbH1:
            return "ZB-H1";
        case ScheduleKind::ZbH2:
            return "ZB-H2";
        case ScheduleKind::VHalf:
            return "V-Half";
        case ScheduleKind::VMin:
            return "V-Min";
        default:
            return "DualPipe";
    }
}

tl::unexpected<Error> unknownName(ScheduleKind schedule) {
    return raises("ValueError",
                  "Unknown schedule name '" + titleOf(schedule) +
                      "'. The valid options are ['1F1B', 'Interleaved1F1B', 'GPipe', 'LoopedBFS', "
                      "'InterleavedZeroBubble', 'PipelineScheduleSingle', 'PipelineScheduleMulti', "
                      "'ZBVZeroBubble', 'DualPipeV']",
                  schedule == ScheduleKind::ZbH1
                      ? "interleaved-zb --vpp 1, or leave the stack out for the paper's"
                      : "leave the stack out for the paper's");
}

Result<FrameworkOrder> oneStage(OrderKind kind, const PipelineShape& shape) {
    if (shape.chunks != 1) {
        return raises("ValueError",
                      "Single stage schedule requires exactly 1 stage per rank, but got " +
                          std::to_string(shape.chunks) + " stages per rank.",
                      "--vpp 1, or interleaved");
    }
    if (kind == OrderKind::OneFOneB && shape.microBatches < shape.ranks) {
        return raises("ValueError",
                      "Number of microbatches (" + std::to_string(shape.microBatches) +
                          ") must be greater than or equal to the number of stages (" +
                          std::to_string(shape.ranks) + ").",
                      "--microbatches " + std::to_string(shape.ranks));
    }
    return FrameworkOrder{kind, shape};
}

/// torch takes no group size: it distributes the microbatches over rounds of at least p.
Result<FrameworkOrder> inRounds(OrderKind kind, PipelineShape shape) {
    const std::int64_t rounds = std::max<std::int64_t>(1, shape.microBatches / shape.ranks);
    if (shape.microBatches % rounds != 0) {
        const std::string who = kind == OrderKind::Interleaved ? "Interleaved 1F1B" : "Zero bubble";
        return raises("ValueError",
                      who +
                          " requires the number of microbatches to be a multiple of the number of "
                          "rounds (" +
                          std::to_string(rounds) + "), but got " +
                          std::to_string(shape.microBatches) + ".",
                      "--microbatches " + nearestMultiples(shape.microBatches, shape.ranks));
    }
    shape.group = shape.microBatches / rounds;
    return FrameworkOrder{kind, shape};
}

Result<FrameworkOrder> foldedOrder(OrderKind kind, const PipelineShape& shape) {
    if (shape.chunks != 2) {
        return raises(
            "ValueError",
            "ZBV requires exactly 2 stages per rank, but got " + std::to_string(shape.chunks) + ".",
            "--vpp 2");
    }
    if (kind == OrderKind::DualPipeV && shape.microBatches < shape.stages()) {
        return raises("ValueError",
                      "DualPipeV requires at least as many microbatches as stages, but got " +
                          std::to_string(shape.microBatches) + " microbatches and " +
                          std::to_string(shape.stages()) + " stages.",
                      "--microbatches " + std::to_string(shape.stages()));
    }
    return FrameworkOrder{kind, shape};
}

}  // namespace

// torch.distributed.pipelining's schedule classes; torchtitan chooses among them by name.
Result<FrameworkOrder> torchOrder(const ScheduleRequest& request) {
    switch (request.schedule) {
        case ScheduleKind::Gpipe:
            return oneStage(OrderKind::Gpipe, request.shape);
        case ScheduleKind::OneFOneB:
            return oneStage(OrderKind::OneFOneB, request.shape);
        case ScheduleKind::LoopedBfs:
            return FrameworkOrder{OrderKind::LoopedBfs, request.shape};
        case ScheduleKind::Interleaved:
            return inRounds(OrderKind::Interleaved, request.shape);
        case ScheduleKind::InterleavedZb:
            return inRounds(OrderKind::InterleavedZb, request.shape);
        case ScheduleKind::ZbV:
            return foldedOrder(OrderKind::ZbV, request.shape);
        case ScheduleKind::DualPipeV:
            return foldedOrder(OrderKind::DualPipeV, request.shape);
        default:
            return unknownName(request.schedule);
    }
}

}  // namespace fabricast
