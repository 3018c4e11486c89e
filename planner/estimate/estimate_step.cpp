#include "planner/estimate/estimate_step.h"

#include "planner/estimate/comm_lines.h"
#include "planner/estimate/data_parallel_tail.h"
#include "planner/estimate/evidence_class.h"
#include "planner/estimate/offload_time.h"
#include "planner/estimate/op_kernels.h"
#include "planner/estimate/optimizer_time.h"
#include "planner/estimate/pipeline_time.h"
#include "planner/estimate/stage_times.h"
#include "planner/estimate/step_band.h"
#include "planner/estimate/step_estimator.h"
#include "planner/estimate/utilisation.h"
#include "planner/spec/kernel_names.h"
#include "planner/stack/software_name.h"
#include "planner/stack/stack.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace fabricast {

namespace {

struct PassSum {
    TimeByPart forward;
    TimeByPart backward;
    TimeByPart recompute;

    [[nodiscard]] double total() const { return forward.total() + backward.total(); }
};

PassSum sumOf(const StageTime& stage) {
    PassSum sum;
    for (const ChunkTime& chunk : stage.chunks) {
        sum.forward += chunk.forward;
        sum.backward += chunk.backward;
        sum.recompute += chunk.recompute;
    }
    return sum;
}

/// What the stages have to say about the whole step.
struct Deciding {
    std::size_t slowest = 0;  ///< of the stages, the one with the longest passes
    std::size_t ending = 0;   ///< the one that waits longest after them
    StageTail tail;
    double optimizer = 0.0;
};

Deciding decidingOf(const StepContext& context,
                    const std::vector<StageTime>& stages,
                    const PipelineTime& pipeline) {
    Deciding deciding;
    double longest = -1.0;
    for (std::size_t i = 0; i < stages.size(); ++i) {
        const double both = sumOf(stages[i]).total();
        if (both > longest) {
            longest = both;
            deciding.slowest = i;
        }
        deciding.optimizer = std::max(deciding.optimizer, optimizerSeconds(context, stages[i]));
        const StageTail tail = dataParallelTail(
            context,
            stages[i],
            {.slack = pipeline.slack[i], .firstForward = pipeline.firstForward[i]});
        if (i == 0 || tail.total() > deciding.tail.total()) {
            deciding.tail = tail;
            deciding.ending = i;
        }
    }
    return deciding;
}

StepEstimate summed(const StepContext& context,
                    const std::vector<StageTime>& stages,
                    const PipelineTime& pipeline) {
    const Scenario& scenario = context.scenario;
    const Deciding deciding = decidingOf(context, stages, pipeline);
    const auto m = static_cast<double>(std::max<std::int64_t>(1, scenario.microBatches()));
    const PassSum pass = sumOf(stages[deciding.slowest]);
    StepEstimate estimate;
    estimate.slowest = static_cast<std::int64_t>(deciding.slowest);
    estimate.terms = {.microBatches = m,
                      .forward = pass.forward,
                      .backward = pass.backward,
                      .recompute = pass.recompute,
                      .span = pipeline.span,
                      .tail = deciding.tail.total(),
                      .tailStage = static_cast<std::int64_t>(deciding.ending),
                      .hostStep = context.software.step,
                      .hostMicroBatch = context.software.microBatch};
    TimeByPart& parts = estimate.parts;
    parts = (pass.forward + pass.backward) * m;
    parts.of(TimePart::Bubble) = pipeline.span - pipeline.exchange - m * pass.total();
    parts.of(TimePart::Stage) = pipeline.exchange;
    parts.of(TimePart::Shard) += deciding.tail.total();
    parts.of(TimePart::Optimizer) = deciding.optimizer;
    parts.of(TimePart::Host) +=
        context.software.step.count() + m * context.software.microBatch.count();
    estimate.step = stepHeadline(Seconds(parts.total()), context.interval);
    estimate.comm = commLines(
        context.clock,
        {.stage = deciding.slowest,
         .time = &stages[deciding.slowest],
         .exchange = pipeline.exchange},
        {.stage = deciding.ending, .time = &stages[deciding.ending], .tail = deciding.tail});
    const double tokens = static_cast<double>(scenario.workload.globalBatch) *
                          static_cast<double>(scenario.workload.sequence);
    estimate.tokensPerSecond = tokens / estimate.step.value.count();
    estimate.tokensPerGpuSecond =
        estimate.tokensPerSecond / static_cast<double>(scenario.layout.world());
    estimate.utilisation = utilisation(scenario, estimate.tokensPerGpuSecond);
    if (std::string note = offloadNote(scenario, context.host); !note.empty()) {
        estimate.notes.push_back(std::move(note));
    }
    return estimate;
}

/// The GPU must multiply in the types that the settings ask for.
Result<void> checkTypes(const Scenario& scenario, const KernelProfile& kernels) {
    const auto refuse = [&](const char* key, GemmType type, const char* hint) {
        return fail(Error::Code::Unsupported,
                    key,
                    scenario.cluster.node.gpu.name + " has no matrix multiplies in " +
                        std::string(nameOf(type)),
                    hint);
    };
    const GemmType plain = gemmTypeOf(scenario.settings, false, kernels);
    if (!kernels.supports(plain)) {
        return refuse("settings.precision.compute", plain, "precision fp16, or another GPU");
    }
    const GemmType quantised = gemmTypeOf(scenario.settings, true, kernels);
    if (!kernels.supports(quantised)) {
        return refuse("settings.kernels.quantization", quantised, "precision bf16, or another GPU");
    }
    return {};
}

}  // namespace

Result<StepEstimator> StepEstimator::make(const ClusterSpec& cluster,
                                          const TimingProfiles& profiles) {
    const auto& kernels = cluster.node.gpu.kernels;
    if (!kernels) {
        return fail(Error::Code::Unsupported,
                    "cluster.gpu",
                    "nobody has measured the kernels of " + cluster.node.gpu.name);
    }
    const CollectiveLibrary& library = profiles.libraryOf(cluster.node.gpu);
    FABRICAST_ASSIGN(const ClusterLinks links, clusterLinks(cluster, library.model));
    return StepEstimator(std::make_unique<Fabric>(cluster, *kernels, links, library), profiles);
}

Result<ModelTime> StepEstimator::blocks(const Scenario& scenario, const LayerOps& layers) const {
    FABRICAST_TRY(checkTypes(scenario, fabric_->kernels));
    return modelTime(scenario, layers, fabric_->kernels);
}

Result<StepEstimator::Setting> StepEstimator::settingOf(const Scenario& scenario) {
    FABRICAST_TRY(checkOffload(scenario));
    FABRICAST_ASSIGN(const Stack* stack, findStack(scenario.stack));
    const SoftwareTiming* const software =
        profiles_->softwareOf(softwareName(scenario.settings), scenario.cluster.node.gpu);
    if (software == nullptr) {
        return fail(Error::Code::NotFound,
                    "hardware_profiles/software",
                    "there is no profile of " + std::string(softwareName(scenario.settings)));
    }
    return Setting{
        software,
        CommClock(scenario, rankOrderOf(*stack, scenario.layout), fabric_->links, fabric_->curves)};
}

StepContext StepEstimator::contextOf(const Scenario& scenario,
                                     const ModelTime& blocks,
                                     Setting& setting) const {
    return {scenario,
            fabric_->kernels,
            *setting.software,
            blocks,
            setting.clock,
            profiles_->host,
            profiles_->intervals.of(evidenceClass(scenario))};
}

Result<StepEstimate> StepEstimator::estimate(const Scenario& scenario, const ModelTime& blocks) {
    FABRICAST_ASSIGN(Setting setting, settingOf(scenario));
    const StepContext context = contextOf(scenario, blocks, setting);
    FABRICAST_ASSIGN(const std::vector<StageTime> stages, stageTimes(context));
    FABRICAST_ASSIGN(const PipelineTime pipeline, pipelineTime(scenario, stages, *spans_));
    return summed(context, stages, pipeline);
}

Result<StepPieces> StepEstimator::pieces(const Scenario& scenario, const ModelTime& blocks) {
    FABRICAST_ASSIGN(Setting setting, settingOf(scenario));
    const StepContext context = contextOf(scenario, blocks, setting);
    StepPieces pieces{.stages = {}, .sent = {}, .optimizer = {}, .software = *setting.software};
    FABRICAST_ASSIGN(pieces.stages, stageTimes(context));
    for (const StageTime& stage : pieces.stages) {
        pieces.optimizer.push_back(optimizerSeconds(context, stage));
        pieces.sent.push_back(stageSent(stage, setting.clock));
    }
    return pieces;
}

Result<LayerExposures> StepEstimator::exposures(const Scenario& scenario, const ModelTime& blocks) {
    FABRICAST_ASSIGN(Setting setting, settingOf(scenario));
    return layerExposures(contextOf(scenario, blocks, setting));
}

Result<StepEstimate> estimateStep(const Scenario& scenario, const TimingProfiles& profiles) {
    FABRICAST_ASSIGN(StepEstimator estimator, StepEstimator::make(scenario.cluster, profiles));
    FABRICAST_ASSIGN(const LayerOps layers, layerOps(scenario));
    FABRICAST_ASSIGN(const ModelTime blocks, estimator.blocks(scenario, layers));
    return estimator.estimate(scenario, blocks);
}

Result<StepPieces> stepPieces(const Scenario& scenario, const TimingProfiles& profiles) {
    FABRICAST_ASSIGN(StepEstimator estimator, StepEstimator::make(scenario.cluster, profiles));
    FABRICAST_ASSIGN(const LayerOps layers, layerOps(scenario));
    FABRICAST_ASSIGN(const ModelTime blocks, estimator.blocks(scenario, layers));
    return estimator.pieces(scenario, blocks);
}

}  // namespace fabricast
