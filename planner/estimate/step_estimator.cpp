#include "planner/estimate/step_estimator.h"

#include "planner/base/quantity_text.h"
#include "planner/estimate/comm_lines.h"
#include "planner/estimate/data_parallel_time.h"
#include "planner/estimate/drive_time.h"
#include "planner/estimate/expert_waits.h"
#include "planner/estimate/offload_time.h"
#include "planner/estimate/op_kernels.h"
#include "planner/estimate/outer_step.h"
#include "planner/estimate/pipeline_time.h"
#include "planner/estimate/reference_time.h"
#include "planner/estimate/run_traits.h"
#include "planner/estimate/stage_time.h"
#include "planner/evidence/host_evidence.h"
#include "planner/evidence/likeness.h"
#include "planner/ops/flops.h"
#include "planner/ops/rank_shape.h"
#include "planner/ops/trained_weights.h"
#include "planner/result/evidence.h"
#include "planner/spec/kernel_names.h"
#include "planner/spec/names.h"
#include "planner/stack/model_code.h"
#include "planner/stack/stack.h"

#include <algorithm>
#include <cmath>
#include <optional>
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

PassSum passSum(const StageTime& stage) {
    PassSum sum;
    for (const ChunkTime& chunk : stage.chunks) {
        sum.forward += chunk.forward;
        sum.backward += chunk.backward;
        sum.recompute += chunk.recompute;
    }
    return sum;
}

/// The stages' contributions to the whole step.
struct Deciding {
    std::size_t slowest = 0;   ///< of the stages, the one with the longest passes
    std::size_t ending = 0;    ///< the one that waits longest after them
    std::size_t stepping = 0;  ///< the one whose optimizer takes longest
    StageTail tail;
    double optimizer = 0.0;
};

Deciding decidingOf(const StepContext& context,
                    const std::vector<StageTime>& stages,
                    const PipelineTime& pipeline) {
    Deciding deciding;
    double longest = -1.0;
    for (std::size_t i = 0; i < stages.size(); ++i) {
        const double both = passSum(stages[i]).total();
        if (both > longest) {
            longest = both;
            deciding.slowest = i;
        }
        if (const double step = optimizerSeconds(context, stages[i]); step > deciding.optimizer) {
            deciding.optimizer = step;
            deciding.stepping = i;
        }
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

// How far a forecast step time is from the truth: what the backtest found for such evidence
// (hardware_profiles/intervals). These two are for profiles without intervals: 79 % of the
// published runs lie between value / kStepBelow and value * kStepAbove.
constexpr double kStepBelow = 1.20;
constexpr double kStepAbove = 1.25;

/// A step time with its 80 % interval, which always holds the forecast itself.
Headline<Seconds> stepHeadline(Seconds value, const StepInterval* interval) {
    const double below = interval != nullptr ? interval->below : 1.0 / kStepBelow;
    const double above = interval != nullptr ? interval->above : kStepAbove;
    return {.value = value,
            .lo = value * std::min(1.0, below),
            .hi = value * std::max(1.0, above),
            .evidence = Evidence::Modelled};
}

/// From a machine's own runs, if there were enough of this evidence.
std::optional<StepInterval> ownInterval(const OwnSpeed& own, std::string_view evidence) {
    const auto found = std::ranges::find(own.intervals, evidence, &OwnInterval::evidence);
    if (found == own.intervals.end()) {
        return std::nullopt;
    }
    return StepInterval{
        .below = found->below, .above = found->above, .runs = found->runs, .sources = 1};
}

/// All times of the host divided by its speed.
OwnHosts ownHosts(const TimingProfiles& profiles, double speed) {
    OwnHosts hosts;
    if (speed == 1.0) {
        return hosts;
    }
    for (const auto& [name, usual] : profiles.software) {
        SoftwareTiming& own = hosts.emplace(&usual, usual).first->second;
        for (const HostTime& one : hostTimesOf(own)) {
            *one.time = *one.time * (1.0 / speed);
        }
    }
    return hosts;
}

/// FLOPs per token that experts are spared, as tokens beyond their capacity are dropped.
double droppedPerToken(const Scenario& scenario) {
    if (!scenario.model.moe || scenario.settings.kernels.capacityFactor <= 0) {
        return 0.0;
    }
    const MoeShape shape = moeShape(scenario);
    const double kept = std::min(
        1.0, static_cast<double>(shape.sent) / static_cast<double>(shape.tokens * shape.topK));
    return (1.0 - kept) * routedFlopsPerToken(scenario.model).count();
}

/// No GPU multiplies faster than its peak: such a peak is wrong.
Utilisation checkedPeak(Utilisation use, const std::string& gpu) {
    if (use.mfu && *use.mfu > 1.0) {
        use.mfu.reset();
        use.why = "the " + use.peakType + " peak of " + gpu + ", " + shortText(use.peak) +
                  ", is less than its kernels reach: correct dense_peak." + use.peakType +
                  " of its profile";
    }
    return use;
}

/// The share of the GPU's printed peak, in the type that computes, that the model's own products
/// use: recomputation does not count, nor weight gradients that LoRA omits, nor dropped tokens.
Utilisation utilisation(const Scenario& scenario, double tokensPerGpuSecond) {
    const PrecisionSettings& precision = scenario.settings.precision;
    const bool rounds = precision.compute == Dtype::Fp32 && precision.tf32;
    Utilisation use{.peakType = std::string(rounds ? "tf32" : nameOf(precision.compute))};
    const auto perToken =
        flopsPerToken(scenario.model, scenario.attendedTokens(), FlopsConvention::Matmul);
    if (!perToken) {
        use.why = perToken.error().text();
        return use;
    }
    const double share = trainedShare(scenario, perToken->count());
    use.perToken = Flops(perToken->count() - droppedPerToken(scenario)) * share;
    const GpuSpec& gpu = scenario.cluster.node.gpu;
    const auto peak = gpu.densePeak.find(use.peakType);
    if (peak == gpu.densePeak.end() || !peak->second.value || peak->second.value->count() <= 0) {
        use.why = "the " + use.peakType + " peak of " + gpu.name + " is not published";
        return use;
    }
    use.peak = *peak->second.value;
    use.mfu = use.perToken.count() * tokensPerGpuSecond / use.peak.count();
    return checkedPeak(std::move(use), gpu.name);
}

/// The parts of a step, and what they are summed from.
struct StepSum {
    Deciding deciding;
    PassSum pass;
    double microBatches = 1.0;
    TimeByPart parts;
};

StepSum summed(const StepContext& context,
               const std::vector<StageTime>& stages,
               const PipelineTime& pipeline) {
    StepSum sum{.deciding = decidingOf(context, stages, pipeline)};
    sum.pass = passSum(stages[sum.deciding.slowest]);
    const double m = sum.microBatches =
        static_cast<double>(std::max<std::int64_t>(1, context.scenario.microBatches()));
    TimeByPart& parts = sum.parts;
    parts = (sum.pass.forward + sum.pass.backward) * m;
    parts.of(TimePart::Bubble) = pipeline.span - pipeline.exchange - m * sum.pass.total();
    parts.of(TimePart::Stage) = pipeline.exchange;
    parts.of(TimePart::Shard) += sum.deciding.tail.total();
    parts.of(TimePart::Optimizer) = sum.deciding.optimizer;
    parts.of(TimePart::Host) +=
        context.software.step.count() + m * context.software.microBatch.count();
    return sum;
}

StepEstimate estimateOf(const StepContext& context,
                        const std::vector<StageTime>& stages,
                        const PipelineTime& pipeline) {
    const Scenario& scenario = context.scenario;
    const StepSum sum = summed(context, stages, pipeline);
    const Deciding& deciding = sum.deciding;
    StepEstimate estimate;
    estimate.slowest = static_cast<std::int64_t>(deciding.slowest);
    estimate.terms = {.microBatches = sum.microBatches,
                      .forward = sum.pass.forward,
                      .backward = sum.pass.backward,
                      .recompute = sum.pass.recompute,
                      .span = pipeline.span,
                      .tail = deciding.tail.total(),
                      .tailStage = static_cast<std::int64_t>(deciding.ending),
                      .hostStep = context.software.step,
                      .hostMicroBatch = context.software.microBatch,
                      .optimizer = optimizerTerms(context, stages[deciding.stepping])};
    estimate.parts = sum.parts;
    estimate.comm = commLines(
        context.clock,
        {.stage = deciding.slowest,
         .time = &stages[deciding.slowest],
         .exchange = pipeline.exchange},
        {.stage = deciding.ending, .time = &stages[deciding.ending], .tail = deciding.tail});
    if (const double stretch = ownStretch(scenario, sum.parts); stretch != 1.0) {
        stretchTimes(estimate, stretch);
        estimate.notes.push_back(stretchNote(stretch, scenario.cluster.node.own.name));
    }
    estimate.step = stepHeadline(Seconds(estimate.parts.total()), context.interval);
    const double tokens = static_cast<double>(scenario.workload.globalBatch) *
                          static_cast<double>(scenario.workload.sequence);
    estimate.tokensPerSecond = tokens / estimate.step.value.count();
    estimate.tokensPerGpuSecond =
        estimate.tokensPerSecond / static_cast<double>(scenario.layout.world());
    estimate.utilisation = utilisation(scenario, estimate.tokensPerGpuSecond);
    if (std::string note = offloadNote(scenario, context.host); !note.empty()) {
        estimate.notes.push_back(std::move(note));
    }
    if (std::string note = referenceTimeNote(scenario.settings); !note.empty()) {
        estimate.notes.push_back(std::move(note));
    }
    if (std::string note = expertWaitsNote(scenario); !note.empty()) {
        estimate.notes.push_back(std::move(note));
    }
    if (std::string note = driveNote(scenario, context.host, estimate.step.value); !note.empty()) {
        estimate.notes.push_back(std::move(note));
    }
    return estimate;
}

}  // namespace

Result<StepEstimator> StepEstimator::make(const ClusterSpec& cluster,
                                          const TimingProfiles& profiles) {
    const auto& kernels = cluster.node.gpu.kernels;
    if (!kernels) {
        return fail(Error::Code::Unsupported,
                    "cluster.gpu",
                    "no kernel measurements for " + cluster.node.gpu.name);
    }
    const CollectiveLibrary& library = profiles.libraryOf(cluster.node.gpu);
    FABRICAST_ASSIGN(const ClusterLinks links, clusterLinks(cluster, library.model));
    auto fabric = std::make_unique<Fabric>(cluster, *kernels, links, library);
    fabric->hosts = ownHosts(profiles, cluster.node.own.factors.of(MachineFactor::Host));
    fabric->leastStretch = fabricast::leastStretch(cluster.node.own.like);
    return StepEstimator(std::move(fabric), profiles);
}

Result<ModelTime> StepEstimator::blocks(const Scenario& scenario, const LayerOps& layers) const {
    FABRICAST_TRY(checkTypes(scenario, fabric_->kernels));
    return modelTime(scenario, layers, fabric_->kernels);
}

Result<ModelTime> StepEstimator::ends(const Scenario& scenario) const {
    FABRICAST_TRY(checkTypes(scenario, fabric_->kernels));
    return endTimes(scenario, fabric_->kernels);
}

Result<std::vector<ModelTime>> StepEstimator::layers(const Scenario& scenario,
                                                     const LayerOps& ops,
                                                     std::span<const CpKind> kinds) const {
    FABRICAST_TRY(checkTypes(scenario, fabric_->kernels));
    return layerTimes(scenario, ops, fabric_->kernels, kinds);
}

Result<StepEstimator::Setting> StepEstimator::settingOf(const Scenario& scenario) {
    FABRICAST_TRY(checkOffload(scenario));
    FABRICAST_TRY(checkReferenceTime(scenario.settings));
    FABRICAST_ASSIGN(const Stack* stack, findStack(scenario.stack));
    const SoftwareTiming* const software =
        profiles_->softwareOf(scenario.settings, scenario.cluster.node.gpu);
    if (software == nullptr) {
        return fail(Error::Code::NotFound,
                    "hardware_profiles/software",
                    "no profile for " + std::string(softwareName(scenario.settings)));
    }
    const auto own = fabric_->hosts.find(software);
    auto site = std::make_unique<const OneSite>(scenario);
    const Scenario& one = site->scenario();
    return Setting{
        std::move(site),
        own == fabric_->hosts.end() ? software : &own->second,
        CommClock(one, rankOrderOf(*stack, one.layout), fabric_->links, fabric_->curves)};
}

StepContext StepEstimator::contextOf(const ModelTime& blocks, Setting& setting) const {
    return {setting.scenario(),
            fabric_->kernels,
            *setting.software,
            blocks,
            setting.clock,
            profiles_->host};
}

OuterStep StepEstimator::outerOf(const Scenario& scenario,
                                 const std::vector<StageTime>& stages,
                                 double inner) const {
    return outerStep({scenario, fabric_->kernels, fabric_->links, profiles_->host}, stages, inner);
}

Result<StepEstimate> StepEstimator::estimate(const Scenario& scenario, const ModelTime& blocks) {
    FABRICAST_ASSIGN(Setting setting, settingOf(scenario));
    StepContext context = contextOf(blocks, setting);
    const std::string evidence = evidenceClass(scenario);
    const std::optional<StepInterval> own = ownInterval(scenario.cluster.node.own, evidence);
    context.interval = own ? &*own : profiles_->intervals.of(evidence);
    FABRICAST_ASSIGN(const std::vector<StageTime> stages,
                     stageTimes(context, tensors_.of(context.scenario)));
    FABRICAST_ASSIGN(const PipelineTime pipeline,
                     pipelineTime(setting.scenario(), stages, *spans_));
    StepEstimate step = estimateOf(context, stages, pipeline);
    if (trainsApart(scenario)) {
        addOuter(scenario, outerOf(scenario, stages, step.step.value.count()), step);
    }
    step.comparison = profiles_->intervals.comparison;
    if (!std::isfinite(step.step.value.count())) {
        return fail(Error::Code::Unsupported,
                    "cluster",
                    "the numbers of " + scenario.cluster.node.gpu.name +
                        " and its network give no finite step time",
                    "fabricast profiles show " + scenario.cluster.node.gpu.name);
    }
    return step;
}

Result<double> StepEstimator::seconds(const Scenario& scenario, const ModelTime& blocks) {
    FABRICAST_ASSIGN(Setting setting, settingOf(scenario));
    const StepContext context = contextOf(blocks, setting);
    FABRICAST_ASSIGN(const std::vector<StageTime> stages,
                     stageTimes(context, tensors_.of(context.scenario)));
    FABRICAST_ASSIGN(const PipelineTime pipeline,
                     pipelineTime(setting.scenario(), stages, *spans_));
    const TimeByPart parts = summed(context, stages, pipeline).parts;
    const double seconds = parts.total() * ownStretch(setting.scenario(), parts);
    return trainsApart(scenario) ? outerOf(scenario, stages, seconds).total() : seconds;
}

Result<StepPieces> StepEstimator::pieces(const Scenario& scenario, const ModelTime& blocks) {
    FABRICAST_ASSIGN(Setting setting, settingOf(scenario));
    const StepContext context = contextOf(blocks, setting);
    StepPieces pieces{.stages = {}, .sent = {}, .optimizer = {}, .software = *setting.software};
    FABRICAST_ASSIGN(pieces.stages, stageTimes(context, tensors_.of(context.scenario)));
    for (const StageTime& stage : pieces.stages) {
        pieces.optimizer.push_back(optimizerSeconds(context, stage));
        pieces.sent.push_back(stageSent(stage, setting.clock));
    }
    return pieces;
}

Result<LayerWaits> StepEstimator::leastWaits(const Scenario& scenario) {
    FABRICAST_ASSIGN(Setting setting, settingOf(scenario));
    return fabricast::leastWaits(setting.scenario(), *setting.software, setting.clock);
}

Result<double> StepEstimator::leastTail(const Scenario& scenario) {
    FABRICAST_ASSIGN(Setting setting, settingOf(scenario));
    const Scenario& one = setting.scenario();
    return fabricast::leastTail(one, *setting.software, setting.clock, tensors_.of(one));
}

Result<StepFloor> StepEstimator::floor(const Scenario& scenario,
                                       const ModelTime& blocks,
                                       std::span<const std::int64_t> layers,
                                       PassFloors& known) {
    FABRICAST_ASSIGN(Setting setting, settingOf(scenario));
    return stepFloor(contextOf(blocks, setting), layers, known);
}

Result<PassFloor> StepEstimator::modelFloor(const Scenario& scenario,
                                            const ModelTime& blocks,
                                            PassFloors& known) {
    if (const PassFloor* const pass = known.find(wholeModel(scenario))) {
        return *pass;
    }
    FABRICAST_ASSIGN(Setting setting, settingOf(scenario));
    return fabricast::modelFloor(contextOf(blocks, setting), known);
}

Result<StepPieces> stepPieces(const Scenario& scenario, const TimingProfiles& profiles) {
    FABRICAST_ASSIGN(StepEstimator estimator, StepEstimator::make(scenario.cluster, profiles));
    FABRICAST_ASSIGN(const LayerOps layers, layerOps(scenario));
    FABRICAST_ASSIGN(const ModelTime blocks, estimator.blocks(scenario, layers));
    return estimator.pieces(scenario, blocks);
}

}  // namespace fabricast
