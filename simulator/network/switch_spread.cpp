#include "simulator/network/switch_spread.h"

#include "simulator/network/local_paths.h"

#include <limits>

namespace fabricast {
namespace {

constexpr std::uint16_t kNotReached = std::numeric_limits<std::uint16_t>::max();
/// Hops that are remembered at a time: of 10,000 switches those to 3,000 of them.
constexpr std::size_t kMostKept = 30'000'000;

}  // namespace

SwitchSpread::SwitchSpread(const Topology& topology)
    : topology_(topology), number_(topology.devices().size()) {
    for (DeviceIndex device = 0; device < topology.devices().size(); ++device) {
        if (isFabric(topology.devices()[device].kind)) {
            number_[device] = static_cast<std::uint32_t>(devices_.size());
            devices_.push_back(device);
        }
    }
    for (const DeviceIndex device : devices_) {
        first_.push_back(ways_.size());
        for (const Hop hop : topology.hops(device)) {
            if (isFabric(topology.devices()[hop.to].kind)) {
                ways_.push_back({number_[hop.to], hop.link});
            }
        }
    }
    first_.push_back(ways_.size());
    here_.resize(devices_.size());
}

const std::vector<std::uint16_t>& SwitchSpread::hopsTo(std::uint32_t target, std::uint32_t from) {
    if (reach_.size() * devices_.size() > kMostKept && !reach_.contains(target)) {
        reach_.clear();
    }
    const auto [entry, isNew] = reach_.try_emplace(target);
    Reach& reach = entry->second;
    if (isNew) {
        reach.hops.assign(devices_.size(), kNotReached);
        reach.hops[target] = 0;
        reach.open.push_back(target);
    }
    while (reach.hops[from] == kNotReached && reach.next < reach.open.size()) {
        const std::uint32_t at = reach.open[reach.next++];
        for (const Way way : ways(at)) {
            if (reach.hops[way.to] == kNotReached) {
                reach.hops[way.to] = static_cast<std::uint16_t>(reach.hops[at] + 1);
                reach.open.push_back(way.to);
            }
        }
    }
    return reach.hops;
}

/// Half of the way to where the hops are counted to, a step nearer at a time, in equal parts.
void SwitchSpread::climb(std::uint32_t from,
                         const std::vector<std::uint16_t>& hops,
                         double bytes,
                         bool forward,
                         LinkSums& loads) {
    std::vector<std::uint32_t> level = {from};
    here_[from] = bytes;
    // Of an odd number of hops the way there takes the one in the middle.
    const int steps = (hops[from] + (forward ? 1 : 0)) / 2;
    for (int step = 0; step < steps; ++step) {
        std::vector<std::uint32_t> next;
        for (const std::uint32_t at : level) {
            std::size_t count = 0;
            for (const Way way : ways(at)) {
                count += hops[way.to] + 1 == hops[at] ? 1U : 0U;
            }
            const double part = here_[at] / static_cast<double>(count);
            here_[at] = 0.0;
            for (const Way way : ways(at)) {
                if (hops[way.to] + 1 != hops[at]) {
                    continue;
                }
                const bool fromTo = topology_.links()[way.link].from == devices_[at];
                loads.add(way.link * std::size_t{2} + (fromTo == forward ? 0 : 1), part);
                if (here_[way.to] == 0.0) {
                    next.push_back(way.to);
                }
                here_[way.to] += part;
            }
        }
        level = std::move(next);
    }
    for (const std::uint32_t at : level) {
        here_[at] = 0.0;
    }
}

void SwitchSpread::add(DeviceIndex from, DeviceIndex to, double bytes, LinkSums& loads) {
    const std::uint32_t a = number_[from];
    const std::uint32_t b = number_[to];
    if (a == b || hopsTo(b, a)[a] == kNotReached) {
        return;
    }
    climb(a, hopsTo(b, a), bytes, true, loads);
    climb(b, hopsTo(a, b), bytes, false, loads);
}

}  // namespace fabricast
