#pragma once
#include "simulator/network/topology.h"

#include <cstdint>
#include <span>
#include <vector>

namespace fabricast {

/// Which nodes of a topology have the same structure: the k-th device and the k-th own link of one
/// do in it what those of another do there. What is worked out for one holds for all of its make.
class AlikeNodes {
public:
    explicit AlikeNodes(const Topology& topology);

    /// Equal for symmetric nodes.
    [[nodiscard]] std::uint32_t makeOf(std::int32_t node) const {
        return makes_[static_cast<std::size_t>(node)];
    }
    /// Of a device or link within its node.
    [[nodiscard]] std::uint32_t numberOf(DeviceIndex device) const { return deviceNumber_[device]; }
    [[nodiscard]] std::uint32_t numberOfLink(LinkIndex link) const { return linkNumber_[link]; }
    [[nodiscard]] DeviceIndex device(std::int32_t node, std::uint32_t number) const {
        return topology_.devicesOf(node)[number];
    }
    /// Links with both ends in the node, in order.
    [[nodiscard]] std::span<const LinkIndex> links(std::int32_t node) const {
        const auto at = static_cast<std::size_t>(node);
        return std::span(links_).subspan(firstLink_[at], firstLink_[at + 1] - firstLink_[at]);
    }
    /// False where NVLink joins GPUs of several nodes.
    [[nodiscard]] bool apart() const { return apart_; }

private:
    [[nodiscard]] bool alike(std::int32_t a, std::int32_t b) const;

    const Topology& topology_;
    std::vector<std::uint32_t> makes_;  ///< by node
    std::vector<std::uint32_t> deviceNumber_;
    std::vector<std::uint32_t> linkNumber_;
    std::vector<LinkIndex> links_;
    std::vector<std::size_t> firstLink_;  ///< by node, into links_
    bool apart_ = true;
};

}  // namespace fabricast
