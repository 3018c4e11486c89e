#pragma once
#include "planner/estimate/estimate_step.h"
#include "planner/load/load_question.h"
#include "planner/profiles/profile_store.h"
#include "planner/stack/stack.h"

#include <string>

namespace fabricast {

/// Llama-3.1-8B's shape on one DGX H100: what tests of step time start from.
inline Scenario exampleRun(const std::string& stackName, const Layout& layout) {
    static const ProfileStore profiles = ProfileStore::builtIn();
    Scenario scenario;
    scenario.stack = stackName;
    ModelSpec& model = scenario.model;
    model.name = "llama-8b";
    model.family = "llama";
    model.layers = 32;
    model.hidden = 4096;
    model.vocab = 128256;
    model.mlp.width = 14336;
    model.attention.heads = 32;
    model.attention.kvHeads = 8;
    model.attention.headDim = 128;
    scenario.cluster = profiles.cluster("dgx-h100").value();
    scenario.cluster.nodes = std::max<std::int64_t>(1, layout.world() / 8);
    scenario.workload = {.sequence = 8192, .globalBatch = 64};
    scenario.layout = layout;
    scenario.settings = defaultSettings(*findStack(stackName).value(), model, layout);
    return scenario;
}

inline const TimingProfiles& exampleTiming() {
    static const TimingProfiles timing = loadTiming(ProfileStore::builtIn()).value();
    return timing;
}

inline StepEstimate estimated(const Scenario& scenario) {
    const auto estimate = estimateStep(scenario, exampleTiming());
    return estimate ? *estimate : StepEstimate{};
}

}  // namespace fabricast
