#include "planner/memory/engines/torch/fsdp1_engine.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace fabricast {

namespace {

constexpr std::int16_t kUnshardPool = 1;
constexpr std::int16_t kCastPool = 2;
constexpr std::int16_t kFlatReducePool = 3;
/// use_orig_params starts every weight at a multiple of this many bytes.
constexpr std::int64_t kFlatAlignment = 16;

std::size_t unitIndex(int id) {
    return static_cast<std::size_t>(id);
}

std::int64_t roundUp(std::int64_t value, std::int64_t step) {
    return (value + step - 1) / step * step;
}

}  // namespace

Fsdp1Engine::Fsdp1Engine(Device& device, const std::vector<Unit>& units, Fsdp1Options options)
    : device_(device), options_(options) {
    for (const Unit& unit : units) {
        flats_.push_back(flatten(unit));
    }
}

/// Weights one after another, with gaps; the optimizer steps what lies in this rank's shard.
Fsdp1Engine::Flat Fsdp1Engine::flatten(const Unit& unit) const {
    const std::int64_t step =
        options_.originalParameters ? kFlatAlignment / options_.computeWidth : 1;
    Flat flat;
    std::vector<std::pair<std::int64_t, std::int64_t>> extents;
    for (const WeightUse& use : unit.weights) {
        if (!use.tied) {
            const std::int64_t begin = roundUp(flat.elements, step);
            flat.elements = begin + use.elements;
            extents.emplace_back(begin, flat.elements);
        }
    }
    flat.shard = (flat.elements + options_.shards - 1) / options_.shards;
    if (options_.originalParameters) {  // padded inside the flat parameter, else beside it
        flat.elements = flat.shard * options_.shards;
    } else {
        extents = {{0, flat.elements}};
    }
    const std::int64_t first = options_.rank * flat.shard;
    for (const auto& [begin, end] : extents) {
        const std::int64_t mine = std::min(end, first + flat.shard) - std::max(begin, first);
        if (mine > 0) {
            flat.tensors.push_back({.elements = mine, .width = options_.storedWidth});
        }
    }
    flat.gradients.assign(unit.weights.size(), kNoStorage);
    return flat;
}

void Fsdp1Engine::drop(Storage& storage) {
    if (storage != kNoStorage) {
        device_.release(storage);
        storage = kNoStorage;
    }
}

/// With original parameters the flat gradients outlive zero_grad(), until the next forward.
void Fsdp1Engine::holdStates() {
    if (options_.offload) {
        return;
    }
    for (Flat& flat : flats_) {
        device_.take(
            flat.shard * options_.storedWidth, MemoryKind::Weights, 0, "sharded parameters");
        for (const StepTensor& tensor : flat.tensors) {
            device_.take(optimizerState(options_.optimizer, tensor).device, MemoryKind::Optimizer);
        }
        if (options_.originalParameters || !options_.setToNone) {
            flat.gradient = device_.take(flat.shard * options_.storedWidth, MemoryKind::Gradients);
        }
    }
    zeroed_ = options_.originalParameters && options_.setToNone;
}

/// The shard comes from the host as it is stored. Once it is cast it goes; without a cast it stays
/// beside what is gathered.
void Fsdp1Engine::fetch(Flat& flat) {
    if (!options_.offload) {
        return;
    }
    flat.fetched = device_.take(
        flat.shard * options_.storedWidth, MemoryKind::Gathered, kCastPool, "shard from the host");
    if (mixed()) {
        drop(flat.fetched);
    }
}

/// The shard is cast to the compute type, and gathered. Without shards the cast is all there is.
void Fsdp1Engine::unshard(int unit) {
    Flat& flat = flats_[unitIndex(unit)];
    if (flat.unsharded != kNoStorage) {
        return;
    }
    const std::int64_t width = options_.computeWidth;
    Storage cast = kNoStorage;
    if (mixed()) {
        cast = device_.take(flat.shard * width, MemoryKind::Gathered, kCastPool, "cast shard");
    }
    fetch(flat);
    if (!sharded()) {
        flat.unsharded = cast;
        return;
    }
    flat.unsharded = device_.take(flat.shard * options_.shards * width,
                                  MemoryKind::Gathered,
                                  kUnshardPool,
                                  "unsharded parameters");
    drop(cast);
}

void Fsdp1Engine::reshard(int unit, bool free) {
    if (free || !sharded()) {
        drop(flats_[unitIndex(unit)].unsharded);
        drop(flats_[unitIndex(unit)].fetched);
    }
}

void Fsdp1Engine::dropGradients() {
    for (Flat& flat : flats_) {
        drop(flat.gradient);
    }
}

void Fsdp1Engine::beginForward() {
    if (zeroed_) {
        dropGradients();
        zeroed_ = false;
    }
    forwardOrder_.clear();
    if (options_.rootUnit >= 0) {
        beforeForward(options_.rootUnit);
    }
}

/// What an evaluation left gathered of the root goes before it is gathered as it is stored.
void Fsdp1Engine::beginSaving() {
    if (zeroed_) {
        dropGradients();
        zeroed_ = false;
    }
    for (Flat& flat : flats_) {
        if (sharded()) {
            drop(flat.unsharded);
        }
    }
}

void Fsdp1Engine::beforeForward(int unit) {
    unshard(unit);
    if (options_.forwardPrefetch && unitIndex(unit) + 1 < flats_.size()) {
        unshard(unit + 1);
    }
}

/// The root keeps its parameters: backward begins with them.
void Fsdp1Engine::afterForward(int unit) {
    forwardOrder_.push_back(unit);
    flats_[unitIndex(unit)].awaitsBackward = true;
    reshard(unit, options_.reshardAfterForward && unit != options_.rootUnit);
}

void Fsdp1Engine::endForward() {
    if (options_.rootUnit >= 0) {
        afterForward(options_.rootUnit);
    }
}

/// Gathers what ran just before this unit in forward, which is next in backward.
void Fsdp1Engine::prefetch(int unit) {
    const auto here = std::find(forwardOrder_.begin(), forwardOrder_.end(), unit);
    if (here != forwardOrder_.begin() && here != forwardOrder_.end() &&
        flats_[unitIndex(*(here - 1))].awaitsBackward) {
        unshard(*(here - 1));
    }
}

void Fsdp1Engine::beforeBackward(int unit) {
    unshard(unit);
    flats_[unitIndex(unit)].awaitsBackward = false;
    if (options_.backwardPrefetch == BackwardPrefetch::Pre) {
        prefetch(unit);
    }
}

void Fsdp1Engine::takeGradient(int unit, int weight, Storage gradient) {
    device_.rename(gradient, MemoryKind::Gradients);
    flats_[unitIndex(unit)].gradients[unitIndex(weight)] = gradient;
}

/// The weights are views of the flat parameter, so autograd joins their gradients into one.
Storage Fsdp1Engine::flattenGradients(Flat& flat) {
    const Storage joined = device_.take(flat.elements * options_.computeWidth,
                                        MemoryKind::Gradients,
                                        kUnshardPool,
                                        "flat gradient");
    for (Storage& gradient : flat.gradients) {
        drop(gradient);
    }
    return joined;
}

void Fsdp1Engine::postBackward(int unit) {
    Flat& flat = flats_[unitIndex(unit)];
    Storage gradient = flattenGradients(flat);
    Storage& sum = sharded() ? flat.accumulated : flat.gradient;
    if (sum != kNoStorage) {  // added in place
        drop(gradient);
        std::swap(gradient, sum);
    }
    reshard(unit, sync_ || options_.reshardAfterForward);
    if (options_.backwardPrefetch == BackwardPrefetch::Post) {
        prefetch(unit);
    }
    if (!sync_) {
        sum = gradient;
    } else if (sharded()) {
        reduceScatter(flat, gradient);
    } else {
        allReduce(flat, gradient);
    }
}

/// The unsharded gradient stays until its shard is there, in the type of the stored parameters.
void Fsdp1Engine::reduceScatter(Flat& flat, Storage gradient) {
    const std::int64_t width = options_.reduceWidth;
    Storage cast = kNoStorage;
    if (width != options_.computeWidth) {
        cast = device_.take(
            flat.elements * width, MemoryKind::Communication, kFlatReducePool, "cast gradient");
    }
    Storage padded = kNoStorage;
    if (const std::int64_t whole = flat.shard * options_.shards; whole > flat.elements) {
        padded = device_.take(
            whole * width, MemoryKind::Communication, kFlatReducePool, "padded gradient");
    }
    Storage shard = device_.take(flat.shard * width, MemoryKind::Gradients, kFlatReducePool);
    if (width != options_.storedWidth) {
        const Storage stored =
            device_.take(flat.shard * options_.storedWidth, MemoryKind::Gradients, kFlatReducePool);
        drop(shard);
        shard = stored;
    }
    if (flat.gradient == kNoStorage && !options_.offload) {
        flat.gradient = shard;
    } else {
        drop(shard);  // added in place, or on the host
    }
    drop(padded);
    drop(cast);
    drop(gradient);
}

/// NO_SHARD reduces the whole gradient in place, cast to the wire and back.
void Fsdp1Engine::allReduce(Flat& flat, Storage gradient) {
    std::int64_t width = device_.bytes(gradient) / std::max<std::int64_t>(1, flat.elements);
    for (const std::int64_t next : {options_.reduceWidth, options_.storedWidth}) {
        if (next != width) {
            const Storage cast = device_.take(
                flat.elements * next, MemoryKind::Gradients, kFlatReducePool, "flat gradient");
            drop(gradient);
            gradient = cast;
            width = next;
        }
    }
    flat.gradient = gradient;
}

void Fsdp1Engine::afterBackward(int unit) {
    postBackward(unit);
}

/// Whole gradients that the host takes stay until all are copied; shards went one by one.
void Fsdp1Engine::endBackward() {
    if (options_.rootUnit >= 0) {
        postBackward(options_.rootUnit);
    }
    if (options_.offload && sync_) {
        dropGradients();
    }
}

/// The stored shards, gradients of the same type, and what the optimizer keeps.
HostMemory Fsdp1Engine::host() const {
    HostMemory memory;
    for (const Flat& flat : flats_) {
        if (!options_.offload) {
            break;
        }
        const std::int64_t shard = flat.shard * options_.storedWidth;
        memory.bytes += 2 * shard;
        memory.pinned += 2 * pinnedBlock(shard);
        for (const StepTensor& tensor : flat.tensors) {
            const StateBytes state = optimizerState(options_.optimizer, tensor);
            memory.bytes += state.device + state.host;
        }
    }
    return memory;
}

void Fsdp1Engine::optimizerStep() {
    if (options_.offload) {
        return;
    }
    std::vector<StepTensor> tensors;
    for (const Flat& flat : flats_) {
        tensors.insert(tensors.end(), flat.tensors.begin(), flat.tensors.end());
    }
    device_.release(
        device_.take(stepTemporaries(options_.optimizer, tensors), MemoryKind::Optimizer));
    if (options_.setToNone && !options_.originalParameters) {
        dropGradients();
    }
    zeroed_ = options_.setToNone && options_.originalParameters;
}

void Fsdp1Engine::beginMicroStep(std::int64_t index, std::int64_t count) {
    sync_ = options_.syncEachMicroStep || index + 1 == count;
}

}  // namespace fabricast
