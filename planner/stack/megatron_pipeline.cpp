#include "planner/spec/stage_split.h"
#include "planner/stack/rules.h"
#include "planner/stack/stack_list.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

Result<void> checkLayers(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const PipelineSettings& pipeline = scenario.settings.pipeline;
    const StageSplit split{.stages = layout.pp, .chunks = layout.vpp, .pipeline = pipeline};
    const bool ends = pipeline.firstStageLayers > 0 || pipeline.lastStageLayers > 0;
    const std::int64_t counted =
        scenario.model.layers + pipeline.embeddingWeight + pipeline.headWeight;
    if (ends || pipeline.remainder || splitsEvenly(scenario.model.layers, split)) {
        FABRICAST_TRY(splitLayers(scenario.model.layers, split));
        return {};
    }
    if (counted % layout.pp == 0) {
        return breaks("layout.vpp",
                      "number of layers per pipeline stage must be divisible number of layers per "
                      "virtual pipeline stage",
                      divisorsHint("vpp", counted / layout.pp));
    }
    return breaks("layout.pp",
                  "Number of layers should be divisible by the pipeline-model-parallel size",
                  divisorsHint("pp", counted) +
                      ", or count the embedding and the loss as layers, or give the first and last "
                      "stage's layers");
}

Result<void> checkChunks(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const bool interleaved = layout.schedule == ScheduleKind::Interleaved;
    if ((layout.vpp > 1 || interleaved) && layout.pp == 1) {
        return breaks("layout.vpp",
                      "When interleaved schedule is used, pipeline-model-parallel size should be "
                      "greater than 1",
                      "vpp=1, or pp=2 or more");
    }
    if (layout.pp > 1 && layout.schedule != ScheduleKind::None && interleaved != (layout.vpp > 1)) {
        return breaks("layout.schedule",
                      "Megatron interleaves exactly when there are several chunks per rank",
                      interleaved ? "vpp=2 or more" : "schedule=interleaved");
    }
    return {};
}

Result<void> checkMicroBatches(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const std::int64_t round = layout.microBatch * layout.dp;
    const std::int64_t batch = scenario.workload.globalBatch;
    if (batch % round != 0) {
        return breaks("workload.global_batch",
                      "global batch size (" + text(batch) +
                          ") is not divisible by micro batch size (" + text(layout.microBatch) +
                          ") times data parallel size (" + text(layout.dp) + ")",
                      multiplesHint("global_batch", batch, round));
    }
    if (layout.vpp == 1) {
        return {};
    }
    const std::int64_t count = batch / round;
    const std::int64_t group = layout.scheduleGroup > 0 ? layout.scheduleGroup : layout.pp;
    if (group > count || group < layout.pp) {
        return breaks("workload.global_batch",
                      "The number of contiguous micro-batches in a virtual pipeline stage should "
                      "range in [PP=" +
                          text(layout.pp) + ", M=" + text(count) + "]",
                      "global_batch=" + text(round * std::max(group, layout.pp)) + " or more");
    }
    const std::int64_t rest = count % group;
    if (rest > 0 && rest < layout.pp) {
        return breaks("workload.global_batch",
                      "The remainder of M (the total micro-batches) divided by N (number of "
                      "contiguous micro-batches in a virtual pipeline stage) should be 0, or "
                      "larger than or equal to the pipeline-parallel size, but it is " +
                          text(rest),
                      multiplesHint("global_batch", batch, round * group));
    }
    return {};
}

}  // namespace

Result<void> checkMegatronPipeline(const Scenario& scenario) {
    FABRICAST_TRY(checkChunks(scenario));
    FABRICAST_TRY(checkLayers(scenario));
    return checkMicroBatches(scenario);
}

PipelineSettings megatronPipeline(const ModelSpec& model, const Layout& layout) {
    constexpr auto kChoices = std::to_array<PipelineSettings>(
        {{}, {.embeddingWeight = 1, .headWeight = 1}, {.headWeight = 1}, {.embeddingWeight = 1}});
    for (const PipelineSettings& choice : kChoices) {
        if (splitsEvenly(model.layers,
                         {.stages = layout.pp, .chunks = layout.vpp, .pipeline = choice})) {
            return choice;
        }
    }
    return {.embeddingWeight = 1, .headWeight = 1, .remainder = true};
}

}  // namespace fabricast
