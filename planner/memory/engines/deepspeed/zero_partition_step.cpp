#include "planner/memory/engines/deepspeed/zero_partition_engine.h"
#include "planner/memory/program/engine.h"

#include <algorithm>

namespace fabricast {

namespace {

std::int64_t largestElements(const std::vector<std::int64_t>& elements) {
    return elements.empty() ? 0 : *std::max_element(elements.begin(), elements.end());
}

}  // namespace

void ZeroPartitionEngine::holdStates() {
    std::vector<std::int64_t> elements;
    for (const Parameter& parameter : parameters_) {
        elements.push_back(parameter.at.elements);
    }
    for (const ZeroGroups::Group& group : cut_.groups()) {
        device_.take(
            group.cut.padded() * options_.width, MemoryKind::Weights, 0, "flat parameters");
    }
    for (const std::int64_t bytes : options_.frozenBytes) {
        device_.take(bytes, MemoryKind::Weights, 0, "frozen parameters");
    }
    if (options_.offloadOptimizer) {
        device_.take(largestElements(elements) * options_.width,
                     MemoryKind::Communication,
                     0,
                     "gradient staging");
        return;
    }
    for (const ZeroGroups::Group& group : cut_.groups()) {
        const StepTensor flat{.elements = group.cut.partition()};
        device_.take(flat.elements * kFp32, MemoryKind::Optimizer, 0, "fp32 parameters");
        device_.take(optimizerState(options_.optimizer, flat).device, MemoryKind::Optimizer);
    }
}

/// One norm after another; then a group's gradients are joined and cast to fp32 for its step.
void ZeroPartitionEngine::optimizerStep() {
    if (options_.offloadOptimizer) {
        drop(partitionSum_);
        for (Parameter& parameter : parameters_) {
            drop(parameter.sum);
        }
        return;
    }
    for (std::size_t index = 0; index < parameters_.size(); ++index) {
        if (cut_.owns(index)) {
            takeBriefly(cut_.pieceElements(index) * kFp64, MemoryKind::Workspace, "gradient norm");
        }
    }
    for (const ZeroGroups::Group& group : cut_.groups()) {
        stepGroup(group);
    }
}

void ZeroPartitionEngine::stepGroup(const ZeroGroups::Group& group) {
    std::size_t pieces = group.cut.padding() > 0 ? 1 : 0;
    for (std::size_t index = group.begin; index < group.end; ++index) {
        pieces += cut_.owns(index) ? 1U : 0U;
    }
    Storage gradient = partitionSum_;
    partitionSum_ = kNoStorage;
    if (!sumsApart()) {
        gradient = joinOwned(group.cut.partition(), pieces);
    }
    for (std::size_t index = group.begin; index < group.end; ++index) {
        drop(parameters_[index].kept);
        drop(parameters_[index].sum);
    }
    const std::vector<StepTensor> stepped = {{.elements = group.cut.partition()}};
    takeBriefly(stepTemporaries(options_.optimizer, stepped), MemoryKind::Optimizer, "step");
    drop(gradient);
}

/// A flat copy of the pieces, unless there is only one, and that in fp32.
Storage ZeroPartitionEngine::joinOwned(std::int64_t elements, std::size_t pieces) {
    Storage flat = kNoStorage;
    if (pieces > 1) {
        flat = device_.take(
            elements * options_.width, MemoryKind::Gradients, 0, "flat gradient partition");
        if (options_.width == kFp32) {
            return flat;
        }
    }
    const Storage wide =
        device_.take(elements * kFp32, MemoryKind::Gradients, 0, "fp32 gradient partition");
    drop(flat);
    return wide;
}

/// 4 bytes of parameters, 4 of gradients, the moments and a 16-bit copy for each element of the
/// partition, a staging buffer for the largest parameter, and under ZeRO-2 the sums of earlier
/// micro-steps.
HostMemory ZeroPartitionEngine::host() const {
    if (!options_.offloadOptimizer) {
        return {};
    }
    std::int64_t partition = 0;
    for (const ZeroGroups::Group& group : cut_.groups()) {
        partition += group.cut.partition();
    }
    std::int64_t largest = 0;
    std::vector<std::int64_t> blocks;
    for (std::size_t index = 0; index < parameters_.size(); ++index) {
        largest = std::max(largest, parameters_[index].at.elements);
        if (accumulates_ && options_.partitionGradients && !sumsApart() && cut_.owns(index)) {
            blocks.push_back(parameters_[index].at.elements * options_.width);
        }
    }
    blocks.insert(blocks.end(),
                  {partition * kFp32,
                   partition * kFp32,
                   partition * options_.width,
                   largest * options_.width});
    HostMemory memory;
    memory.bytes = optimizerState(options_.optimizer, {.elements = partition}).device;
    for (const std::int64_t bytes : blocks) {
        memory.bytes += bytes;
        memory.pinned += options_.pinMemory ? pinnedBlock(bytes) : 0;
    }
    return memory;
}

}  // namespace fabricast
