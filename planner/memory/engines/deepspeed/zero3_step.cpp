#include "planner/memory/engines/deepspeed/zero3_engine.h"
#include "planner/memory/program/engine.h"
#include "planner/sharding/zero_partition.h"

#include <algorithm>
#include <utility>

namespace fabricast {

std::int64_t Zero3Engine::shards() const {
    std::int64_t sum = 0;
    for (std::size_t index = 0; index < parameters_.size(); ++index) {
        sum += parameters_[index].trained ? gathering_.shardElements(index) : 0;
    }
    return sum;
}

/// Whole partitions of one optimizer group: closed when they pass the limit.
void Zero3Engine::addSubGroups(std::vector<SubGroup>& groups,
                               const std::vector<std::size_t>& parameters) const {
    std::int64_t all = 0;
    for (const std::size_t index : parameters) {
        all += gathering_.shardElements(index);
    }
    SubGroup open;
    for (const std::size_t index : parameters) {
        open.elements += gathering_.shardElements(index);
        ++open.parameters;
        const bool full = options_.subGroup < all && open.elements >= options_.subGroup;
        if (full || index == parameters.back()) {
            groups.push_back(std::exchange(open, {}));
        }
    }
}

/// Experts are optimizer groups of their own, of a limited number of elements.
std::vector<Zero3Engine::SubGroup> Zero3Engine::subGroups() const {
    std::vector<SubGroup> groups;
    std::vector<std::size_t> together;
    std::int64_t elements = 0;
    for (std::size_t index = 0; index < parameters_.size(); ++index) {
        const ZeroParameter& next = parameters_[index];
        if (!next.trained) {
            continue;
        }
        const bool turns = !together.empty() && parameters_[together.back()].expert != next.expert;
        if (turns || (next.expert && elements + next.elements > kMostOfExpertGroup)) {
            addSubGroups(groups, std::exchange(together, {}));
            elements = 0;
        }
        together.push_back(index);
        elements += next.elements;
    }
    addSubGroups(groups, together);
    return groups;
}

void Zero3Engine::holdStates() {
    device_.take(options_.scaleBytes, MemoryKind::Weights, 0, "scales of 4-bit weights");
    if (!options_.gather.offload) {
        device_.take(
            shards() * options_.gather.width, MemoryKind::Weights, 0, "parameter partitions");
        for (std::size_t index = 0; index < parameters_.size(); ++index) {
            if (!parameters_[index].trained) {  // a tensor of its own, in no flat buffer
                device_.take(gathering_.shardElements(index) * options_.gather.width,
                             MemoryKind::Weights,
                             0,
                             "frozen partitions");
            }
        }
    }
    if (!options_.offloadOptimizer) {
        for (const auto& [elements, parameters] : subGroups()) {
            device_.take(elements * kFp32, MemoryKind::Optimizer, 0, "fp32 parameters");
            device_.take(optimizerState(options_.optimizer, {.elements = elements}).device,
                         MemoryKind::Optimizer);
        }
        device_.take(shards() * options_.sumWidth, MemoryKind::Gradients, 0, "gradient partitions");
    }
    for (auto& [wire, bucket] : buckets_) {
        if (options_.contiguous) {
            bucket.buffer = device_.take(
                options_.bucketElements * wire, MemoryKind::Communication, 0, "reduce bucket");
        }
    }
    gathering_.gatherPersistent();
}

/// A flat copy of the group's gradients in fp32 for the length of its step.
void Zero3Engine::stepSubGroup(const SubGroup& group) {
    const std::int64_t elements = group.elements;
    Storage gradient = kNoStorage;
    if (!options_.offloadOptimizer) {
        if (group.parameters > 1) {
            gradient = device_.take(
                elements * options_.sumWidth, MemoryKind::Gradients, 0, "flat gradients");
        }
        if (options_.sumWidth != kFp32) {
            const Storage wide =
                device_.take(elements * kFp32, MemoryKind::Gradients, 0, "fp32 gradients");
            drop(gradient);
            gradient = wide;
        }
        takeBriefly(stepTemporaries(options_.optimizer, {{.elements = elements}}),
                    MemoryKind::Optimizer,
                    "step");
        if (options_.gather.offload && options_.gather.width != kFp32) {  // cast before it is sent
            takeBriefly(
                elements * options_.gather.width, MemoryKind::Weights, "parameters to the host");
        }
    }
    drop(gradient);
}

void Zero3Engine::optimizerStep() {
    gathering_.partitionAll();
    if (!options_.offloadOptimizer) {
        if (options_.halfPrecision) {
            const Storage magnitudes = device_.take(
                shards() * options_.sumWidth, MemoryKind::Workspace, 0, "gradient magnitudes");
            takeBriefly(shards(), MemoryKind::Workspace, "overflow check");
            device_.release(magnitudes);
        }
        for (std::size_t index = 0; index < parameters_.size(); ++index) {
            if (!parameters_[index].trained) {
                continue;
            }
            takeBriefly(
                gathering_.shardElements(index) * kFp64, MemoryKind::Workspace, "gradient norm");
        }
    }
    for (const SubGroup& group : subGroups()) {
        stepSubGroup(group);
    }
    gathering_.gatherPersistent();
}

SwappedStates Zero3Engine::swapped() const {
    SwappedStates states{.groups = {},
                         .sumWidth = options_.sumWidth,
                         .width = options_.gather.width,
                         .pinMemory = options_.pinMemory};
    for (const SubGroup& group : subGroups()) {
        states.groups.push_back(group.elements);
    }
    for (std::size_t index = 0; index < parameters_.size(); ++index) {
        states.partitions.push_back(gathering_.shardElements(index));
    }
    const auto one = [this](std::int64_t elements) {
        return optimizerState(options_.optimizer, {.elements = elements}).device;
    };
    constexpr std::int64_t kMany = 1 << 20;
    states.stateBytes = kFp32 + (one(2 * kMany) - one(kMany)) / kMany;
    return states;
}

/// fp32 parameters, their gradients, the moments and the summed gradients; 16-bit partitions of
/// what is trained are pinned even where the configuration does not ask for it.
HostMemory Zero3Engine::host() const {
    HostMemory memory = swappedStates(options_.swap, swapped());
    const auto add = [&](std::int64_t bytes, bool pinned) {
        memory.bytes += bytes;
        memory.pinned += pinned ? pinnedBlock(bytes) : 0;
    };
    if (options_.offloadOptimizer && !options_.swap.optimizer) {
        for (const auto& [elements, parameters] : subGroups()) {
            add(elements * kFp32, false);
            add(elements * kFp32, options_.pinMemory);
            add(optimizerState(options_.optimizer, {.elements = elements}).device, false);
        }
        add(shards() * options_.sumWidth, options_.pinMemory);
    }
    if (options_.gather.offload && !options_.swap.parameters) {
        add(shards() * options_.gather.width, true);
        for (std::size_t index = 0; index < parameters_.size(); ++index) {
            if (!parameters_[index].trained) {
                add(gathering_.shardElements(index) * options_.gather.width, options_.pinMemory);
            }
        }
    }
    return memory;
}

}  // namespace fabricast
