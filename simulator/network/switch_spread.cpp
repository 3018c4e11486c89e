#include "simulator/network/switch_spread.h"

#include "simulator/network/local_paths.h"

#include <limits>

namespace fabricast {
namespace {

constexpr std::uint16_t kNotReached = std::numeric_limits<std::uint16_t>::max();

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

const std::vector<std::uint16_t>& SwitchSpread::hopsTo(std::uint32_t target) {
    const auto [entry, isNew] = hops_.try_emplace(target);
    std::vector<std::uint16_t>& hops = entry->second;
    if (!isNew) {
        return hops;
    }
    hops.assign(devices_.size(), kNotReached);
    hops[target] = 0;
    std::vector<std::uint32_t> open = {target};
    for (std::size_t next = 0; next < open.size(); ++next) {
        for (const Way way : ways(open[next])) {
            if (hops[way.to] == kNotReached) {
                hops[way.to] = static_cast<std::uint16_t>(hops[open[next]] + 1);
                open.push_back(way.to);
            }
        }
    }
    return hops;
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
    if (a == b || hopsTo(b)[a] == kNotReached) {
        return;
    }
    climb(a, hopsTo(b), bytes, true, loads);
    climb(b, hopsTo(a), bytes, false, loads);
}

}  // namespace fabricast
