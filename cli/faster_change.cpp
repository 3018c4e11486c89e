#include "cli/faster_change.h"

#include "planner/io/json_builder.h"
#include "planner/memory/estimate_memory.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr double kWorthSaying = 0.98;
/// Walking a step's memory takes much longer than timing it.
constexpr std::size_t kMostWalked = 3;

/// A key of the scenario and what it could be instead, as --set says it.
struct Change {
    std::string path;
    std::string value;

    [[nodiscard]] std::string text() const { return path + "=" + value; }
};

void addCounts(const Layout& layout, std::vector<Change>& changes) {
    const auto add = [&changes](const char* path, std::int64_t value) {
        changes.push_back({path, std::to_string(value)});
    };
    const auto halve = [&add](const char* path, std::int64_t value) {
        if (value % 2 == 0) {
            add(path, value / 2);
        }
    };
    halve("layout.tp", layout.tp);
    add("layout.tp", layout.tp * 2);
    halve("layout.pp", layout.pp);
    add("layout.pp", layout.pp * 2);
    halve("layout.micro_batch", layout.microBatch);
    add("layout.micro_batch", layout.microBatch * 2);
    if (layout.pp > 1) {
        add("layout.vpp", layout.vpp * 2);
    }
    if (layout.cp > 1) {
        halve("layout.cp", layout.cp);
    }
}

std::vector<Change> changesOf(const Scenario& scenario) {
    std::vector<Change> changes;
    const Settings& settings = scenario.settings;
    const auto turnOn = [&changes](bool already, const char* path) {
        if (!already) {
            changes.push_back({path, "true"});
        }
    };
    addCounts(scenario.layout, changes);
    if (settings.recompute.kind != Checkpointing::None) {
        changes.push_back({"layout.recompute", "none"});
    }
    if (settings.recompute.kind == Checkpointing::Full) {
        changes.push_back({"layout.recompute", "selective"});
    }
    if (settings.engine == Engine::Megatron) {
        turnOn(settings.megatron.overlapGradReduce, "settings.megatron.overlap_grad_reduce");
        turnOn(settings.megatron.overlapParamGather, "settings.megatron.overlap_param_gather");
        turnOn(settings.megatron.tensorOverlap || scenario.layout.tp == 1,
               "settings.megatron.tensor_overlap");
    } else {
        turnOn(settings.kernels.compile, "settings.kernels.compile");
    }
    return changes;
}

Result<Scenario> changed(const ScenarioSource& source,
                         const Scenario& scenario,
                         const Change& change) {
    const JsonBuilder build("--set " + change.path);
    // A batch that follows from the layout stays what it was.
    const std::int64_t batch = scenario.workload.globalBatch;
    FABRICAST_ASSIGN(
        JsonValue root,
        build.with(
            source.root, "workload.global_batch", build.integer(batch, std::to_string(batch))));
    FABRICAST_ASSIGN(JsonValue value, parseJsonArgument(change.value, "--set " + change.path));
    FABRICAST_ASSIGN(root, build.with(std::move(root), change.path, std::move(value)));
    FABRICAST_ASSIGN(LoadedScenario loaded, loadScenario(root, source.profiles, source.folders));
    return std::move(loaded.scenario);
}

struct Tried {
    Change change;
    Scenario scenario;
    Headline<Seconds> step;
};

}  // namespace

std::optional<FasterChange> fasterChange(const ScenarioSource& source,
                                         const TimingProfiles& timing,
                                         const Scenario& scenario,
                                         const StepEstimate& step) {
    std::vector<Tried> faster;
    for (const Change& change : changesOf(scenario)) {
        // What the stack refuses is no way to go on.
        Result<Scenario> other = changed(source, scenario, change);
        if (!other || other->layout.world() != scenario.layout.world()) {
            continue;
        }
        const Result<StepEstimate> estimate = estimateStep(*other, timing);
        if (estimate && estimate->step.value < step.step.value * kWorthSaying) {
            faster.push_back({change, *std::move(other), estimate->step});
        }
    }
    std::ranges::stable_sort(faster, {}, [](const Tried& tried) { return tried.step.value; });
    faster.resize(std::min(faster.size(), kMostWalked));
    for (const Tried& tried : faster) {
        const auto memory = estimateMemory(tried.scenario, [](const Scenario&) { return false; });
        if (memory && memory->verdict != Verdict::DoesNotFit) {
            return FasterChange{tried.change.text(), tried.step, memory->verdict};
        }
    }
    return std::nullopt;
}

}  // namespace fabricast
