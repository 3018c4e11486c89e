#include "planner/estimate/estimate_step.h"

#include <algorithm>

namespace fabricast {

const CollectiveLibrary& TimingProfiles::libraryOf(const GpuSpec& gpu) const {
    for (const CollectiveLibrary& library : others) {
        for (const NcclGeneration& generation : library.model.generations) {
            if (std::ranges::find(generation.architectures, gpu.architecture) !=
                generation.architectures.end()) {
                return library;
            }
        }
    }
    return gpu.vendor == "AMD" ? rccl : nccl;
}

const SoftwareTiming* TimingProfiles::softwareOf(std::string_view name, const GpuSpec& gpu) const {
    const auto special = software.find(std::string(name) + "-on-" + gpu.architecture);
    const auto found = special != software.end() ? special : software.find(name);
    return found == software.end() ? nullptr : &found->second;
}

}  // namespace fabricast
