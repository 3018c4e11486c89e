#include "planner/schedule/framework_rules.h"

namespace fabricast {
namespace {

Result<void> checkChunks(const PipelineShape& shape, std::int64_t needed) {
    if (shape.chunks == needed) {
        return {};
    }
    return fail(Error::Code::Unsupported,
                "vpp",
                "this schedule of DeepSpeed has " + std::to_string(needed) +
                    (needed == 1 ? " stage" : " stages") + " per rank, not " +
                    std::to_string(shape.chunks),
                "--vpp " + std::to_string(needed));
}

}  // namespace

// deepspeed.runtime.pipe.schedule: TrainSchedule is 1F1B, DualPipeVSchedule has whole backwards.
Result<FrameworkOrder> deepspeedOrder(const ScheduleRequest& request) {
    const PipelineShape& shape = request.shape;
    if (request.schedule == ScheduleKind::OneFOneB) {
        FABRICAST_TRY(checkChunks(shape, 1));
        return FrameworkOrder{OrderKind::OneFOneB, shape};
    }
    if (request.schedule == ScheduleKind::DualPipeV) {
        FABRICAST_TRY(checkChunks(shape, 2));
        if (shape.microBatches < 2 * shape.ranks) {
            return raises("ValueError",
                          "DualPipeV needs at least 2 * " + std::to_string(shape.ranks) +
                              " micro-batches, got " + std::to_string(shape.microBatches),
                          "--microbatches " + std::to_string(2 * shape.ranks));
        }
        return FrameworkOrder{OrderKind::DualPipeVWhole, shape};
    }
    return fail(Error::Code::Unsupported,
                "schedule",
                "DeepSpeed has two schedules: 1f1b (TrainSchedule) and dualpipev "
                "(DualPipeVSchedule)",
                "1f1b, dualpipev, or leave the stack out for the paper's order");
}

}  // namespace fabricast
