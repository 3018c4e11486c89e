#pragma once
#include "planner/memory/program/engine.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// What ZeRO-Infinity moves to drives: DeepSpeed's own defaults of offload_optimizer and
/// offload_param with device nvme.
struct Zero3Swap {
    bool optimizer = false;
    bool parameters = false;
    std::int64_t optimizerBuffers = 4;                   ///< buffer_count
    std::int64_t parameterBuffers = 5;                   ///< buffer_count
    std::int64_t parameterBufferElements = 100'000'000;  ///< buffer_size
    std::int64_t parametersInCpu = 1'000'000'000;        ///< max_in_cpu
};

/// A rank's part of the model as the swappers see it.
struct SwappedStates {
    std::vector<std::int64_t> groups;      ///< elements of each sub-group
    std::vector<std::int64_t> partitions;  ///< elements of each parameter's partition
    std::int64_t stateBytes = 12;          ///< fp32 parameter and moments of an element
    std::int64_t sumWidth = 2;             ///< gradients are accumulated in host memory
    std::int64_t width = 2;                ///< of the parameters that are gathered
    bool pinMemory = false;
};

/// Host memory and files of a rank. The optimizer's page-locked buffers hold the largest sub-group
/// each; partitions under a mebibyte are not worth a file.
HostMemory swappedStates(const Zero3Swap& swap, const SwappedStates& states);

}  // namespace fabricast
