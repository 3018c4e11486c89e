#include "planner/estimate/outer_step.h"

#include "planner/base/quantity_text.h"
#include "planner/compute/kernel_times.h"
#include "planner/estimate/offload_time.h"
#include "planner/ops/trained_weights.h"
#include "planner/spec/dtype.h"
#include "planner/spec/one_site.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace fabricast {

namespace {

/// In fp32: the copy read and the difference written, then difference, momentum and copy read, and
/// the last two written.
constexpr double kUpdateBytes = 7.0 * 4.0;

/// That all GPUs of a site reach other sites with.
double rateOf(const ClusterLinks& links) {
    const double nics =
        links.nicBandwidth.count() * links.nicsPerGpu * static_cast<double>(links.siteGpus);
    return std::min(links.siteBandwidth.count(), nics);
}

/// Parameters that a rank holds of those that it trains.
double heldHere(const Scenario& scenario, const StageTime& stage) {
    const Shard shard = scenario.layout.shard;
    const bool divided = shard == Shard::Fsdp || shard == Shard::Zero3 || shard == Shard::Hsdp;
    return divided ? steppedHere(scenario, stage.trained, stage.trainedExperts)
                   : stage.trained + stage.trainedExperts;
}

double updateSeconds(const OuterContext& context, const std::vector<StageTime>& stages) {
    const OneSite site(context.scenario);
    const Settings& settings = context.scenario.settings;
    double held = 0.0;
    for (const StageTime& stage : stages) {
        held = std::max(held, heldHere(site.scenario(), stage));
    }
    const auto width = static_cast<double>(bytesPerElement(settings.precision.parameters));
    const double bytes = held * (kUpdateBytes + 2.0 * width);
    if (settings.outer.place == OuterPlace::Host) {
        return hostPassSeconds(site.scenario(), context.host, bytes, held * 2.0 * width);
    }
    return memoryTime(context.kernels, MemoryOp::Optimizer, bytes, {}).count();
}

CommLine lineOf(const Scenario& scenario, const OuterStep& outer) {
    const OuterSettings& settings = scenario.settings.outer;
    const std::int64_t sites = scenario.cluster.sites.count;
    const double bytes = outer.parameters * static_cast<double>(bytesPerElement(settings.wire)) /
                         static_cast<double>(settings.fragments);
    return {.stage = 0,
            .axis = "sites",
            .collective = "all_reduce",
            .use = "outer gradients",
            .part = TimePart::Shard,
            .betweenNodes = true,
            .sites = sites,
            .groupSize = sites,
            .bytes = Bytes(std::llround(bytes)),
            .count = settings.fragments,
            .every = outer.steps,
            .seconds = outer.exchange / static_cast<double>(outer.steps),
            .exposed = outer.exposedExchange};
}

void addNotes(const Scenario& scenario, const OuterStep& outer, StepEstimate& step) {
    const std::int64_t sites = scenario.cluster.sites.count;
    step.notes.push_back("each site steps its optimizer by its own " +
                         std::to_string(scenario.workload.globalBatch / sites) + " samples for " +
                         std::to_string(outer.steps) +
                         " steps: what that does to convergence is not modelled");
    step.notes.push_back(
        "an outer step: " + shortText(Seconds(outer.exchange)) + " between sites, which send " +
        shortText(outer.sent) + " each" +
        (scenario.settings.outer.overlap ? ", beside the next steps, and " : ", and ") +
        shortText(Seconds(outer.update)) + " of its optimizer");
}

}  // namespace

OuterStep outerStep(const OuterContext& context,
                    const std::vector<StageTime>& stages,
                    double inner) {
    const OuterSettings& settings = context.scenario.settings.outer;
    const auto sites = static_cast<double>(context.scenario.cluster.sites.count);
    const auto steps = static_cast<double>(settings.steps);
    OuterStep outer{.steps = settings.steps,
                    .parameters = static_cast<double>(elementsTrained(context.scenario)),
                    .inner = inner};
    const double sent = 2.0 * (sites - 1.0) / sites * outer.parameters *
                        static_cast<double>(bytesPerElement(settings.wire));
    outer.sent = Bytes(std::llround(sent));
    outer.exchange = static_cast<double>(settings.fragments) * 2.0 * (sites - 1.0) *
                         context.links.siteLatency.count() +
                     sent / rateOf(context.links);
    outer.update = updateSeconds(context, stages);
    const double waited =
        settings.overlap ? std::max(0.0, outer.exchange - steps * inner) : outer.exchange;
    outer.exposedExchange = waited / steps;
    outer.exposedUpdate = outer.update / steps;
    return outer;
}

void addOuter(const Scenario& scenario, const OuterStep& outer, StepEstimate& step) {
    const double longer = outer.total() / outer.inner;
    const auto sites = static_cast<double>(scenario.cluster.sites.count);
    step.outer = outer;
    step.parts.of(TimePart::Shard) += outer.exposedExchange;
    step.parts.of(TimePart::Optimizer) += outer.exposedUpdate;
    for (Seconds* const bound : {&step.step.value, &step.step.lo, &step.step.hi}) {
        *bound = *bound * longer;
    }
    step.tokensPerSecond *= sites / longer;
    step.tokensPerGpuSecond /= longer;
    if (step.utilisation.mfu) {
        *step.utilisation.mfu /= longer;
    }
    step.comm.push_back(lineOf(scenario, outer));
    std::ranges::stable_sort(step.comm, [](const CommLine& a, const CommLine& b) {
        return std::pair(a.exposed, a.seconds) > std::pair(b.exposed, b.seconds);
    });
    addNotes(scenario, outer, step);
}

}  // namespace fabricast
