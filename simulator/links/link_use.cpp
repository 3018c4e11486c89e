#include "simulator/links/link_use.h"

#include <algorithm>
#include <map>
#include <utility>

namespace fabricast {
namespace {

/// Seconds at full speed that the ops of each flow take together.
std::vector<double> secondsOfFlows(const SimProgram& program, std::size_t flows) {
    std::vector<double> sums(flows);
    for (const SimOp& op : program.ops()) {
        if (op.flow != kNoFlow) {
            sums[op.flow] += seconds(op.duration).count();
        }
    }
    return sums;
}

/// Seconds in which each link would be full, one way; a slow one takes longer for the same.
std::vector<double> busyLinks(const SimProgram& program, const StepFlows& flows) {
    const std::vector<double> times = secondsOfFlows(program, flows.flows().size());
    const std::vector<BytesPerSecond> capacities = resourceCapacities(*flows.topology());
    std::vector<double> busy(capacities.size());
    for (std::size_t number = 0; number < times.size(); ++number) {
        const StepFlows::Flow& flow = flows.flows()[number];
        for (const ResourceUse use : flows.loads(flow)) {
            const double share = use.share * flow.rate / capacities[use.resource].count();
            busy[use.resource] += share / timesLineRate(share, flows.usual(), flow) *
                                  flows.slowness(use.resource) * times[number];
        }
    }
    return busy;
}

}  // namespace

std::vector<LinkUse> linkUses(const SimProgram& program,
                              const SimRun& run,
                              const StepFlows& flows) {
    if (flows.topology() == nullptr || run.makespan <= SimTime(0)) {
        return {};
    }
    const Topology& topology = *flows.topology();
    const std::vector<double> busy = busyLinks(program, flows);
    const double all = seconds(run.makespan).count();
    std::map<std::pair<DeviceKind, DeviceKind>, LinkUse> classes;
    for (LinkIndex link = 0; link < topology.links().size(); ++link) {
        const NetworkLink& joint = topology.links()[link];
        const auto [low, high] =
            std::minmax(topology.devices()[joint.from].kind, topology.devices()[joint.to].kind);
        LinkUse& use = classes[{low, high}];
        for (const bool forth : {true, false}) {
            const double share = busy[resourceOf(link, forth)] / all;
            ++use.links;
            use.mean += share;
            if (share > use.most) {
                use.most = share;
                use.fullest = topology.linkName(link);
            }
        }
    }
    std::vector<LinkUse> uses;
    for (auto& [kinds, use] : classes) {
        use.name = std::string(deviceKindName(kinds.first)) + "-" +
                   std::string(deviceKindName(kinds.second));
        use.mean /= static_cast<double>(use.links);
        uses.push_back(std::move(use));
    }
    return uses;
}

}  // namespace fabricast
