#pragma once
#include <string_view>

namespace fabricast {

/// What a vendor calls the runtime that holds a process's context, and its library of collectives.
struct RuntimeNames {
    std::string_view runtime;
    std::string_view collectives;
};

/// Of a GpuSpec's vendor.
constexpr RuntimeNames runtimeNames(std::string_view vendor) {
    return vendor == "AMD"     ? RuntimeNames{"HIP", "RCCL"}
           : vendor == "Intel" ? RuntimeNames{"SynapseAI", "HCCL"}
                               : RuntimeNames{"CUDA", "NCCL"};
}

}  // namespace fabricast
