#include "planner/estimate/estimate_step.h"

#include "planner/estimate/step_estimator.h"
#include "planner/stack/model_code.h"

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

const SoftwareTiming* TimingProfiles::softwareOf(const Settings& settings,
                                                 const GpuSpec& gpu) const {
    const std::string_view usual = softwareName(settings);
    const auto own = software.find(modelCodeName(settings));
    const bool special = software.contains(std::string(usual) + "-on-" + gpu.architecture);
    return special || own == software.end() ? softwareOf(usual, gpu) : &own->second;
}

std::string evidenceClass(const Scenario& scenario) {
    return "all/" + std::string(softwareName(scenario.settings)) +
           (scenario.model.moe ? "/sparse" : "/dense");
}

Result<StepEstimate> estimateStep(const Scenario& scenario, const TimingProfiles& profiles) {
    FABRICAST_ASSIGN(StepEstimator estimator, StepEstimator::make(scenario.cluster, profiles));
    FABRICAST_ASSIGN(const LayerOps layers, layerOps(scenario));
    FABRICAST_ASSIGN(const ModelTime blocks, estimator.blocks(scenario, layers));
    return estimator.estimate(scenario, blocks);
}

}  // namespace fabricast
