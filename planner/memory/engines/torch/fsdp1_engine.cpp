#include "planner/memory/engines/torch/fsdp1_engine.h"

#include "planner/base/integers.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace fabricast {

namespace {

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

}  // namespace fabricast
