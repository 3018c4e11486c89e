#include "planner/memory/walk/step_walk.h"

#include <map>
#include <utility>
#include <vector>

namespace fabricast {

/// One step's passes: those that are alive, and what stands for microbatches that are not walked.
struct StepWalk::Alive {
    const PipelineOrder& order;
    StageBoundary& boundary;
    std::map<std::pair<int, std::int64_t>, Pass> passes;
    std::vector<std::int64_t> forwards;  ///< by chunk
    std::int64_t finished = 0;
    std::vector<Storage> held;         ///< until the step's passes are done
    std::vector<Storage> heldOutputs;  ///< until the first backward
};

void StepWalk::holdBetweenSteps(StageBoundary& boundary) {
    engine_.holdStates();
    device_.take(program_.bufferBytes, MemoryKind::Buffers);
    boundary.hold();
    device_.take(program_.inputBytes, MemoryKind::Buffers);
    for (const PlacedSegment& segment : program_.segments) {
        if (keepsAttributes(*segment.place.ops)) {
            const bool around = keepFor(segment.checkpoint) == Keep::Nothing && segment.reentrant;
            walk_.attributes().hold(*segment.place.ops, segment.place.identity, around);
        }
    }
    betweenSteps_ = device_.live();
    statesEnd_ = device_.events().size();
}

void StepWalk::runForward(const PipelineAction& action, Alive& alive) {
    const std::int64_t before = device_.live();
    Pass pass = forward(action.chunk, alive.boundary.input(action));
    const bool sent = program_.chunks[static_cast<std::size_t>(action.chunk)].sentBytes > 0;
    const std::int64_t output = sent ? device_.bytes(pass.output) : 0;
    alive.boundary.takeOutput(action, sent ? pass.output : kNoStorage);
    alive.passes.emplace(std::pair(action.chunk, action.microBatch), std::move(pass));
    const bool second = ++alive.forwards[static_cast<std::size_t>(action.chunk)] == 2;
    if (alive.order.held > 0 && second) {  // the first also took what stays for all
        const std::int64_t together = alive.boundary.keepsOutputsTogether() ? output : 0;
        const auto further = alive.order.held / static_cast<std::int64_t>(alive.forwards.size());
        const auto hold = [&](std::int64_t bytes) {
            return device_.take(
                further * bytes, MemoryKind::Activations, 0, "further microbatches");
        };
        const std::int64_t kept = device_.live() - before - together;
        alive.held.push_back(hold(kept));
        alive.heldOutputs.push_back(hold(together));
    }
}

void StepWalk::runBackward(const PipelineAction& action, Alive& alive) {
    engine_.beginMicroStep(alive.finished++,
                           static_cast<std::int64_t>(alive.order.actions.size()) / 2);
    releaseAll(alive.heldOutputs);
    const auto found = alive.passes.find({action.chunk, action.microBatch});
    const Storage received = alive.boundary.outputGradient(action);
    alive.boundary.takeInputGradient(action, backward(std::move(found->second), received));
    alive.passes.erase(found);
}

void StepWalk::releaseAll(std::vector<Storage>& storages) {
    for (const Storage storage : storages) {
        device_.release(storage);
    }
    storages.clear();
}

void StepWalk::endMark() {
    if (marks_ != nullptr) {
        marks_->actions.push_back({device_.sinceMark(), device_.markMoment(), device_.now()});
        device_.mark();
    }
}

Result<void> StepWalk::run(const PipelineOrder& order,
                           StageBoundary& boundary,
                           const Watch& watch) {
    holdBetweenSteps(boundary);
    if (marks_ != nullptr) {
        marks_->rest = device_.now();
    }
    const Storage positions = device_.take(program_.positionBytes, MemoryKind::Buffers);
    device_.at("optimizer step");  // of the step before, whose copies of gradients are still there
    if (!keepsPeak_) {
        device_.resetPeak();
    }
    if (marks_ != nullptr) {
        device_.mark();
    }
    Alive alive{.order = order,
                .boundary = boundary,
                .passes = {},
                .forwards = std::vector<std::int64_t>(program_.chunks.size()),
                .held = {},
                .heldOutputs = {}};
    for (std::size_t next = 0; next < order.actions.size(); ++next) {
        const PipelineAction& action = order.actions[next];
        FABRICAST_TRY(watch.check());
        boundary.beforeAction(next);
        if (action.forward) {
            runForward(action, alive);
        } else {
            runBackward(action, alive);
        }
        endMark();
    }
    boundary.end();
    walk_.attributes().settle();
    releaseAll(alive.held);
    device_.at("optimizer step");
    engine_.optimizerStep();
    device_.release(positions);
    endMark();
    return {};
}

}  // namespace fabricast
