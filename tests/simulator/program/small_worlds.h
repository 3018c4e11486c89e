#pragma once
#include "planner/estimate/pipeline_time.h"
#include "planner/estimate/step_estimator.h"
#include "planner/load/load_question.h"
#include "planner/profiles/profile_store.h"
#include "planner/stack/stack.h"
#include "simulator/program/step_program.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace fabricast {

/// Three models small enough for every layout, and with passes of milliseconds: so that rounding
/// them to picoseconds stays below 1e-9.
inline std::vector<ModelSpec> toyModels() {
    ModelSpec llama;
    llama.name = "toy-llama";
    llama.family = "llama";
    llama.layers = 8;
    llama.hidden = 4096;
    llama.vocab = 32000;
    llama.mlp.width = 11008;
    llama.attention.heads = 32;
    llama.attention.kvHeads = 8;
    llama.attention.headDim = 128;
    ModelSpec tied = llama;
    tied.name = "toy-tied";
    tied.layers = 16;
    tied.hidden = 2048;
    tied.vocab = 128256;
    tied.mlp.width = 8192;
    tied.attention.headDim = 64;
    tied.tiedEmbeddings = true;
    ModelSpec experts = llama;
    experts.name = "toy-experts";
    experts.moe = MoeSpec{.experts = 8, .topK = 2, .expertWidth = 4096};
    return {llama, tied, experts};
}

/// Without the slowdown of kernels by communication: nothing is contended.
inline const TimingProfiles& uncontended() {
    static const TimingProfiles timing = [] {
        TimingProfiles all = loadTiming(ProfileStore::builtIn()).value();
        for (auto& [name, software] : all.software) {
            software.contention = 0.0;
        }
        return all;
    }();
    return timing;
}

/// The sizes of all axes of a dense layout on at most eight GPUs.
inline std::vector<Layout> smallLayouts() {
    constexpr std::array<std::int64_t, 4> kSizes = {1, 2, 4, 8};
    std::vector<Layout> layouts;
    for (const std::int64_t pp : kSizes) {
        for (const std::int64_t tp : kSizes) {
            for (const std::int64_t dp : kSizes) {
                for (const std::int64_t cp : {1, 2}) {
                    if (pp * tp * dp * cp <= 8) {
                        layouts.push_back({.dp = dp, .tp = tp, .pp = pp, .cp = cp});
                    }
                }
            }
        }
    }
    return layouts;
}

/// A layout with each schedule, one or two chunks, and with experts divided or not.
inline std::vector<Layout> withSchedules(const Layout& layout, bool experts) {
    std::vector<Layout> all;
    const int kinds = layout.pp > 1 ? static_cast<int>(ScheduleKind::DualPipeV) : 0;
    for (int kind = 0; kind <= kinds; ++kind) {
        for (const std::int64_t vpp : {1, 2}) {
            for (const std::int64_t ep : {1, 2}) {
                if ((vpp == 1 || layout.pp > 1) && (ep == 1 || experts)) {
                    all.push_back(layout);
                    all.back().vpp = vpp;
                    all.back().ep = ep;
                    all.back().schedule = static_cast<ScheduleKind>(kind);
                }
            }
        }
    }
    return all;
}

/// The layout under a stack, with the stack's defaults.
inline Scenario worldOf(const Stack& stack,
                        const ModelSpec& model,
                        const ClusterSpec& cluster,
                        Layout layout) {
    const LayoutDefaults usual = layoutDefaults(stack, layout);
    layout.shard = usual.shard;
    layout.cpKind = usual.cpKind;
    layout.etp = model.moe ? 1 : usual.etp;
    layout.sp = stack.axes.sequence && layout.tp > 1;
    Scenario scenario;
    scenario.stack = stack.name;
    scenario.model = model;
    scenario.cluster = cluster;
    scenario.cluster.nodes = 1;
    scenario.cluster.node.gpus = layout.world();
    scenario.workload = {.sequence = 8192,
                         .globalBatch = layout.dp * std::max<std::int64_t>(4, 2 * layout.pp)};
    scenario.layout = layout;
    scenario.settings = defaultSettings(stack, model, layout);
    return scenario;
}

inline bool pipelineAllowed(const Scenario& scenario) {
    return scenario.layout.pp == 1 || pipelineOrderOf(scenario).has_value();
}

/// A layout that can be forecast, and what its step is put together from.
struct World {
    Scenario scenario;
    StepPieces pieces;
};

/// Every layout on at most eight H100 that one of the stacks accepts, with all of its schedules.
/// What no forecast is made of is left out.
inline std::vector<World> smallWorlds() {
    const ClusterSpec cluster = ProfileStore::builtIn().cluster("dgx-h100").value();
    std::vector<World> worlds;
    for (const Stack& stack : allStacks()) {
        for (const ModelSpec& model : toyModels()) {
            for (const Layout& sizes : smallLayouts()) {
                for (const Layout& layout : withSchedules(sizes, model.moe.has_value())) {
                    const Scenario scenario = worldOf(stack, model, cluster, layout);
                    if (!stack.check(scenario) || !pipelineAllowed(scenario)) {
                        continue;
                    }
                    if (Result<StepPieces> pieces = stepPieces(scenario, uncontended())) {
                        worlds.push_back({scenario, *std::move(pieces)});
                    }
                }
            }
        }
    }
    return worlds;
}

/// With every transfer as if alone.
inline SimProgram programOf(const Scenario& scenario,
                            const StepPieces& pieces,
                            StepDetail detail = {}) {
    detail.links = Links::Unlimited;
    return stepProgram(scenario, pieces, detail).value().program;
}

inline std::string worldText(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    std::string text = scenario.stack + " " + scenario.model.name;
    for (const auto& [name, size] : {std::pair{" dp", layout.dp},
                                     {" tp", layout.tp},
                                     {" pp", layout.pp},
                                     {" vpp", layout.vpp},
                                     {" cp", layout.cp},
                                     {" ep", layout.ep}}) {
        text += name + std::to_string(size);
    }
    return text + " schedule " + std::to_string(static_cast<int>(layout.schedule));
}

}  // namespace fabricast
