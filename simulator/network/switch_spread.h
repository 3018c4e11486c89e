#pragma once
#include "simulator/network/link_sums.h"
#include "simulator/network/topology.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace fabricast {

/// This is what traffic between leaf switches puts on the links between switches, where all
/// shortest ways carry equal parts, as adaptive routing does: up from either end in equal parts to
/// where they meet.
class SwitchSpread {
public:
    explicit SwitchSpread(const Topology& topology);

    /// From a leaf to another.
    std::uint16_t hops(DeviceIndex from, DeviceIndex to) {
        return hopsTo(number_[to], number_[from])[number_[from]];
    }
    /// So many bytes from a leaf to another; to a leaf that is not reached they go nowhere.
    void add(DeviceIndex from, DeviceIndex to, double bytes, LinkSums& loads);

private:
    struct Way {
        std::uint32_t to = 0;
        LinkIndex link = 0;
    };
    /// Hops to a switch, counted outwards as far as they were needed.
    struct Reach {
        std::vector<std::uint16_t> hops;  ///< by switch
        std::vector<std::uint32_t> open;  ///< in the order in which they were reached
        std::size_t next = 0;             ///< of `open`: the first whose neighbours are not counted
    };
    /// Right for `from`, and for all that is nearer. Valid until the next call.
    const std::vector<std::uint16_t>& hopsTo(std::uint32_t target, std::uint32_t from);
    [[nodiscard]] std::span<const Way> ways(std::uint32_t at) const {
        return std::span(ways_).subspan(first_[at], first_[at + 1] - first_[at]);
    }
    void climb(std::uint32_t from,
               const std::vector<std::uint16_t>& hops,
               double bytes,
               bool forward,
               LinkSums& loads);

    const Topology& topology_;
    std::vector<std::uint32_t> number_;  ///< by device, of switches
    std::vector<DeviceIndex> devices_;
    std::vector<Way> ways_;
    std::vector<std::size_t> first_;
    std::unordered_map<std::uint32_t, Reach> reach_;  ///< by target
    std::vector<double> here_;                        ///< by switch, while climbing
};

}  // namespace fabricast
