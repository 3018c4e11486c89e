#pragma once
#include "planner/profiles/profile_store.h"

#include <map>
#include <stdexcept>
#include <string>

namespace fabricast {

/// The kernels of a shipped GPU, read once.
inline const KernelProfile& shippedKernels(const std::string& gpu) {
    static std::map<std::string, KernelProfile> known;
    const auto found = known.find(gpu);
    if (found != known.end()) {
        return found->second;
    }
    const Result<GpuSpec> read = ProfileStore::builtIn().gpu(gpu);
    if (!read || !read->kernels) {
        throw std::runtime_error(read ? gpu + " has no kernels" : read.error().text());
    }
    return known.emplace(gpu, *read->kernels).first->second;
}

}  // namespace fabricast
