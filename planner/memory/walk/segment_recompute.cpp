#include "planner/memory/walk/saved_values.h"
#include "planner/memory/walk/segment_walk.h"

#include <utility>

namespace fabricast {

/// What the op's own object holds is alive as long as the graph that the op belongs to.
void SegmentWalk::holdForGraph(const SegmentPlace& place,
                               std::size_t op,
                               const Frame& frame,
                               std::vector<Storage>& graph) {
    for (const TensorId id : place.ops->ops[op].heldByGraph) {
        graph.push_back(frame.storage[index(place.ops->tensor(id).base)]);
        device_.retain(graph.back());
    }
}

void SegmentWalk::freeGraph(std::vector<Storage>& graph) {
    for (const Storage held : graph) {
        device_.release(held);
    }
    graph.clear();
}

/// An op saves what it reads before it runs: the second forward ends there, unless the op saves
/// what it makes, or is a function in Python.
void SegmentWalk::stopAt(const SegmentPlace& place, std::size_t op, Frame& frame) {
    const OpList& list = *place.ops;
    modules_.beforeForward(place, op);
    if (list.ops[op].inPython || savesItsOutput(list, list.ops[op])) {
        runOp(place, op, frame, Keep::Everything);
    } else {
        keepWeights(place, op, frame, Keep::Everything);
        keepOutputs(place, op, frame, Keep::Everything);
        dropInputs(list, op, frame, Keep::Everything);
    }
    for (++op; op < list.ops.size(); ++op) {
        dropInputs(list, op, frame, Keep::Everything);  // names go as the forward is left
    }
}

Frame SegmentWalk::again(const SegmentPlace& place, const SecondForward& second, Frame kept) {
    const OpList& list = *place.ops;
    const MemoryKind before = std::exchange(kind_, MemoryKind::Recomputed);
    kept.fillIn();
    Frame frame = begin(place, second.given);
    frame.done = kept.done;
    frame.untilFreed = std::move(kept.untilFreed);
    frame.recomputed = true;
    for (std::size_t op = 0; op < frame.done.size(); ++op) {
        if (!frame.done[op]) {
            continue;
        }
        for (const TensorId id : list.ops[op].outputs) {
            const auto base = index(list.tensor(id).base);
            frame.storage[base] = kept.storage[base];
        }
    }
    const std::size_t stop = second.whole ? list.ops.size() : lastSavingOp(list);
    std::vector<Storage> graph;  // that of the second forward is freed with it
    for (std::size_t op = 0; op < stop; ++op) {
        modules_.beforeForward(place, op);
        holdForGraph(place, op, frame, graph);
        runOp(place, op, frame, Keep::Everything);
        modules_.afterForward(place, op);
    }
    if (stop < list.ops.size()) {
        stopAt(place, stop, frame);
    }
    freeGraph(graph);
    kind_ = before;
    if (casts_ != nullptr) {
        casts_->clear();
    }
    return frame;
}

/// Nothing outside has a name for the second output.
void SegmentWalk::runAgain(const SegmentPlace& place, const SecondForward& second, Frame& frame) {
    frame = again(place, second, std::move(frame));
    const Storage output = frame.storage[index(place.ops->tensor(place.ops->output).base)];
    if (output != kNoStorage) {
        device_.release(output);
    }
    if (second.dropsInput) {
        device_.release(second.given.front());
    }
}

}  // namespace fabricast
