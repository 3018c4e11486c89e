#include "planner/spec/stage_split.h"
#include "planner/stack/rules.h"
#include "planner/stack/titan.h"

namespace fabricast {
namespace {

/// Stages that a rank holds: exactly that many, or at least.
struct ChunkRule {
    std::int64_t least;
    std::int64_t most;
};

ChunkRule chunksOf(ScheduleKind schedule) {
    constexpr std::int64_t kAny = 1 << 20;
    switch (schedule) {
        case ScheduleKind::Interleaved:
        case ScheduleKind::LoopedBfs:
        case ScheduleKind::InterleavedZb:
            return {2, kAny};
        case ScheduleKind::ZbV:
        case ScheduleKind::DualPipeV:
            return {2, 2};
        default:
            return {1, 1};
    }
}

}  // namespace

Result<std::optional<std::int64_t>> titanLayersPerStage(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const PipelineSettings& pipeline = scenario.settings.pipeline;
    const std::int64_t stages = layout.pp * layout.vpp;
    const std::int64_t units =
        scenario.model.layers + pipeline.embeddingWeight + pipeline.headWeight;
    const std::int64_t layers = (units + stages - 1) / stages;
    if ((units + layers - 1) / layers == stages) {
        return layers;
    }
    const std::int64_t usual = chunksOf(layout.schedule).least;
    if (layout.vpp == usual) {
        return std::nullopt;
    }
    return breaks("layout.vpp",
                  "no pipeline_parallel_layers_per_stage makes " + text(stages) + " stages of " +
                      text(scenario.model.layers) + " layers",
                  "vpp=" + text(usual) + ", or another pp or vpp");
}

Result<void> checkTitanStages(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    if (layout.pp == 1) {
        return layout.vpp == 1
                   ? Result<void>{}
                   : breaks("layout.vpp", "there is no pipeline to interleave", "vpp=1");
    }
    const ChunkRule rule = chunksOf(layout.schedule);
    if (layout.vpp > rule.most && rule.most == 1) {
        return breaks("layout.vpp",
                      "Single stage schedule requires exactly 1 stage per rank, but got " +
                          text(layout.vpp) + " stages per rank.",
                      "vpp=1, or schedule=interleaved");
    }
    if (layout.vpp < rule.least) {
        return breaks("layout.vpp",
                      "Multi-stage schedule requires at least 2 stages per rank, but got " +
                          text(layout.vpp) + " stages per rank.",
                      "vpp=2");
    }
    if (layout.vpp > rule.most) {
        return breaks("layout.vpp",
                      "a V schedule has exactly 2 stages per rank, not " + text(layout.vpp),
                      "vpp=2");
    }
    FABRICAST_TRY(splitLayers(
        scenario.model.layers,
        {.stages = layout.pp, .chunks = layout.vpp, .pipeline = scenario.settings.pipeline}));
    FABRICAST_TRY(titanLayersPerStage(scenario));
    return {};
}

}  // namespace fabricast
