#include "planner/memory/fsdp2_engine.h"

#include <algorithm>
#include <utility>

namespace fabricast {

namespace {
constexpr int kGatherPool = 1;
constexpr int kReducePool = 2;

std::size_t at(int id) {
    return static_cast<std::size_t>(id);
}
std::int64_t share(std::int64_t elements, std::int64_t ranks) {
    return (elements + ranks - 1) / ranks;
}
}  // namespace

Fsdp2Engine::Fsdp2Engine(Device& device, std::vector<Unit> units, Fsdp2Options options)
    : device_(device), units_(std::move(units)), options_(options), states_(units_.size()) {
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
        states_[unit].gradients.assign(units_[unit].weights.size(), kNoStorage);
        states_[unit].accumulated.assign(units_[unit].weights.size(), kNoStorage);
    }
}

std::int64_t Fsdp2Engine::shardOf(const WeightUse& weight) const {
    return share(weight.elements, weight.expert ? options_.expertShards : options_.shards);
}

std::int64_t Fsdp2Engine::shardElements(int unit) const {
    const Unit& mine = units_[at(unit)];
    std::int64_t sum = 0;
    for (const WeightUse& weight : mine.weights) {
        sum += weight.tied ? 0 : shardOf(weight);
    }
    return sum;
}

/// The sharded parameters as the optimizer sees them: pieces of matrices, in the stored type or,
/// with a master copy, in fp32.
std::vector<StepTensor> Fsdp2Engine::shardTensors() const {
    const std::int64_t width =
        options_.masterWidth > 0 ? options_.masterWidth : options_.storedWidth;
    std::vector<StepTensor> tensors;
    for (const Unit& unit : units_) {
        for (const WeightUse& weight : unit.weights) {
            if (weight.trained && !weight.tied) {
                tensors.push_back({.elements = shardOf(weight), .width = width});
            }
        }
    }
    return tensors;
}

void Fsdp2Engine::holdStates() {
    std::int64_t states = 0;
    std::int64_t trained = 0;
    for (const StepTensor& tensor : shardTensors()) {
        const StateBytes kept = optimizerState(options_.optimizer, tensor);
        states += kept.device + tensor.elements * options_.masterWidth;
        hostBytes_ += kept.host;
        trained += tensor.elements;
    }
    std::int64_t parameters = 0;
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
        const std::int64_t bytes = shardElements(static_cast<int>(unit)) * options_.storedWidth;
        parameters += bytes;
        if (!options_.offload) {
            device_.take(bytes, MemoryKind::Weights, 0, "sharded parameters");
        }
    }
    if (options_.offload) {
        hostBytes_ += parameters + states + trained * options_.storedWidth;
    } else {
        device_.take(states, MemoryKind::Optimizer, 0, "optimizer state of the shards");
    }
}

void Fsdp2Engine::drop(Storage& storage) {
    if (storage != kNoStorage) {
        device_.release(storage);
        storage = kNoStorage;
    }
}

/// The shard is cast to the compute type, and gathered into one flat buffer.
void Fsdp2Engine::gather(int unit) {
    State& state = states_[at(unit)];
    const std::int64_t width = options_.computeWidth;
    Storage cast = kNoStorage;
    Storage fetched = kNoStorage;
    if (options_.offload) {
        fetched = device_.take(shardElements(unit) * options_.storedWidth,
                               MemoryKind::Gathered,
                               kGatherPool,
                               "shard from the host");
    }
    if (options_.storedWidth != width) {
        cast = device_.take(
            shardElements(unit) * width, MemoryKind::Gathered, kGatherPool, "cast shard");
    }
    state.gathered = device_.take(units_[at(unit)].elements() * width,
                                  MemoryKind::Gathered,
                                  kGatherPool,
                                  "all-gather output");
    drop(cast);
    drop(fetched);
}

void Fsdp2Engine::copyOut(int unit, bool keepGathered) {
    State& state = states_[at(unit)];
    drop(keptGather_);
    state.parameters = device_.take(units_[at(unit)].elements() * options_.computeWidth,
                                    MemoryKind::Gathered,
                                    0,
                                    "unsharded parameters");
    if (keepGathered) {
        keptGather_ = state.gathered;
        state.gathered = kNoStorage;
    } else {
        drop(state.gathered);
    }
}

void Fsdp2Engine::reshard(int unit) {
    drop(states_[at(unit)].parameters);
}

void Fsdp2Engine::beginForward() {
    forwardOrder_.clear();
    if (options_.rootUnit >= 0) {
        beforeForward(options_.rootUnit);
    }
}

void Fsdp2Engine::beforeForward(int unit) {
    if (states_[at(unit)].parameters == kNoStorage) {
        gather(unit);
        copyOut(unit, true);
    }
}

void Fsdp2Engine::afterForward(int unit) {
    forwardOrder_.push_back(unit);
    if (options_.reshardAfterForward && unit != options_.keptUnit) {
        reshard(unit);
    }
}

void Fsdp2Engine::endForward() {
    if (options_.rootUnit >= 0) {
        afterForward(options_.rootUnit);
    }
    drop(keptGather_);
}

/// Parameters are gathered if they are not there yet, and the next unit's all-gather is issued.
void Fsdp2Engine::beforeBackward(int unit) {
    State& state = states_[at(unit)];
    if (state.parameters == kNoStorage) {
        if (state.gathered == kNoStorage) {
            gather(unit);
        }
        copyOut(unit, false);
    }
    const auto here = std::find(forwardOrder_.begin(), forwardOrder_.end(), unit);
    if (here == forwardOrder_.begin() || here == forwardOrder_.end()) {
        return;
    }
    const int next = *(here - 1);
    if (states_[at(next)].parameters == kNoStorage && states_[at(next)].gathered == kNoStorage) {
        gather(next);
    }
}

void Fsdp2Engine::takeGradient(int unit, int weight, Storage gradient) {
    device_.rename(gradient, MemoryKind::Gradients);
    Storage& slot = states_[at(unit)].gradients[at(weight)];
    if (slot == kNoStorage) {
        slot = gradient;
    } else {
        device_.release(gradient);  // added in place
    }
}

/// Without gradient sync the unsharded gradients stay, in the reduce type. Autograd adds a narrower
/// gradient in place to what is there; the head's chunks, whose unit never enters its backward,
/// have each gradient cast first.
void Fsdp2Engine::keepUnsharded(int unit, bool castEach) {
    State& state = states_[at(unit)];
    const bool widens = options_.reduceWidth != options_.computeWidth;
    for (std::size_t weight = 0; weight < state.gradients.size(); ++weight) {
        Storage& gradient = state.gradients[weight];
        if (gradient == kNoStorage) {
            continue;
        }
        Storage& sum = state.accumulated[weight];
        const std::int64_t bytes = units_[at(unit)].weights[weight].elements * options_.reduceWidth;
        if (widens && (castEach || sum == kNoStorage)) {
            const Storage wide =
                device_.take(bytes, MemoryKind::Gradients, 0, "unsharded gradients");
            drop(gradient);
            gradient = wide;
        }
        if (sum == kNoStorage) {
            std::swap(sum, gradient);
        } else {
            drop(gradient);
        }
    }
}

/// The gradients that are there are copied into one flat buffer, reduced, and kept as a shard.
void Fsdp2Engine::reduceScatter(int unit) {
    State& state = states_[at(unit)];
    std::int64_t whole = 0;
    std::int64_t shard = 0;
    for (std::size_t weight = 0; weight < state.gradients.size(); ++weight) {
        if (state.gradients[weight] != kNoStorage || state.accumulated[weight] != kNoStorage) {
            whole += units_[at(unit)].weights[weight].elements;
            shard += shardOf(units_[at(unit)].weights[weight]);
        }
    }
    if (whole == 0) {
        return;
    }
    drop(reduceInput_);
    reduceInput_ = device_.take(whole * options_.reduceWidth,
                                MemoryKind::Communication,
                                kReducePool,
                                "reduce-scatter input");
    for (auto* list : {&state.gradients, &state.accumulated}) {
        for (Storage& gradient : *list) {
            drop(gradient);
        }
    }
    Storage reduced = device_.take(
        shard * options_.reduceWidth, MemoryKind::Gradients, kReducePool, "sharded gradients");
    const bool keepsReduceType = options_.masterWidth > 0;
    if (options_.reduceWidth != options_.storedWidth && !keepsReduceType) {
        const Storage stored = device_.take(
            shard * options_.storedWidth, MemoryKind::Gradients, kReducePool, "sharded gradients");
        device_.release(reduced);
        reduced = stored;
    }
    keepShard(state, reduced, shard);
}

/// The reduced shard stays until the step, is added to the earlier micro-steps' sum, or, with
/// offload, goes to the host.
void Fsdp2Engine::keepShard(State& state, Storage reduced, std::int64_t shard) {
    if (options_.offload) {
        device_.release(reduced);
    } else if (state.shardGradient == kNoStorage) {
        state.shardGradient = reduced;
    } else if (shard * options_.storedWidth > device_.bytes(state.shardGradient)) {
        device_.release(state.shardGradient);  // more of the unit's weights have one now
        state.shardGradient = reduced;
    } else {
        device_.release(reduced);
    }
}

void Fsdp2Engine::afterBackward(int unit) {
    State& state = states_[at(unit)];
    if (state.reduced) {
        return;
    }
    state.reduced = true;
    const bool sync = !options_.reduceAtEnd && (options_.syncEachMicroStep || lastMicroStep_);
    if (!sync || std::any_of(state.accumulated.begin(), state.accumulated.end(), [](Storage s) {
            return s != kNoStorage;
        })) {
        keepUnsharded(unit, false);
    }
    if (options_.reshardAfterBackward) {
        reshard(unit);
    }
    if (sync) {
        reduceScatter(unit);
    }
}

void Fsdp2Engine::afterHeadChunk(int unit, bool last) {
    keepUnsharded(unit, true);
    if (last) {
        reduceScatter(unit);
        reshard(unit);
    }
}

void Fsdp2Engine::endBackward() {
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
        const State& state = states_[unit];
        const bool pending = std::any_of(state.gradients.begin(),
                                         state.gradients.end(),
                                         [](Storage s) { return s != kNoStorage; });
        if (pending || state.parameters != kNoStorage) {
            afterBackward(static_cast<int>(unit));
        }
    }
    drop(reduceInput_);
}

/// A pipeline schedule reduces every unit once, after its last backward.
void Fsdp2Engine::reduceAll() {
    for (std::size_t unit = units_.size(); unit-- > 0;) {
        reshard(static_cast<int>(unit));
        reduceScatter(static_cast<int>(unit));
    }
    drop(reduceInput_);
}

void Fsdp2Engine::optimizerStep() {
    if (options_.reduceAtEnd) {
        reduceAll();
    }
    if (!options_.offload) {
        const std::int64_t temporaries = stepTemporaries(options_.optimizer, shardTensors());
        device_.release(
            device_.take(temporaries, MemoryKind::Optimizer, 0, "temporaries of the step"));
    }
    for (State& state : states_) {
        drop(state.shardGradient);
    }
}

void Fsdp2Engine::beginMicroStep(std::int64_t index, std::int64_t count) {
    lastMicroStep_ = index + 1 == count;
    for (State& state : states_) {
        state.reduced = false;
    }
}

}  // namespace fabricast
