#include "planner/memory/walk/step_walk.h"

#include <algorithm>
#include <utility>

namespace fabricast {

namespace {

constexpr std::int64_t kScalarLoss = 4;
/// Numbers of modules around the segments are negative: the model, its body, the rotary tables.
constexpr int kModelModule = -1;
constexpr int kRotaryModule = -3;

}  // namespace

StepWalk::StepWalk(Device& device,
                   ParallelEngine& engine,
                   const StageProgram& program,
                   bool autocast)
    : device_(device), engine_(engine), program_(program), casts_(device), walk_(device, engine) {
    if (autocast) {
        walk_.useCasts(&casts_);
    }
}

std::vector<Storage> StepWalk::given(const PlacedSegment& segment,
                                     Storage input,
                                     const Pass& pass) const {
    std::vector<Storage> storages{input};
    if (!segment.place.ops->externals.empty()) {
        storages.insert(storages.end(), pass.tables.begin(), pass.tables.end());
    }
    return storages;
}

/// Modules around the segments have no weights of their own, but engines see them pass.
void StepWalk::enterAround(int module, bool inBackward) {
    if (engine_.watchesModules()) {
        engine_.enterModule(callAround(module), inBackward);
    }
}

/// The modules around all segments have no weights, but for a head that the model reads itself.
ModuleCall StepWalk::callAround(int module) const {
    ModuleCall call{.module = module};
    if (module == kModelModule && program_.rootHead >= 0) {
        call.unit = program_.rootUnit;
        call.weights = {program_.rootHead};
    }
    return call;
}

/// The shared tables that are arguments of a segment: a checkpoint keeps them.
std::vector<Storage> StepWalk::tablesOf(const PlacedSegment& segment, const Pass& pass) {
    std::vector<Storage> tables;
    const TensorIds& externals = segment.place.ops->externals;
    for (std::size_t table = 0; table < externals.size(); ++table) {
        if (externals[table] != kNoTensor) {
            tables.push_back(pass.tables[table]);
        }
    }
    return tables;
}

void StepWalk::releaseTables(const Pass& pass) {
    for (const Storage table : pass.tables) {
        device_.release(table);
    }
}

/// A checkpoint saves its input as a node of autograd does.
void StepWalk::keepInput(Storage input, Pass& pass) {
    if (!savesOnHost_) {
        pass.inputs.back() = input;
        return;
    }
    pass.packed.back() = device_.bytes(input);
    walk_.packInput(input);
}

/// A segment has run: who keeps what it read.
void StepWalk::leaveInput(Storage input, const PlacedSegment& segment, Pass& pass) {
    if (!keepsGraph_) {
        walk_.freeGraph(pass.frames.back().untilFreed);
    }
    if (segment.role == SegmentRole::Loss && (program_.keepsLogits || !keepsGraph_)) {
        pass.logits = input;
    } else if (keepsGraph_ && segment.opensCheckpoint && keepOf(segment) != Keep::Everything) {
        keepInput(input, pass);
        for (const Storage table : tablesOf(segment, pass)) {
            device_.retain(table);
        }
    } else if (input != kNoStorage) {
        device_.release(input);
    }
}

void StepWalk::drop(Storage& storage) {
    if (storage != kNoStorage) {
        device_.release(storage);
        storage = kNoStorage;
    }
}

StepWalk::Pass StepWalk::forward(int chunk, Storage received) {
    Pass pass;
    pass.chunk = chunk;
    engine_.beginForward();
    for (int wrapper = 1; wrapper <= program_.wrappers; ++wrapper) {
        enterAround(-wrapper, false);
    }
    walk_.report(MemoryKind::Activations);
    for (const std::int64_t bytes : program_.tables) {
        pass.tables.push_back(program_.tablesPersist
                                  ? device_.take(0, MemoryKind::Buffers)
                                  : device_.take(bytes, MemoryKind::Activations));
    }
    const StageChunk& mine = program_.chunks[static_cast<std::size_t>(chunk)];
    pass.frames.reserve(mine.end - mine.begin);
    pass.inputs.reserve(mine.end - mine.begin);
    pass.packed.reserve(mine.end - mine.begin);
    Storage x = received;
    bool left = false;
    bool tablesNamed = true;  // by the model's body
    for (std::size_t i = mine.begin; i < mine.end; ++i) {
        const PlacedSegment& segment = program_.segments[i];
        device_.at("forward of ", segment.name);
        if (segment.role == SegmentRole::Loss && !program_.lossInsideForward) {
            engine_.endForward();
            left = true;
        }
        if (segment.opensUnit) {
            engine_.beforeForward(segment.place.unit);
        }
        if (segment.role == SegmentRole::Head || segment.role == SegmentRole::Loss) {
            if (program_.embeddingName != EmbeddingName::ForForward) {
                drop(pass.embedded);
            }
            if (tablesNamed) {
                releaseTables(pass);
                tablesNamed = false;
            }
        }
        if (segment.role == SegmentRole::Head && program_.lossInsideForward) {
            device_.retain(x);  // the model's forward has a name for its last hidden states
            pass.hidden = x;
        }
        const Keep keep = keepOf(segment);
        walk_.passHost(passesHead_ && segment.role == SegmentRole::Head);
        pass.frames.push_back(walk_.forward(segment.place, given(segment, x, pass), keep));
        pass.inputs.push_back(kNoStorage);
        pass.packed.push_back(0);
        if (segment.role == SegmentRole::Embedding && program_.rotaryModule) {
            enterAround(kRotaryModule, false);
        }
        const Storage out = outputOf(*segment.place.ops, pass.frames.back());
        if (segment.role == SegmentRole::Embedding &&
            program_.embeddingName != EmbeddingName::None) {
            device_.retain(out);
            pass.embedded = out;
        }
        leaveInput(x, segment, pass);
        x = out;
        if (segment.closesUnit) {
            engine_.afterForward(segment.place.unit);
        }
        commitForward(segment, pass);
    }
    if (engine_.watchesModules() && program_.rootHead >= 0) {
        engine_.leaveModule(callAround(kModelModule), false);
    }
    if (!left) {
        engine_.endForward();
    }
    casts_.clear();
    drop(pass.embedded);
    drop(pass.hidden);
    if (tablesNamed) {
        releaseTables(pass);
    }
    pass.output = x;
    if (mine.sentBytes == 0 && program_.chunkedHead.chunks > 0) {
        pass.output = chunkedLoss(x);
        device_.release(x);
    }
    return pass;
}

/// Head, loss and their backward for one slice of the sequence after another; what is left is the
/// gradient of the hidden states. The caller's variable holds a slice's logits until the next.
Storage StepWalk::chunkedLoss(Storage hidden) {
    const ChunkedHead& chunked = program_.chunkedHead;
    device_.at("chunked loss");
    const Storage copies = device_.take(chunked.copyBytes, MemoryKind::Loss);
    const Storage accumulator = device_.take(chunked.accumulatorBytes, MemoryKind::Loss);
    engine_.beforeHeadChunks(chunked.head.unit);
    Storage logits = kNoStorage;
    for (std::int64_t chunk = 0; chunk < chunked.chunks; ++chunk) {
        Frame head = walk_.forward(chunked.head, {hidden}, Keep::Everything);
        if (logits != kNoStorage) {
            device_.release(logits);
        }
        logits = outputOf(*chunked.head.ops, head);
        Frame loss = walk_.forward(chunked.loss, {logits}, Keep::Everything);
        device_.release(outputOf(*chunked.loss.ops, loss));
        const Storage scalar = device_.take(kScalarLoss, MemoryKind::Backward);
        const Storage logitsGradient = walk_.backward(chunked.loss, loss, scalar);
        const Storage sliceGradient = walk_.backward(chunked.head, head, logitsGradient);
        engine_.afterHeadChunk(chunked.head.unit, chunk + 1 == chunked.chunks);
        device_.release(sliceGradient);
    }
    device_.release(logits);
    const Storage gradient = device_.take(chunked.gradientBytes, MemoryKind::Backward);
    device_.release(accumulator);
    device_.release(copies);
    return gradient;
}

/// The layers of a checkpoint run again, from the input of the first. The function's variables keep
/// the result and the gradient until backward has left all of them.
void StepWalk::runCheckpoint(std::size_t last, Storage input, Pass& pass, Storage gradient) {
    const std::size_t begin = program_.chunks[static_cast<std::size_t>(pass.chunk)].begin;
    std::size_t first = last;
    while (!program_.segments[first].opensCheckpoint) {
        --first;
    }
    Storage x = first == last ? input : pass.inputs[first - begin];
    for (std::size_t segment = first; segment <= last; ++segment) {
        const PlacedSegment& placed = program_.segments[segment];
        Frame& frame = pass.frames[segment - begin];
        frame = walk_.again(placed.place, {given(placed, x, pass), true}, std::move(frame));
        if (segment > first) {
            device_.release(x);
        }
        x = outputOf(*placed.place.ops, frame);
    }
    device_.retain(gradient);
    pass.variables = {x, gradient};
}

Storage StepWalk::backwardSegment(std::size_t segment, Pass& pass, Storage gradient) {
    const std::size_t begin = program_.chunks[static_cast<std::size_t>(pass.chunk)].begin;
    const PlacedSegment& placed = program_.segments[segment];
    device_.at("backward of ", placed.name);
    commitBackward(placed, pass);
    // Without a gradient no hook of backward runs: nothing is trained here or before.
    const bool reached = gradient != kNoStorage;
    if (placed.closesUnit && reached) {
        engine_.beforeBackward(placed.place.unit);
    }
    Frame& frame = pass.frames[segment - begin];
    Storage input = pass.inputs[segment - begin];
    const std::int64_t packed = pass.packed[segment - begin];
    if (packed > 0) {
        input = walk_.unpackInput(packed);
    }
    const bool checkpointed = keepFor(placed.checkpoint) != Keep::Everything;
    const SecondForward second{given(placed, input, pass),
                               placed.reentrant || !placed.place.ops->blocks.empty(),
                               packed > 0};
    if (checkpointed && placed.reentrant && placed.closesCheckpoint) {
        runCheckpoint(segment, input, pass, gradient);
    }
    const bool waits = checkpointed && !placed.reentrant;
    const Storage passed = walk_.backward(placed.place, frame, gradient, waits ? &second : nullptr);
    if (placed.reentrant && input != kNoStorage) {
        walk_.attributes().assignGraph(
            {placed.place.identity}, placed.place.ops->input, input, passed);
    }
    if (placed.opensCheckpoint) {
        releaseAll(pass.variables);
    }
    if (input != kNoStorage) {
        if (packed == 0) {
            device_.release(input);
        }
        for (const Storage table : tablesOf(placed, pass)) {
            device_.release(table);
        }
    }
    // A module whose input has no gradient is left at the end of backward.
    const bool first = placed.place.ops->input == kNoTensor;
    if (placed.opensUnit && (first || passed != kNoStorage)) {
        engine_.afterBackward(placed.place.unit);
    }
    return passed;
}

Storage StepWalk::backward(Pass pass, Storage received) {
    device_.at("backward");
    const StageChunk& mine = program_.chunks[static_cast<std::size_t>(pass.chunk)];
    const bool last = mine.sentBytes == 0;
    Storage gradient = received;
    if (last && program_.chunkedHead.chunks > 0) {
        gradient = pass.output;
    } else if (last) {
        gradient = device_.take(kScalarLoss, MemoryKind::Backward);
        device_.release(pass.output);
    }
    if (program_.rootUnit >= 0 && (program_.lossInsideForward || !last)) {
        engine_.beforeBackward(program_.rootUnit);
    }
    enterAround(kModelModule, true);
    for (std::size_t segment = mine.end; segment-- > mine.begin;) {
        if (program_.segments[segment].role == SegmentRole::Norm && program_.wrappers > 1) {
            enterAround(-program_.wrappers, true);  // the body's output is the norm's
        }
        gradient = backwardSegment(segment, pass, gradient);
        if (program_.segments[segment].role == SegmentRole::Loss && program_.rootUnit >= 0 &&
            !program_.lossInsideForward) {
            engine_.beforeBackward(program_.rootUnit);
        }
    }
    if (pass.logits != kNoStorage) {
        device_.release(pass.logits);
    }
    device_.at("end of backward");
    walk_.endBackward();
    for (Frame& frame : pass.frames) {
        walk_.freeGraph(frame.untilFreed);
    }
    engine_.endBackward();
    return gradient;
}

}  // namespace fabricast
