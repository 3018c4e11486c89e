#include "planner/estimate/pipeline_time.h"

#include "planner/comm/collective_groups.h"
#include "planner/schedule/framework_order.h"
#include "planner/stack/stack.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace fabricast {

namespace {

PipelineTime withoutPipeline(const Scenario& scenario, const StageTime& stage) {
    const auto m = static_cast<double>(std::max<std::int64_t>(1, scenario.microBatches()));
    PipelineTime time;
    for (const ChunkTime& chunk : stage.chunks) {
        time.span += m * (chunk.forward.total() + chunk.backward.total());
    }
    time.slack = {{0.0}};
    time.firstForward = {{0.0}};
    return time;
}

/// Forwards and backwards of all stages in a step: more are not timed one by one.
constexpr std::int64_t kMostPasses = 1'000'000;

Result<void> checkPasses(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const std::int64_t most = kMostPasses / (2 * layout.pp * layout.vpp);
    if (scenario.microBatches() <= most) {
        return {};
    }
    return fail(Error::Code::Unsupported,
                "layout.micro_batch",
                "a step of " + std::to_string(scenario.microBatches()) + " microbatches through " +
                    std::to_string(layout.pp * layout.vpp) +
                    " stages is too long to be timed: " + std::to_string(most) + " at most",
                "a larger dp or micro_batch, or a smaller global batch");
}

/// Of "4 or 8" microbatches: "--global-batch 16 or 32 (4 or 8 microbatches)".
std::string batchesOf(const std::string& counts, const Layout& layout) {
    constexpr std::string_view kDigits = "0123456789";
    std::string batches;
    for (std::size_t at = 0; at < counts.size();) {
        const std::size_t next = std::min(counts.find_first_not_of(kDigits, at), counts.size());
        if (next > at) {
            const std::int64_t count = std::stoll(counts.substr(at, next - at));
            batches += std::to_string(count * layout.dp * layout.microBatch);
        }
        const std::size_t end = std::min(counts.find_first_of(kDigits, next), counts.size());
        batches += counts.substr(next, end - next);
        at = end;
    }
    return "--global-batch " + batches + " (" + counts + " microbatches)";
}

/// A refusal in the words of a scenario rather than in the flags of `fabricast schedule`.
Error inScenarioKeys(Error error, const Layout& layout) {
    constexpr std::string_view kMicroBatches = "--microbatches ";
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kKeys = {
        {{"--vpp ", "layout.vpp="}, {"--group ", "layout.group="}, {"--pp ", "layout.pp="}}};
    error.where = error.where == "schedule" ? "layout.schedule" : error.where;
    if (error.hint.starts_with(kMicroBatches)) {
        error.hint = batchesOf(error.hint.substr(kMicroBatches.size()), layout);
    }
    for (const auto& [flag, key] : kKeys) {
        if (error.hint.starts_with(flag)) {
            error.hint.replace(0, flag.size(), key);
        }
    }
    return error;
}

}  // namespace

Receive receiveOf(const Scenario& scenario) {
    const bool blocks = scenario.settings.engine == Engine::Megatron && scenario.layout.vpp == 1;
    return blocks ? Receive::Block : Receive::Overlap;
}

Result<FrameworkOrder> pipelineOrderOf(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    FABRICAST_TRY(checkPasses(scenario));
    FABRICAST_ASSIGN(const Framework framework, frameworkOf(scenario.stack));
    Result<FrameworkOrder> order = frameworkOrder(
        {.framework = framework,
         .schedule = layout.schedule,
         .expertOverlap = scenario.settings.megatron.expertOverlap && layout.vpp > 1,
         .shape = {.ranks = layout.pp,
                   .chunks = layout.vpp,
                   .microBatches = scenario.microBatches(),
                   .group = layout.scheduleGroup > 0 ? layout.scheduleGroup : layout.pp}});
    if (!order) {
        return tl::unexpected(inScenarioKeys(std::move(order).error(), layout));
    }
    return order;
}

Result<void> checkOrder(const Scenario& scenario) {
    if (scenario.layout.pp == 1) {
        return {};
    }
    const Result<FrameworkOrder> order = pipelineOrderOf(scenario);
    const bool isRefused = !order && order.error().code != Error::Code::Unsupported;
    return isRefused ? tl::unexpected(order.error()) : Result<void>();
}

SendTimes sendTimes(const std::vector<StageTime>& stages) {
    SendTimes seconds;
    for (const StageTime& stage : stages) {
        for (const ChunkTime& chunk : stage.chunks) {
            seconds.near = std::max(seconds.near, chunk.sendSeconds);
            seconds.far = std::max(seconds.far, chunk.farSeconds);
        }
    }
    return seconds;
}

SendTimes handOverTimes(const Scenario& scenario, const std::vector<StageTime>& stages) {
    const SendTimes once = sendTimes(stages);
    const double times = scenario.settings.pipeline.serialExchange ? 2.0 : 1.0;
    return {.near = once.near * times, .far = once.far * times};
}

Result<std::int64_t> ranksAtSite(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    if (scenario.cluster.sites.count <= 1 || layout.pp == 1) {
        return 0;
    }
    FABRICAST_ASSIGN(const Stack* const stack, findStack(scenario.stack));
    const GroupAxes pipeline = groupAxes(layout, rankOrderOf(*stack, layout), GroupKind::Pipeline);
    const GroupSpan span = spanOver(pipeline, scenario.cluster.siteGpus(), layout.world());
    return span.pieces > 1 ? span.perPiece : 0;
}

Result<PipelineTime> pipelineTime(const Scenario& scenario,
                                  const std::vector<StageTime>& stages,
                                  SpanWorkspace& spans) {
    const Layout& layout = scenario.layout;
    if (layout.pp == 1) {
        return withoutPipeline(scenario, stages.front());
    }
    FABRICAST_ASSIGN(const FrameworkOrder chosen, pipelineOrderOf(scenario));
    const Placement placement = recipeOf(chosen.kind).placement;
    const StepList& steps = spans.steps(chosen.kind, chosen.shape);
    std::vector<double> passes(static_cast<std::size_t>(steps.stages) * kPasses, 0.0);
    std::vector<std::size_t> chunksSeen(stages.size(), 0);
    PipelineTime time;
    time.slack.resize(stages.size());
    time.firstForward.resize(stages.size());
    std::vector<std::size_t> rankOf;
    for (std::size_t stage = 0; stage < static_cast<std::size_t>(steps.stages); ++stage) {
        const auto rank = static_cast<std::size_t>(
            rankOfStage(chosen.shape, placement, static_cast<std::int64_t>(stage), 0));
        rankOf.push_back(rank);
        const ChunkTime& chunk = stages[rank].chunks.at(chunksSeen[rank]++);
        const double backward = chunk.backward.total();
        passes[timeIndex(stage, Pass::Forward)] = chunk.forward.total();
        passes[timeIndex(stage, Pass::Backward)] = backward;
        passes[timeIndex(stage, Pass::InputGradient)] = backward - chunk.weightSeconds;
        passes[timeIndex(stage, Pass::WeightGradient)] = chunk.weightSeconds;
    }
    const SendTimes handOver = handOverTimes(scenario, stages);
    FABRICAST_ASSIGN(const std::int64_t siteRanks, ranksAtSite(scenario));
    SpanClock<double>& clock = spans.clock();
    const Receive receive = receiveOf(scenario);
    const double alone = clock.time(steps, {.passes = passes}).makespan;
    const PipelineSpan<double>& span = clock.time(steps,
                                                  {.passes = passes,
                                                   .handOver = handOver.near,
                                                   .receive = receive,
                                                   .oneAtATime = true,
                                                   .far = handOver.far,
                                                   .siteRanks = siteRanks});
    time.span = span.makespan;
    time.exchange = span.makespan - alone;
    for (std::size_t stage = 0; stage < rankOf.size(); ++stage) {
        time.slack[rankOf[stage]].push_back(span.slack[stage]);
        time.firstForward[rankOf[stage]].push_back(span.firstForward[stage]);
    }
    return time;
}

}  // namespace fabricast
