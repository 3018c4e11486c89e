#include "planner/schedule/comm_program.h"

#include "planner/schedule/framework_calls.h"
#include "planner/schedule/framework_order.h"
#include "planner/schedule/order_kind.h"

namespace fabricast {
namespace {

std::string opText(const PeerTransfer& op) {
    if (op.stage < 0) {
        const bool toNext = op.send == op.forward;  // activations go on, gradients come back
        return std::string(op.send ? "s" : "r") + (toNext ? "n" : "p");
    }
    return std::string(op.send ? "s" : "r") + std::to_string(op.peer) + ":" +
           std::to_string(op.stage) + (op.forward ? "F" : "B") + std::to_string(op.microBatch);
}

std::string opsText(const std::vector<PeerTransfer>& ops) {
    std::string text;
    for (const PeerTransfer& op : ops) {
        text += (text.empty() ? "" : ",") + opText(op);
    }
    return text;
}

std::string stepText(const CommStep& step) {
    switch (step.kind) {
        case CommStep::Kind::Compute:
            return actionText(step.action);
        case CommStep::Kind::Call:
            return "C(" + opsText(step.ops) + ")";
        case CommStep::Kind::Post:
            return "A" + std::to_string(step.handle) + "(" + opsText(step.ops) + ")";
        case CommStep::Kind::Wait:
            break;
    }
    return "wait" + std::to_string(step.handle) +
           (step.which < 0 ? "" : "." + opText(step.ops.front()));
}

template <class CallsOf>
CommProgram everyRank(const PipelineShape& shape, CallsOf callsOf) {
    CommProgram program;
    for (std::int64_t rank = 0; rank < shape.ranks; ++rank) {
        program.push_back(callsOf(rank));
    }
    return program;
}

Result<CommProgram> megatronProgram(const FrameworkOrder& order, P2pMode mode) {
    if (order.kind == OrderKind::OneFOneB) {
        if (mode != P2pMode::Batch) {
            return raises("ValueError",
                          "Non-interleaved pipeline parallelism does not support overlapping p2p "
                          "communication",
                          "overlap_p2p_comm off, or virtual stages");
        }
        return everyRank(order.shape,
                         [&](std::int64_t rank) { return megatronCalls(order.shape, rank); });
    }
    return everyRank(order.shape, [&](std::int64_t rank) {
        return megatronInterleavedCalls(order, rank, mode);
    });
}

CommProgram torchProgram(const FrameworkOrder& order) {
    const PipelineShape& shape = order.shape;
    if (order.kind == OrderKind::Gpipe) {
        return everyRank(shape, [&](std::int64_t rank) { return torchGpipeCalls(shape, rank); });
    }
    if (order.kind == OrderKind::OneFOneB) {
        return everyRank(shape, [&](std::int64_t rank) { return torchOneFOneBCalls(shape, rank); });
    }
    return torchRuntimeCalls(actionOrder(order.kind, shape));
}

CommProgram deepspeedProgram(const FrameworkOrder& order) {
    const bool folded = order.kind == OrderKind::DualPipeVWhole;
    return everyRank(order.shape, [&](std::int64_t rank) {
        return folded ? deepspeedDualPipeVCalls(order.shape, rank)
                      : deepspeedTrainCalls(order.shape, rank);
    });
}

}  // namespace

Result<CommProgram> commProgram(Framework framework, const FrameworkOrder& order, P2pMode mode) {
    switch (framework) {
        case Framework::Megatron:
            return megatronProgram(order, mode);
        case Framework::Torch:
            return torchProgram(order);
        case Framework::DeepSpeed:
            return deepspeedProgram(order);
        case Framework::Paper:
            break;
    }
    return fail(Error::Code::Unsupported,
                "stack",
                "schedules of papers have no communication calls",
                "megatron, torchtitan or deepspeed");
}

std::string programText(const std::vector<CommStep>& steps) {
    std::string text;
    char between = '\0';
    for (const CommStep& step : steps) {
        if (between != '\0') {
            text += between;
        }
        text += stepText(step);
        between = step.kind == CommStep::Kind::Compute && step.action.paired ? '&' : ' ';
    }
    return text;
}

}  // namespace fabricast
