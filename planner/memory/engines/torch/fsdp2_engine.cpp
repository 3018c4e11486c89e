#include "planner/memory/engines/torch/fsdp2_engine.h"

#include <algorithm>

namespace fabricast {

/// Experts with ranks of their own are a group of their own, after the module's other weights.
Fsdp2Engine::Fsdp2Engine(Device& device, const std::vector<Unit>& units, Fsdp2Options options)
    : device_(device), options_(options), units_(units.size()) {
    for (std::size_t i = 0; i < units.size(); ++i) {
        Wrapped& mine = units_[i];
        mine.groups.emplace_back(device_, options_, options_.shards);
        for (const WeightUse& weight : units[i].weights) {
            if (weight.expert && mine.groups.size() == 1) {
                mine.groups.emplace_back(device_, options_, options_.expertShards);
            }
            const std::size_t group = weight.expert ? 1 : 0;
            mine.places.emplace_back(group, mine.groups[group].add(weight));
        }
    }
}

std::vector<StepTensor> Fsdp2Engine::shardTensors() const {
    std::vector<StepTensor> tensors;
    for (const Wrapped& unit : units_) {
        for (const Fsdp2Group& group : unit.groups) {
            const auto mine = group.shardTensors();
            tensors.insert(tensors.end(), mine.begin(), mine.end());
        }
    }
    return tensors;
}

void Fsdp2Engine::holdStates() {
    std::int64_t states = 0;
    std::int64_t gradients = 0;
    for (const StepTensor& tensor : shardTensors()) {
        const StateBytes kept = optimizerState(options_.optimizer, tensor);
        states += kept.device + tensor.elements * options_.masterWidth;
        hostBytes_ += kept.host;
        gradients +=
            tensor.elements * (options_.masterWidth > 0 ? options_.storedWidth : tensor.width);
    }
    std::int64_t parameters = 0;
    for (const Wrapped& unit : units_) {
        for (const Fsdp2Group& group : unit.groups) {
            const std::int64_t bytes = group.shardBytes();
            parameters += bytes;
            device_.take(group.wholeBytes(), MemoryKind::Weights, 0, "scales of the codes");
            if (!options_.offload) {
                device_.take(bytes, MemoryKind::Weights, 0, "sharded parameters");
            }
        }
    }
    if (options_.offload) {
        hostBytes_ += parameters + states + gradients;
    } else {
        device_.take(states, MemoryKind::Optimizer, 0, "optimizer state of the shards");
    }
}

void Fsdp2Engine::dropKeptGather() {
    if (keptGather_ != kNoStorage) {
        device_.release(keptGather_);
        keptGather_ = kNoStorage;
    }
}

void Fsdp2Engine::dropReduceInputs() {
    for (const Storage input : reduceInputs_) {
        device_.release(input);
    }
    reduceInputs_.clear();
}

void Fsdp2Engine::beginForward() {
    forwardOrder_.clear();
    if (options_.rootUnit >= 0) {
        beforeForward(options_.rootUnit);
    }
}

void Fsdp2Engine::beforeForward(int unit) {
    for (Fsdp2Group& group : wrapped(unit).groups) {
        if (group.isUnsharded()) {
            continue;
        }
        group.unshard();
        dropKeptGather();
        keptGather_ = group.waitForUnshard();
    }
}

void Fsdp2Engine::afterForward(int unit) {
    std::vector<Fsdp2Group>& groups = wrapped(unit).groups;
    for (std::size_t group = 0; group < groups.size(); ++group) {
        forwardOrder_.push_back({unit, group});
        if (options_.reshardAfterForward && unit != options_.keptUnit) {
            groups[group].reshard();
        }
    }
}

void Fsdp2Engine::endForward() {
    if (options_.rootUnit >= 0) {
        afterForward(options_.rootUnit);
    }
    dropKeptGather();
}

/// A module with one group prefetches the group that ran before it; one with several, at its
/// second, every group of the module before.
void Fsdp2Engine::prefetchBefore(int unit, std::size_t group) {
    const bool several = wrapped(unit).groups.size() > 1;
    if (several && group != 1) {
        return;
    }
    auto here = std::find_if(forwardOrder_.begin(), forwardOrder_.end(), [&](const Passed& passed) {
        return passed.unit == unit;
    });
    if (here == forwardOrder_.end()) {
        return;
    }
    for (int target = -1; here != forwardOrder_.begin();) {
        --here;
        if (target >= 0 && here->unit != target) {
            return;
        }
        target = here->unit;
        wrapped(target).groups[here->group].unshard();
        if (!several) {
            return;
        }
    }
}

/// Parameters are gathered if they are not there yet, and the next unit's all-gather is issued.
void Fsdp2Engine::beforeBackward(int unit) {
    std::vector<Fsdp2Group>& groups = wrapped(unit).groups;
    for (std::size_t group = 0; group < groups.size(); ++group) {
        groups[group].setInBackward(true);
        groups[group].unshard();
        const Storage gathered = groups[group].waitForUnshard();
        if (gathered != kNoStorage) {
            device_.release(gathered);
        }
        prefetchBefore(unit, group);
    }
}

void Fsdp2Engine::takeGradient(int unit, int weight, Storage gradient) {
    Wrapped& mine = wrapped(unit);
    const auto [group, place] = mine.places[static_cast<std::size_t>(weight)];
    mine.groups[group].takeGradient(place, gradient);
}

/// The first group of a module to be reduced, its last, lets go of the module's before it.
void Fsdp2Engine::reduce(Fsdp2Group& group, bool lastOfUnit) {
    if (lastOfUnit && (group.hasGradients() || group.hasAccumulated())) {
        dropReduceInputs();
    }
    const Storage input = group.reduceScatter();
    if (input != kNoStorage) {
        reduceInputs_.push_back(input);
    }
}

void Fsdp2Engine::afterBackward(int unit) {
    Wrapped& mine = wrapped(unit);
    if (mine.reduced) {
        return;
    }
    mine.reduced = true;
    const bool sync = !options_.reduceAtEnd && (options_.syncEachMicroStep || lastMicroStep_);
    for (std::size_t i = mine.groups.size(); i-- > 0;) {
        Fsdp2Group& group = mine.groups[i];
        group.setInBackward(false);
        if (!sync) {
            group.keepUnsharded();
        }
        if (options_.reshardAfterBackward) {
            group.reshard();
        }
        if (sync) {
            reduce(group, i + 1 == mine.groups.size());
        }
    }
}

void Fsdp2Engine::beforeHeadChunks(int unit) {
    for (Fsdp2Group& group : wrapped(unit).groups) {
        group.unshard();
        const Storage gathered = group.waitForUnshard();
        if (gathered != kNoStorage) {
            device_.release(gathered);
        }
    }
}

void Fsdp2Engine::afterHeadChunk(int unit, bool last) {
    if (!last) {
        return;
    }
    for (Fsdp2Group& group : wrapped(unit).groups) {
        reduce(group, true);
        group.reshard();
    }
}

void Fsdp2Engine::endBackward() {
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
        const std::vector<Fsdp2Group>& groups = units_[unit].groups;
        if (std::any_of(groups.begin(), groups.end(), [](const Fsdp2Group& group) {
                return group.hasGradients() || group.isUnsharded();
            })) {
            afterBackward(static_cast<int>(unit));
        }
    }
    dropReduceInputs();
    for (Wrapped& unit : units_) {  // gathered ahead for a backward that had nothing to train
        for (Fsdp2Group& group : unit.groups) {
            group.forgetGather();
        }
    }
}

/// A pipeline schedule reduces every unit once, after its last backward.
void Fsdp2Engine::reduceAll() {
    for (std::size_t unit = units_.size(); unit-- > 0;) {
        std::vector<Fsdp2Group>& groups = units_[unit].groups;
        for (std::size_t i = groups.size(); i-- > 0;) {
            groups[i].reshard();
            reduce(groups[i], i + 1 == groups.size());
        }
    }
    dropReduceInputs();
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
    for (Wrapped& unit : units_) {
        for (Fsdp2Group& group : unit.groups) {
            group.dropShardGradient();
        }
    }
}

/// A state dict has the shards: what an evaluation left gathered goes first.
void Fsdp2Engine::beginSaving() {
    for (Wrapped& unit : units_) {
        for (Fsdp2Group& group : unit.groups) {
            group.reshard();
        }
    }
}

void Fsdp2Engine::beginMicroStep(std::int64_t index, std::int64_t count) {
    lastMicroStep_ = index + 1 == count;
    for (Wrapped& unit : units_) {
        unit.reduced = false;
    }
}

}  // namespace fabricast
