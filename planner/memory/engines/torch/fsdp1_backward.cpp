#include "planner/memory/engines/torch/fsdp1_engine.h"

#include <algorithm>
#include <utility>

namespace fabricast {

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
