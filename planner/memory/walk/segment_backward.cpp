#include "planner/memory/walk/gradients_in_flight.h"
#include "planner/memory/walk/saved_values.h"
#include "planner/memory/walk/segment_walk.h"

#include <algorithm>

namespace fabricast {

void SegmentWalk::releaseSaved(const OpList& ops, const Op& op, Frame& frame) {
    if (op.graphDropped || frame.onHost) {
        return;
    }
    const bool moved = !frame.back.empty();
    for (const TensorId id : op.saved) {
        if (!moved || std::ranges::find(op.toHost, id) == op.toHost.end()) {
            device_.release(frame.storage[index(ops.tensor(id).base)]);
        }
    }
    if (moved) {
        for (const Storage storage : frame.back[static_cast<std::size_t>(&op - ops.ops.data())]) {
            device_.release(storage);
        }
    }
    for (const int weight : op.weights) {
        Storage& cast = frame.casts[index(weight)];
        if (cast != kNoStorage) {
            device_.release(cast);
            cast = kNoStorage;
        }
    }
}

/// The gradients, in order, of what the operation read, made or, where it only passes its own on,
/// shared.
Storages SegmentWalk::makeInputGradients(const OpList& list,
                                         const Op& op,
                                         const Storages& outputs,
                                         const Frame& frame) {
    Storages made;
    for (const TensorId id : op.inputs) {
        const TensorInfo& tensor = list.tensor(id);
        if (!tensor.requiresGrad) {
            continue;
        }
        const std::size_t own = op.inPlaceBackward ? made.size() : 0;
        const Storage output = outputs[std::min(own, outputs.size() - 1)];
        const bool fits = op.viewsGradient || device_.bytes(output) == tensor.bytes;
        if ((op.passesGradient || op.inPlaceBackward) && fits) {
            device_.retain(output);
            made.push_back(output);
        } else {
            made.push_back(makeInputGradient(list, op, id, frame));
        }
    }
    return made;
}

/// Runs an operation's backward; returns the gradients of its weights.
Storages SegmentWalk::backwardOp(const SegmentPlace& place,
                                 std::size_t op,
                                 Frame& frame,
                                 Gradients& gradients) {
    const OpList& list = *place.ops;
    const Op& now = list.ops[op];
    device_.running(now.name);
    Storages outputs;
    for (const TensorId id : now.outputs) {
        if (gradients.of[index(id)] != kNoStorage) {
            outputs.push_back(gradients.of[index(id)]);
            gradients.of[index(id)] = kNoStorage;
        }
    }
    if (outputs.empty()) {
        if (!now.inPython) {
            releaseSaved(list, now, frame);
        }
        return {};
    }
    Storages casts;  // that a function in Python holds
    Storages temps;
    if (frame.onHost) {
        temps = unpack(place, op, frame);
    }
    for (const std::int64_t bytes : now.backwardTemps) {
        temps.push_back(device_.take(bytes, MemoryKind::Backward));
    }
    const bool letsGo = now.narrowsGradient && frame.recomputed;
    if (letsGo) {
        releaseSaved(list, now, frame);
    }
    const auto cast = [&](std::int64_t bytes) {
        if (now.inPython) {
            casts.push_back(device_.take(bytes, MemoryKind::Workspace));
        } else {
            device_.pass(bytes, MemoryKind::Workspace);
        }
    };
    cast(now.castsBeforeInput);
    const Storages made = makeInputGradients(list, now, outputs, frame);
    cast(now.castsBeforeWeight);
    const Storages weightGradients = makeWeightGradients(place, now, frame);
    const bool letsGoEarly = !letsGo && !now.inPython && frame.recomputed && now.sumBytes > 0;
    if (letsGoEarly) {
        releaseSaved(list, now, frame);
    }
    device_.pass(now.sumBytes, MemoryKind::Workspace);
    if (now.inPython) {
        for (std::size_t held = casts.size(); held-- > 0;) {
            device_.release(casts[held]);
        }
    } else if (!letsGo && !letsGoEarly) {
        releaseSaved(list, now, frame);
    }
    for (const Storage temp : temps) {
        device_.release(temp);
    }
    for (const Storage gradient : outputs) {
        device_.release(gradient);
    }
    std::size_t next = 0;
    for (const TensorId id : now.inputs) {
        if (list.tensor(id).requiresGrad) {
            gradients.add(device_, id, made[next++], now.viewsGradient);
        }
    }
    return weightGradients;
}

/// True where autocast cast the input of GEMM `op` just before it, after its weight. Autograd runs
/// backward in the reverse order: the input's gradient is cast back first.
bool castsInputOf(const OpList& list, std::size_t op) {
    if (op == 0 || list.ops[op].kind != OpKind::Gemm) {
        return false;
    }
    const Op& before = list.ops[op - 1];
    return before.name == "cast" && before.outputs.front() == list.ops[op].inputs.front();
}

Storage SegmentWalk::makeInputGradient(const OpList& list,
                                       const Op& op,
                                       TensorId id,
                                       const Frame& frame) {
    if (!op.gradientsOver.empty()) {
        const auto* const input = std::find(op.inputs.begin(), op.inputs.end(), id);
        const TensorId over = op.gradientsOver[static_cast<std::size_t>(input - op.inputs.begin())];
        const Storage written = frame.storage[index(list.tensor(over).base)];
        device_.retain(written);
        return written;
    }
    const std::int64_t bytes = op.gradientInScratch ? 0 : list.tensor(id).bytes;
    const Storage made = device_.take(bytes, MemoryKind::Backward);
    if (op.kind == OpKind::Gemm) {
        device_.pass(kGemmWorkspace, MemoryKind::Workspace);
    }
    return made;
}

Storage SegmentWalk::runBackward(const SegmentPlace& place,
                                 Frame& frame,
                                 Storage outputGradient,
                                 const SecondForward* second) {
    frame.fillIn();
    const OpList& list = *place.ops;
    Gradients gradients(list.tensors.size());
    gradients.of[index(list.output)] = outputGradient;
    for (std::size_t op = list.ops.size(); op-- > 0;) {
        modules_.beforeBackward(place, op);
        if (second != nullptr && savesTensors(list, list.ops[op])) {
            runAgain(place, *second, frame);
            second = nullptr;
        }
        if (list.ops[op].recomputes >= 0) {
            runBlock(place, list.ops[op].recomputes, frame, gradients);
        }
        Storages made = backwardOp(place, op, frame, gradients);
        const std::size_t owner = op;
        if (casts_ != nullptr && castsInputOf(list, op)) {
            backwardOp(place, --op, frame, gradients);
        }
        if (frame.onHost) {
            hostSaves_->add(-frame.packed[owner].bytes);
        }
        if (second == nullptr) {
            aside_.endNode();
        }
        finishCasts(place, list.ops[owner], frame, made);
        deliver(place, list.ops[owner], made);
        finishBlock(place, op, frame, gradients);
        modules_.afterBackward(place, op);
    }
    return list.input == kNoTensor ? kNoStorage : gradients.of[index(list.input)];
}

void SegmentWalk::dropFrame(const OpList& ops, Frame& frame) {
    for (const Op& op : ops.ops) {
        releaseSaved(ops, op, frame);
    }
}

}  // namespace fabricast
