#include "planner/budget/goodput.h"

#include "planner/budget/checkpoint_interval.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace fabricast {
namespace {

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
    // Where nobody knows the way to the host, a snapshot is as slow as the storage.
    return {copied > 0 ? Seconds(share / copied) : write, write};
}

/// The best interval, but no shorter than a step or than storage takes.
Seconds intervalOf(const CheckpointCycle& cycle, Seconds least, const BudgetFacts& facts) {
    if (facts.interval) {
        return std::max(*facts.interval, least);
    }
    if (std::isinf(cycle.mtbf.count())) {
        return kNever;
    }
    return std::max(dalyInterval(cycle.blocking, cycle.mtbf), least);
}

double goodputOf(const CheckpointCycle& cycle, double mtbfFactor) {
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
        goodput.cycles[1] = cycle(every(goodput.mtbf, 1.0 - local),
                                  Seconds(),
                                  back_ + load + lag,
                                  std::max(run_.step, lag));
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
        made.interval = intervalOf(made, least, facts_);
        made.goodput = goodputOf(made, 1.0);
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
        share *= goodputOf(cycle, mtbfFactor);
    }
    return share;
}

}  // namespace

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
