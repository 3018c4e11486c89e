#include "planner/memory/engines/torch/fsdp1_engine.h"

#include "planner/base/integers.h"

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

}  // namespace

Fsdp1Engine::Fsdp1Engine(Device& device, const std::vector<Unit>& units, Fsdp1Options options)
    : device_(device), options_(options) {
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
        addUnit(static_cast<int>(unit), units[unit].weights);
    }
}

/// The unit's own flat parameter, then those of the modules inside it.
void Fsdp1Engine::addUnit(int unit, const std::vector<WeightUse>& weights) {
    std::vector<WeightUse> own;
    std::vector<int> wrapped;
    for (std::size_t weight = 0; weight < weights.size(); ++weight) {
        if (options_.wrapsTrained && weights[weight].trained) {
            wrapped.push_back(static_cast<int>(weight));
        } else {
            own.push_back(weights[weight]);
        }
    }
    units_.push_back(flats_.size());
    flats_.push_back(flatten(own));
    flats_.back().isRoot = unit == options_.rootUnit;
    flats_.back().trained = !options_.wrapsTrained;
    flats_.back().gradients.assign(weights.size(), kNoStorage);
    for (const int weight : wrapped) {
        wrapped_[{unit, weight}] = flats_.size();
        flats_.push_back(flatten({weights[static_cast<std::size_t>(weight)]}));
    }
}

/// Weights one after another, with gaps; the optimizer steps what lies in this rank's shard. Codes
/// of 4 bits lie in numbers of the type that is gathered.
Fsdp1Engine::Flat Fsdp1Engine::flatten(const std::vector<WeightUse>& weights) const {
    const std::int64_t step =
        options_.originalParameters ? kFlatAlignment / options_.computeWidth : 1;
    Flat flat;
    flat.storedWidth = options_.storedWidth;
    std::vector<std::pair<std::int64_t, std::int64_t>> extents;
    for (const WeightUse& use : weights) {
        if (!use.tied) {
            const std::int64_t begin = roundUp(flat.elements, step);
            flat.storedWidth = use.widthOr(options_.storedWidth);
            flat.elements =
                begin + (use.codeBytes > 0 ? ceilDivide(use.codeBytes, use.width) : use.elements);
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
            flat.tensors.push_back({.elements = mine, .width = flat.storedWidth});
        }
    }
    flat.gradients.assign(1, kNoStorage);
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
    device_.take(options_.scaleBytes, MemoryKind::Weights, 0, "scales of 4-bit weights");
    if (options_.offload) {
        return;
    }
    for (Flat& flat : flats_) {
        device_.take(flat.shard * flat.storedWidth, MemoryKind::Weights, 0, "sharded parameters");
        if (!flat.trained) {
            continue;
        }
        for (const StepTensor& tensor : flat.tensors) {
            device_.take(optimizerState(options_.optimizer, tensor).device, MemoryKind::Optimizer);
        }
        if (options_.originalParameters || !options_.setToNone) {
            flat.gradient = device_.take(flat.shard * flat.storedWidth, MemoryKind::Gradients);
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
        flat.shard * flat.storedWidth, MemoryKind::Gathered, kCastPool, "shard from the host");
    if (mixed(flat)) {
        drop(flat.fetched);
    }
}

/// The shard is cast to the compute type, and gathered. Without shards the cast is all there is.
void Fsdp1Engine::unshard(FlatId id) {
    Flat& flat = flats_[id];
    if (flat.unsharded != kNoStorage) {
        return;
    }
    const std::int64_t width = options_.computeWidth;
    Storage cast = kNoStorage;
    if (mixed(flat)) {
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

void Fsdp1Engine::reshard(Flat& flat, bool free) {
    if (free || !sharded()) {
        drop(flat.unsharded);
        drop(flat.fetched);
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

void Fsdp1Engine::preForward(FlatId id) {
    unshard(id);
    if (options_.forwardPrefetch && id + 1 < flats_.size()) {
        unshard(id + 1);
    }
}

/// The root keeps its parameters: backward begins with them.
void Fsdp1Engine::postForward(FlatId id) {
    Flat& flat = flats_[id];
    forwardOrder_.push_back(id);
    flat.awaitsBackward = true;
    reshard(flat, options_.reshardAfterForward && !flat.isRoot);
}

void Fsdp1Engine::beforeForward(int unit) {
    preForward(flatOf(unit));
}

void Fsdp1Engine::afterForward(int unit) {
    postForward(flatOf(unit));
}

std::vector<Fsdp1Engine::FlatId> Fsdp1Engine::wrappedIn(const ModuleCall& call) const {
    std::vector<FlatId> found;
    for (const int weight : call.weights) {
        if (const auto flat = wrapped_.find({call.unit, weight}); flat != wrapped_.end()) {
            found.push_back(flat->second);
        }
    }
    return found;
}

/// A forward that is computed again leaves alone what backward has gathered already.
void Fsdp1Engine::enterModule(const ModuleCall& call, bool inBackward) {
    for (const FlatId id : wrappedIn(call)) {
        if (inBackward) {
            preBackward(id);
        } else if (!flats_[id].inBackward) {
            preForward(id);
        }
    }
}

void Fsdp1Engine::leaveModule(const ModuleCall& call, bool inBackward) {
    for (const FlatId id : wrappedIn(call)) {
        if (!inBackward && !flats_[id].inBackward) {
            postForward(id);
        }
    }
}

void Fsdp1Engine::endForward() {
    if (options_.rootUnit >= 0) {
        afterForward(options_.rootUnit);
    }
}

/// Gathers what ran just before this module in forward, which is next in backward.
void Fsdp1Engine::prefetch(FlatId id) {
    const auto here = std::find(forwardOrder_.begin(), forwardOrder_.end(), id);
    if (here != forwardOrder_.begin() && here != forwardOrder_.end() &&
        flats_[*(here - 1)].awaitsBackward) {
        unshard(*(here - 1));
    }
}

void Fsdp1Engine::preBackward(FlatId id) {
    unshard(id);
    flats_[id].awaitsBackward = false;
    flats_[id].inBackward = true;
    if (options_.backwardPrefetch == BackwardPrefetch::Pre) {
        prefetch(id);
    }
}

void Fsdp1Engine::beforeBackward(int unit) {
    preBackward(flatOf(unit));
}

/// A module that is wrapped by itself has its whole gradient at once.
void Fsdp1Engine::takeGradient(int unit, int weight, Storage gradient) {
    device_.rename(gradient, MemoryKind::Gradients);
    if (const auto own = wrapped_.find({unit, weight}); own != wrapped_.end()) {
        flats_[own->second].gradients.front() = gradient;
        postBackward(own->second);
    } else {
        flats_[flatOf(unit)].gradients[static_cast<std::size_t>(weight)] = gradient;
    }
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

void Fsdp1Engine::postBackward(FlatId id) {
    Flat& flat = flats_[id];
    flat.inBackward = false;
    const bool free = sync_ || options_.reshardAfterForward;
    if (!flat.trained) {
        reshard(flat, free);
        return;
    }
    Storage gradient = flattenGradients(flat);
    Storage& sum = sharded() ? flat.accumulated : flat.gradient;
    if (sum != kNoStorage) {  // added in place
        drop(gradient);
        std::swap(gradient, sum);
    }
    reshard(flat, free);
    if (options_.backwardPrefetch == BackwardPrefetch::Post) {
        prefetch(id);
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
    if (width != flat.storedWidth) {
        const Storage stored =
            device_.take(flat.shard * flat.storedWidth, MemoryKind::Gradients, kFlatReducePool);
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
    for (const std::int64_t next : {options_.reduceWidth, flat.storedWidth}) {
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
    postBackward(flatOf(unit));
}

/// What no gradient let go of is freed. Whole gradients that the host takes stay until all are
/// copied; shards went one by one.
void Fsdp1Engine::endBackward() {
    if (options_.rootUnit >= 0) {
        postBackward(flatOf(options_.rootUnit));
    }
    for (Flat& flat : flats_) {
        reshard(flat, sync_ || options_.reshardAfterForward);
    }
    if (options_.offload && sync_) {
        dropGradients();
    }
}

/// The stored shards, gradients of the same type whether trained or not, and what the optimizer
/// keeps.
HostMemory Fsdp1Engine::host() const {
    HostMemory memory;
    for (const Flat& flat : flats_) {
        if (!options_.offload) {
            break;
        }
        const std::int64_t shard = flat.shard * flat.storedWidth;
        memory.bytes += 2 * shard;
        memory.pinned += 2 * pinnedBlock(shard);
        if (!flat.trained) {
            continue;
        }
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
        if (flat.trained) {
            tensors.insert(tensors.end(), flat.tensors.begin(), flat.tensors.end());
        }
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
