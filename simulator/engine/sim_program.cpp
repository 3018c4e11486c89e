#include "simulator/engine/sim_program.h"

#include "planner/base/check.h"
#include "simulator/engine/sim_names.h"

namespace fabricast {

SimProgram::SimProgram(Setting setting)
    : setting_(setting), lastOf_(setting.actors * kSimStreams, kNoOp) {
    FABRICAST_CHECK(setting.contention >= 0.0 && setting.contention < 1.0);
}

OpIndex SimProgram::add(const SimOp& op) {
    FABRICAST_CHECK(op.actor < setting_.actors && op.duration >= SimTime(0));
    FABRICAST_CHECK(ops_.size() < kNoOp);
    const auto index = static_cast<OpIndex>(ops_.size());
    ops_.push_back(op);
    next_.push_back(kNoOp);
    if (op.stream != SimStream::Pipeline) {
        OpIndex& last = lastOf_[op.actor * kSimStreams + static_cast<std::size_t>(op.stream)];
        if (last != kNoOp) {
            next_[last] = index;
        }
        last = index;
    }
    return index;
}

void SimProgram::wait(OpIndex op, OpIndex after) {
    FABRICAST_CHECK(op != after);
    edges_.push_back({op, after});
}

std::string opText(const SimOp& op) {
    std::string text(nameOf(op.kind));
    text += op.microBatch < 0 ? "" : " of microbatch " + std::to_string(op.microBatch);
    text += op.stage < 0 ? "" : " in stage " + std::to_string(op.stage);
    return text + ", rank " + std::to_string(op.actor);
}

}  // namespace fabricast
