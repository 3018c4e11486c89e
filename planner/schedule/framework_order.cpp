#include "planner/schedule/framework_order.h"

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

/// What overlap_moe_expert_parallel_comm and the number of chunks leave of a schedule's name.
Result<FrameworkOrder> withoutChunks(const ScheduleRequest& request) {
    const PipelineShape& shape = request.shape;
    if (shape.chunks > 1) {
        const std::string which =
            shape.ranks > 1 ? "non-interleaved pipeline-parallel" : "non-pipeline-parallel";
        const std::string group = std::to_string(shape.ranks);
        return raises("AssertionError",
                      which + " schedule does not support model chunking",
                      request.schedule == ScheduleKind::Interleaved && shape.ranks > 1
                          ? "--group " + group +
                                ", which Megatron's own configuration sets with virtual stages"
                          : "--vpp 1, or interleaved with a group");
    }
    if (request.expertOverlap && shape.ranks > 1) {
        return raises("AssertionError",
                      "If enabling EP A2A overlap, virtual_pipeline_model_parallel_size must be "
                      "specified when pipeline_model_parallel_size > 1",
                      "--vpp 2");
    }
    return FrameworkOrder{OrderKind::OneFOneB, shape};
}

Result<void> checkGroup(const PipelineShape& shape) {
    const std::string most = std::to_string(shape.microBatches);
    if (shape.group > shape.microBatches || shape.group < shape.ranks) {
        return raises("ValueError",
                      "The number of contiguous micro-batches in a virtual pipeline stage"
                      "should range in [PP=" +
                          std::to_string(shape.ranks) + " , M=" + most + "]",
                      shape.microBatches < shape.ranks
                          ? "--microbatches " + std::to_string(shape.ranks)
                          : "--group " + std::to_string(shape.ranks));
    }
    const std::int64_t rest = shape.microBatches % shape.group;
    if (rest > 0 && rest < shape.ranks) {
        return raises("RuntimeError",
                      "The remainder of M (the total micro-batches) divided by N (number of "
                      "contiguous micro-batches in a virtual pipeline stage) should be 0, or "
                      "larger than or equal to the pipeline-parallel size, but it is " +
                          std::to_string(rest) +
                          ". Otherwise, it introduces dependency bubbles in the pipeline and "
                          "reduces throughput.",
                      "--microbatches " + nearestMultiples(shape.microBatches, shape.group));
    }
    return {};
}

Result<FrameworkOrder> interleaved(const ScheduleRequest& request) {
    if (request.shape.group == 0 || request.shape.ranks == 1) {
        return withoutChunks(request);
    }
    FABRICAST_TRY(checkGroup(request.shape));
    if (request.shape.chunks == 1 && !request.expertOverlap) {
        return fail(Error::Code::Unsupported,
                    "vpp",
                    "Megatron's interleaved schedule fails on the last rank, which has no warm-up "
                    "with one chunk per rank",
                    "1f1b, or --vpp 2");
    }
    return FrameworkOrder{
        request.expertOverlap ? OrderKind::InterleavedPairs : OrderKind::Interleaved,
        request.shape};
}

// megatron.core.pipeline_parallel.schedules: with a virtual pipeline it interleaves, else 1F1B.
Result<FrameworkOrder> megatronOrder(const ScheduleRequest& request) {
    switch (request.schedule) {
        case ScheduleKind::OneFOneB:
            return withoutChunks(request);
        case ScheduleKind::Interleaved:
            return interleaved(request);
        default:
            return fail(Error::Code::Unsupported,
                        "schedule",
                        "Megatron has two schedules: 1f1b, and interleaved",
                        "1f1b, interleaved, or leave the stack out for the paper's order");
    }
}

}  // namespace

Result<Framework> frameworkOf(std::string_view stack) {
    struct Runs {
        std::string_view stack;
        Framework framework;
    };
    constexpr auto kRuns = std::to_array<Runs>({{"megatron", Framework::Megatron},
                                                {"nemo", Framework::Megatron},
                                                {"torchtitan", Framework::Torch},
                                                {"torch", Framework::Torch},
                                                {"deepspeed", Framework::DeepSpeed},
                                                {"paper", Framework::Paper}});
    for (const Runs& runs : kRuns) {
        if (runs.stack == stack) {
            return runs.framework;
        }
    }
    return fail(Error::Code::Unsupported,
                "stack",
                std::string(stack) + " has no pipeline schedules",
                "megatron, nemo, torchtitan, torch, deepspeed, or paper");
}

std::string nearestMultiples(std::int64_t count, std::int64_t group) {
    const std::int64_t below = count / group * group;
    const std::string above = std::to_string(below + group);
    return below > 0 ? std::to_string(below) + " or " + above : above;
}

Result<FrameworkOrder> frameworkOrder(const ScheduleRequest& request) {
    switch (request.framework) {
        case Framework::Torch:
            return torchOrder(request);
        case Framework::Megatron:
            return megatronOrder(request);
        case Framework::DeepSpeed:
            return deepspeedOrder(request);
        case Framework::Paper:
            break;
    }
    return paperOrder(request);
}

}  // namespace fabricast
