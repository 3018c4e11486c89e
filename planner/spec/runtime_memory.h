#pragma once
#include "planner/base/units.h"
#include "planner/spec/sourced.h"

#include <cstdint>
#include <string>

namespace fabricast {

/// GPU memory of a process in addition to its tensors: hardware_profiles/runtimes.
struct RuntimeMemory {
    std::string title;
    Sourced<Bytes> context{};  ///< once CUDA, cuBLASLt and cuDNN have worked
    Sourced<Bytes> kernels{};  ///< that a framework loads in addition
    /// NCCL's buffers of a group of all GPUs of a node, as seen; empty: NCCL's rules alone hold.
    Sourced<Bytes> communicator{};
    Sourced<std::int64_t> channels{};  ///< of such a group; empty: two for each link, 24 at most

    friend bool operator==(const RuntimeMemory&, const RuntimeMemory&) = default;
};

}  // namespace fabricast
