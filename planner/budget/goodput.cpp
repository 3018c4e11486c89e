#include "planner/budget/goodput.h"

#include "planner/ops/lora_linear.h"
#include "planner/ops/parameters.h"
#include "planner/ops/trained_weights.h"
#include "planner/stack/state_bytes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace fabricast {

namespace {

/// "experts.gate_proj.weight" is the target "gate".
std::string_view targetOf(std::string_view weight) {
    for (const std::string_view ending : {".weight", "_proj"}) {
        weight.remove_suffix(weight.ends_with(ending) ? ending.size() : 0);
    }
    weight.remove_prefix(weight.rfind('.') + 1);
    return weight;
}

/// Experts and router are no linear layers; gate and up, one stack, share an A of twice the rank.
double parameterAdapter(const LoraSettings& lora, const Parameter& weight) {
    const bool router = weight.part == Part::Router;
    if (!lora.targets.contains(router ? "router" : "experts")) {
        return 0.0;
    }
    const auto rows = static_cast<double>(weight.rows);
    const bool down = router || targetOf(weight.name) == "down";
    return static_cast<double>(lora.rank * weight.copies) *
           ((down ? rows : 2.0 * rows) + static_cast<double>(weight.cols));
}

/// lora_A and lora_B of each adapted linear layer, and DoRA's magnitudes.
double adapterElements(const Scenario& scenario) {
    const LoraSettings& lora = scenario.settings.lora;
    double elements = 0.0;
    for (std::int64_t layer = 0; layer < scenario.model.layers; ++layer) {
        for (const Parameter& weight : layerParameters(scenario.model, layer)) {
            const LinearSite site{.name = weight.name, .target = targetOf(weight.name)};
            if (weight.part == Part::Router || weight.part == Part::RoutedExperts) {
                elements += weight.isMatrix() ? parameterAdapter(lora, weight) : 0.0;
                continue;
            }
            if (!weight.isMatrix() || !isAdapted(lora, site)) {
                continue;
            }
            const auto rows = static_cast<double>(weight.rows);
            const auto cols = static_cast<double>(weight.cols);
            const double each =
                static_cast<double>(lora.rank) * (rows + cols) + (lora.dora ? rows : 0.0);
            elements += static_cast<double>(weight.copies) * each;
        }
    }
    return elements;
}

/// Tables that are trained whole beside them.
double savedTables(const Scenario& scenario) {
    const auto tables = static_cast<double>(scenario.settings.lora.modulesToSave.size());
    return tables * static_cast<double>(scenario.model.vocab) *
           static_cast<double>(scenario.model.hidden);
}

double trainedElements(const Scenario& scenario) {
    if (scenario.settings.tuning == Tuning::Lora) {
        return adapterElements(scenario) + savedTables(scenario);
    }
    if (!scenario.settings.train.all()) {
        return static_cast<double>(elementsTrained(scenario));
    }
    const ParameterCount count = countParameters(scenario.model);
    return static_cast<double>(count.total) + static_cast<double>(count.mtp);
}

/// Adafactor's row and column are negligible compared with the weights.
double bytesEach(const Scenario& scenario) {
    const BytesPerParameter state = stateBytes(scenario.settings, scenario.layout);
    return state.of("weights") + state.of("master") + state.of("moments");
}

/// Weights that are frozen are saved with the model, but have no states.
double frozenWeightBytes(const Scenario& scenario) {
    if (scenario.settings.train.all()) {
        return 0.0;
    }
    const double frozen = static_cast<double>(countParameters(scenario.model).total) -
                          static_cast<double>(elementsTrained(scenario));
    return frozen * stateBytes(scenario.settings, scenario.layout).of("weights");
}

const Seconds kNever(std::numeric_limits<double>::infinity());

/// Seconds that the parts of a checkpoint take, each rank with its own share.
struct SaveTimes {
    Seconds snapshot;
    Seconds write;
};

SaveTimes saveTimes(const SavedRun& run, const ClusterSpec& cluster, const BudgetFacts& facts) {
    const double share =
        static_cast<double>(run.checkpoint.count()) / static_cast<double>(run.gpus);
    const GpuSpec& gpu = cluster.node.gpu;
    const Sourced<BytesPerSecond>& measured = cluster.node.pci.hostBandwidth;
    const double line = gpu.pcieBandwidth.value ? gpu.pcieBandwidth.value->count() : 0.0;
    const double copied = measured.value
                              ? measured.value->count()
                              : line * facts.site.storage.snapshotShare.value.value_or(0);
    const double stored =
        facts.site.storage.perGpu.value ? facts.site.storage.perGpu.value->count() : 0.0;
    const Seconds write = stored > 0 ? Seconds(share / stored) : kNever;
    // If the copy rate to the host is not known, a snapshot is as slow as the storage.
    return {copied > 0 ? Seconds(share / copied) : write, write};
}

/// As it is asked for, in time or in steps; nothing where it is to be the best.
std::optional<Seconds> askedInterval(const SavedRun& run, const BudgetFacts& facts) {
    return facts.intervalSteps ? std::optional(static_cast<double>(*facts.intervalSteps) * run.step)
                               : facts.interval;
}

/// The best interval, but no shorter than a step or than storage takes.
Seconds intervalOf(const CheckpointCycle& cycle, Seconds least, std::optional<Seconds> asked) {
    if (asked) {
        return std::max(*asked, least);
    }
    if (std::isinf(cycle.mtbf.count())) {
        return kNever;
    }
    return std::max(dalyInterval(cycle.blocking, cycle.mtbf), least);
}

double goodputWith(const CheckpointCycle& cycle, double mtbfFactor) {
    return cycleGoodput(
        {cycle.interval, cycle.blocking, cycle.recovery, Seconds(cycle.mtbf.count() * mtbfFactor)});
}

/// The cycles of a run whose failures come every `mtbf`.
class CyclePlan {
public:
    CyclePlan(const SavedRun& run, const SaveTimes& times, const BudgetFacts& facts)
        : run_(run), times_(times), facts_(facts) {
        const Reliability& site = facts.site.reliability;
        back_ = site.detection.value.value_or(Seconds()) + site.restart.value.value_or(Seconds());
    }

    void fill(Goodput& goodput) const {
        const Seconds load = times_.write;
        const Seconds lag = times_.write;
        switch (facts_.checkpoint) {
            case CheckpointMode::Sync:
                goodput.cycles[0] = cycle(goodput.mtbf, times_.write, back_ + load, run_.step);
                return;
            case CheckpointMode::Async:
                goodput.cycles[0] = cycle(
                    goodput.mtbf, times_.snapshot, back_ + load + lag, std::max(run_.step, lag));
                return;
            case CheckpointMode::TwoLevel:
                break;
        }
        const double local = facts_.site.reliability.oneHostShare.value.value_or(0.0);
        goodput.count = 2;
        goodput.cycles[0] = cycle(every(goodput.mtbf, local), times_.snapshot, back_, run_.step);
        // Storage gets copies of what memory holds, so it is never written to more often.
        const Seconds held = goodput.cycles[0].interval;
        const Seconds least = std::isinf(held.count()) ? run_.step : std::max(run_.step, held);
        goodput.cycles[1] = cycle(
            every(goodput.mtbf, 1.0 - local), Seconds(), back_ + load + lag, std::max(least, lag));
    }

private:
    /// Only this share of the failures.
    static Seconds every(Seconds mtbf, double share) {
        return share > 0 ? Seconds(mtbf.count() / share) : kNever;
    }

    [[nodiscard]] CheckpointCycle cycle(Seconds mtbf,
                                        Seconds blocking,
                                        Seconds recovery,
                                        Seconds least) const {
        CheckpointCycle made{.mtbf = mtbf, .blocking = blocking, .recovery = recovery};
        const std::optional<Seconds> asked = askedInterval(run_, facts_);
        made.interval = intervalOf(made, least, asked);
        made.isLonger = asked && *asked < made.interval;
        made.goodput = goodputWith(made, 1.0);
        return made;
    }

    const SavedRun& run_;
    const SaveTimes& times_;
    const BudgetFacts& facts_;
    Seconds back_;
};

double productOf(std::span<const CheckpointCycle> cycles, double mtbfFactor) {
    double share = 1.0;
    for (const CheckpointCycle& cycle : cycles) {
        share *= goodputWith(cycle, mtbfFactor);
    }
    return share;
}

}  // namespace

Bytes checkpointBytes(const Scenario& scenario) {
    const double bytes =
        trainedElements(scenario) * bytesEach(scenario) + frozenWeightBytes(scenario);
    constexpr double kMost = 9e18;
    return Bytes(std::llround(std::clamp(bytes, 0.0, kMost)));
}

Seconds dalyInterval(Seconds blocking, Seconds mtbf) {
    const double d = blocking.count();
    const double m = mtbf.count();
    if (d >= 2.0 * m) {
        return mtbf;
    }
    const double ratio = d / m;
    const double factor = 1.0 + std::sqrt(ratio / 2.0) / 3.0 + ratio / 18.0;
    return Seconds(std::sqrt(2.0 * d * m) * factor - d);
}

double cycleGoodput(const CycleTimes& cycle) {
    const double t = cycle.interval.count();
    const double d = cycle.blocking.count();
    const double m = cycle.mtbf.count();
    if (std::isinf(m)) {
        return std::isinf(t) || t + d <= 0.0 ? 1.0 : t / (t + d);
    }
    if (std::isinf(t)) {
        return 0.0;
    }
    const double x = (t + d) / m;
    // (t / (t + d)) · e^(-R/M) · x / (e^x - 1): each factor is at most 1, and none overflows.
    const double useful = t + d > 0.0 ? t / (t + d) : 1.0;
    const double again = std::isinf(x) ? 0.0 : x > 0.0 ? x / std::expm1(x) : 1.0;
    return std::clamp(useful * std::exp(-cycle.recovery.count() / m) * again, 0.0, 1.0);
}

Goodput goodputOf(const SavedRun& run, const ClusterSpec& cluster, const BudgetFacts& facts) {
    const SaveTimes times = saveTimes(run, cluster, facts);
    const Sourced<Seconds>& known = facts.site.reliability.gpuMtbf;
    const Seconds gpuMtbf = facts.gpuMtbf.value_or(known.value.value_or(kNever));
    Goodput goodput{.mtbf = Seconds(gpuMtbf.count() / static_cast<double>(run.gpus)),
                    .checkpoint = run.checkpoint,
                    .snapshot = times.snapshot,
                    .write = times.write};
    CyclePlan(run, times, facts).fill(goodput);
    const std::span<const CheckpointCycle> cycles(goodput.cycles.data(), goodput.count);
    const bool ranged = !facts.gpuMtbf && known.value;
    const double lo = ranged ? known.lo.value_or(*known.value) / *known.value : 1.0;
    const double hi = ranged ? known.hi.value_or(*known.value) / *known.value : 1.0;
    goodput.share = {.value = productOf(cycles, 1.0),
                     .lo = productOf(cycles, lo),
                     .hi = productOf(cycles, hi),
                     .evidence = Evidence::Modelled};
    return goodput;
}

}  // namespace fabricast
