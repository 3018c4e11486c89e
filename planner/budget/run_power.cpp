#include "planner/budget/run_power.h"

#include <algorithm>

namespace fabricast {
namespace {

struct Bound {
    double training = 0.0;
    double pue = 0.0;
};

Watts perGpu(const ClusterSpec& cluster, const RunPower& power, double swing, const Bound& bound) {
    const auto gpus = static_cast<double>(cluster.node.gpus);
    const double cap = cluster.node.gpu.power.value->count();
    const double computing = bound.training * power.nodeRated.count();
    const double waiting = swing * gpus * cap * (1.0 - power.busy);
    return Watts(bound.pue * std::max(computing - waiting, 0.0) / gpus);
}

}  // namespace

double busyShare(const TimeByPart& parts) {
    const double all = parts.total();
    const double waits = parts.of(TimePart::Bubble) + parts.of(TimePart::Host);
    return all > 0 ? std::clamp(1.0 - waits / all, 0.0, 1.0) : 1.0;
}

RunPower runPower(const ClusterSpec& cluster, const PowerFacts& facts, double busy) {
    RunPower power{.busy = busy};
    const NodeSpec& node = cluster.node;
    const bool known = facts.trainingShare.value && facts.pue.value && facts.gpuSwing.value;
    if (!node.gpu.power.value || !known || node.gpus < 1) {
        return power;
    }
    if (node.power.value) {
        power.nodeRated = *node.power.value;
    } else if (facts.nodeOverGpus.value) {
        power.nodeEstimated = true;
        power.nodeRated =
            *node.gpu.power.value * (static_cast<double>(node.gpus) * *facts.nodeOverGpus.value);
    } else {
        return power;
    }
    const double swing = *facts.gpuSwing.value;
    const double training = *facts.trainingShare.value;
    const double pue = *facts.pue.value;
    const auto at = [&](const Bound& bound) { return perGpu(cluster, power, swing, bound); };
    power.perGpu = Headline<Watts>{
        .value = at({training, pue}),
        .lo = at({facts.trainingShare.lo.value_or(training), facts.pue.lo.value_or(pue)}),
        .hi = at({facts.trainingShare.hi.value_or(training), facts.pue.hi.value_or(pue)}),
        .evidence = Evidence::Modelled};
    return power;
}

}  // namespace fabricast
