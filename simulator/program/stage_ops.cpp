#include "simulator/program/stage_ops.h"

#include <cmath>

namespace fabricast {
namespace {

SimTime times(SimTime duration, double factor) {
    return factor == 1.0 ? duration : simTime(Seconds(factor * seconds(duration).count()));
}

}  // namespace

std::uint32_t StageOpWriter::flowOf(const SimOp& op, std::size_t member) const {
    if (op.flow == kNoFlow || member == 0) {
        return op.flow;
    }
    return flows_.byMember() ? op.flow + static_cast<std::uint32_t>(member) : kNoFlow;
}

StageOps StageOpWriter::add(std::size_t stage, const SimOp& op) {
    const std::vector<ActorIndex>& actors = ranks_.of(stage);
    StageOps ops;
    for (std::size_t member = 0; member < actors.size(); ++member) {
        SimOp own = op;
        own.actor = actors[member];
        own.flow = flowOf(op, member);
        if (op.stream == SimStream::Compute) {
            own.duration = times(op.duration, ranks_.kernelFactor(stage, member));
        }
        ops.push_back(program_.add(own));
    }
    return ops;
}

void StageOpWriter::wait(const StageOps& ops, const StageOps& after) {
    for (std::size_t member = 0; member < after.size(); ++member) {
        program_.wait(ops[member], after[member]);
    }
}

void StageOpWriter::follow(std::size_t stage, const StageOps& ops) {
    wait(ops, last_[stage]);
    last_[stage] = ops;
}

OpIndex StageOpWriter::meetAll(const std::vector<OpIndex>& ready) {
    const OpIndex meeting = program_.add({.actor = program_.ops()[ready.front()].actor,
                                          .kind = SimKind::Meeting,
                                          .stream = SimStream::Pipeline});
    for (const OpIndex op : ready) {
        program_.wait(meeting, op);
    }
    return meeting;
}

StageOps StageOpWriter::meet(std::size_t stage, GroupKind group, const StageOps& ready) {
    StageOps met = ready;
    for (const StageRanks::Members& members : ranks_.groups(stage, group)) {
        std::vector<OpIndex> theirs;
        for (const std::uint32_t member : members) {
            theirs.push_back(ready[member]);
        }
        const OpIndex meeting = meetAll(theirs);
        for (const std::uint32_t member : members) {
            met[member] = meeting;
        }
    }
    return met;
}

StageOps StageOpWriter::beside(std::size_t stage, SimOp op, const PassPiece& piece) {
    op.kind = SimKind::Transfer;
    const StageOps& before = last_[stage];
    const StageOps ready = before.empty() ? before : meet(stage, *piece.group, before);
    const StageOps ops = add(stage, op);
    wait(ops, ready);
    return ops;
}

StageOps StageOpWriter::pass(std::size_t stage,
                             const SimOp& what,
                             const PassPieces& pieces,
                             const std::vector<StageOps>& inputs) {
    bool first = true;
    for (const PassPiece& piece : pieces) {
        SimOp op = what;
        op.stream = piece.stream;
        op.duration = piece.duration;
        op.flow = piece.flow;
        if (piece.beside) {
            const StageOps ops = beside(stage, op, piece);
            for (const StageOps& input : inputs) {
                if (first) {
                    wait(ops, input);
                }
            }
            continue;
        }
        op.slowed = piece.stream == SimStream::Compute;
        if (piece.group && !last_[stage].empty()) {
            last_[stage] = meet(stage, *piece.group, last_[stage]);
        }
        const StageOps ops = add(stage, op);
        if (first) {
            for (const StageOps& input : inputs) {
                wait(ops, input);
            }
        }
        first = false;
        follow(stage, ops);
    }
    return last_[stage];
}

}  // namespace fabricast
