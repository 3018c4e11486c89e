#pragma once
#include "planner/base/units.h"
#include "planner/spec/sourced.h"

#include <string>

namespace fabricast {

/// GPU memory of a process in addition to its tensors: hardware_profiles/runtimes.
struct RuntimeMemory {
    std::string title;
    Sourced<Bytes> context{};       ///< once CUDA, cuBLASLt and cuDNN have worked
    Sourced<Bytes> kernels{};       ///< that a framework loads in addition
    Sourced<Bytes> communicator{};  ///< NCCL's buffers of one group, after its first collective

    friend bool operator==(const RuntimeMemory&, const RuntimeMemory&) = default;
};

}  // namespace fabricast
