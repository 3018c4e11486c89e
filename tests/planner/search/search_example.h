#pragma once
#include "planner/load/find_named.h"
#include "planner/search/candidate_scenarios.h"
#include "tests/planner/estimate/estimate_example.h"

#include <string>
#include <vector>

namespace fabricast {

/// A few layers of a built-in model on a few GPUs of one node, to be searched under some stacks
/// with their usual settings.
struct SmallWorld {
    std::string model = "llama-3.1-8b";
    std::int64_t layers = 4;
    std::int64_t gpus = 8;
    Bytes memory{};  ///< of a GPU
    std::int64_t batch = 8;
    std::int64_t sites = 1;  ///< joined by 10 Gb/s over 5 ms
};

inline SearchTask taskOf(const SmallWorld& world, const std::vector<std::string>& stacks) {
    static const ProfileStore profiles = ProfileStore::builtIn();
    SearchTask task{.base = exampleRun("fsdp2", {.dp = world.gpus})};
    ModelSpec& model = task.base.model;
    model = findModel(world.model, profiles, {}).value().model;
    model.layers = world.layers;
    if (!model.sparse.empty()) {
        model.sparse.resize(static_cast<std::size_t>(world.layers));
    }
    task.base.workload = {.sequence = 1024, .globalBatch = world.batch};
    task.base.cluster.node.gpus = std::min<std::int64_t>(8, world.gpus);
    task.base.cluster.node.domainGpus = task.base.cluster.node.gpus;
    task.base.cluster.nodes = world.gpus / task.base.cluster.node.gpus;
    if (world.sites > 1) {
        task.base.cluster.sites = {
            .count = world.sites, .rate = BytesPerSecond(10e9 / 8.0), .latency = Seconds(0.005)};
    }
    task.base.cluster.node.gpu.usableMemory = {.value = world.memory};
    for (const std::string& name : stacks) {
        const Stack* stack = findStack(name).value();
        const ModelSpec shape = model;
        task.stacks.push_back({stack, [stack, shape](const Layout& layout) -> Result<Settings> {
                                   return defaultSettings(*stack, shape, layout);
                               }});
    }
    return task;
}

/// Nothing else is asked for: the stacks' settings say it, as those of a typed layout do.
inline void hold(SearchTask& task, const RecomputeSettings& recompute) {
    task.rules.fixed.recompute = recompute;
    task.rules.fixed.said.insert("recompute");
    for (StackSettings& stack : task.stacks) {
        stack.settingsFor = [usual = stack.settingsFor,
                             recompute](const Layout& layout) -> Result<Settings> {
            Result<Settings> settings = usual(layout);
            if (settings) {
                settings->recompute = recompute;
            }
            return settings;
        };
    }
}

inline std::vector<Candidate> allOf(const SearchSpace& space) {
    std::vector<Candidate> all;
    for (std::uint32_t family = 0; family < space.families.size(); ++family) {
        const std::vector<Candidate> mine = space.candidatesOf(family);
        all.insert(all.end(), mine.begin(), mine.end());
    }
    return all;
}

}  // namespace fabricast
