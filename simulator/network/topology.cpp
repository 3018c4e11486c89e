#include "simulator/network/topology.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, kDeviceKinds> kDeviceNames = {
    "gpu", "nvswitch", "pci", "root", "cpu", "nic", "leaf", "spine", "core", "wan"};
constexpr std::array<std::string_view, kLinkKinds> kLinkNames = {
    "nvlink", "pcie", "socket", "network", "wan"};

std::uint64_t pairKey(DeviceIndex a, DeviceIndex b) {
    return (static_cast<std::uint64_t>(std::min(a, b)) << 32U) | std::max(a, b);
}

}  // namespace

std::string_view deviceKindName(DeviceKind kind) {
    return kDeviceNames[static_cast<std::size_t>(kind)];
}

std::string_view linkKindName(LinkKind kind) {
    return kLinkNames[static_cast<std::size_t>(kind)];
}

std::span<const DeviceIndex> Topology::devicesOf(std::int32_t node) const {
    const auto at = static_cast<std::size_t>(node);
    return std::span(byNode_).subspan(firstOfNode_[at], firstOfNode_[at + 1] - firstOfNode_[at]);
}

std::span<const Hop> Topology::hops(DeviceIndex device) const {
    return std::span(hops_).subspan(firstHop_[device], firstHop_[device + 1] - firstHop_[device]);
}

std::optional<DeviceIndex> Topology::device(std::string_view name) const {
    const auto found = byName_.find(std::string(name));
    return found == byName_.end() ? std::nullopt : std::optional(found->second);
}

std::string Topology::linkName(LinkIndex link) const {
    return devices_[links_[link].from].name + "-" + devices_[links_[link].to].name;
}

std::optional<LinkIndex> Topology::link(std::string_view name) const {
    // Names of devices may have a '-' of their own.
    for (std::size_t dash = name.find('-'); dash != std::string_view::npos;
         dash = name.find('-', dash + 1)) {
        const auto from = device(name.substr(0, dash));
        const auto to = device(name.substr(dash + 1));
        if (!from || !to) {
            continue;
        }
        for (LinkIndex link = 0; link < links_.size(); ++link) {
            if (pairKey(links_[link].from, links_[link].to) == pairKey(*from, *to)) {
                return link;
            }
        }
    }
    return std::nullopt;
}

Topology Topology::without(std::span<const LinkIndex> down) const {
    Topology rest = *this;
    for (const LinkIndex link : down) {
        rest.links_[link].up = false;
    }
    rest.index();
    return rest;
}

void Topology::index() {
    firstHop_.assign(devices_.size() + 1, 0);
    for (const NetworkLink& link : links_) {
        if (link.up) {
            ++firstHop_[link.from + 1];
            ++firstHop_[link.to + 1];
        }
    }
    for (std::size_t device = 0; device < devices_.size(); ++device) {
        firstHop_[device + 1] += firstHop_[device];
    }
    hops_.resize(firstHop_.back());
    std::vector<std::size_t> next(firstHop_.begin(), firstHop_.end() - 1);
    for (LinkIndex link = 0; link < links_.size(); ++link) {
        if (links_[link].up) {
            hops_[next[links_[link].from]++] = {links_[link].to, link};
            hops_[next[links_[link].to]++] = {links_[link].from, link};
        }
    }
    byNode_.clear();
    for (DeviceIndex device = 0; device < devices_.size(); ++device) {
        if (devices_[device].node != kNoNode) {
            byNode_.push_back(device);
        }
    }
    std::ranges::stable_sort(byNode_, {}, [this](DeviceIndex at) { return devices_[at].node; });
    firstOfNode_.assign(nodes_ + 1, 0);
    gpus_.clear();
    for (const DeviceIndex device : byNode_) {
        ++firstOfNode_[static_cast<std::size_t>(devices_[device].node) + 1];
        if (devices_[device].kind == DeviceKind::Gpu) {
            gpus_.push_back(device);
        }
    }
    for (std::size_t node = 0; node < nodes_; ++node) {
        firstOfNode_[node + 1] += firstOfNode_[node];
    }
}

Result<DeviceIndex> TopologyBuilder::add(NetworkDevice device) {
    if (device.name.empty() || device.name.find_first_of(" \t\r\n") != std::string::npos) {
        return fail(
            Error::Code::BadInput, "", "\"" + device.name + "\" is not a valid device name");
    }
    const auto index = static_cast<DeviceIndex>(made_.devices_.size());
    if (!made_.byName_.emplace(device.name, index).second) {
        return fail(Error::Code::BadInput, "", "there are two devices \"" + device.name + "\"");
    }
    made_.nodes_ = std::max(made_.nodes_, static_cast<std::size_t>(device.node + 1));
    made_.devices_.push_back(std::move(device));
    return index;
}

Result<LinkIndex> TopologyBuilder::join(NetworkLink link) {
    const auto refuse = [&](const std::string& why) {
        return fail(Error::Code::BadInput,
                    "",
                    "the link " + at(link.from).name + "-" + at(link.to).name + " " + why);
    };
    if (link.from == link.to) {
        return refuse("joins a device with itself");
    }
    if (!(link.bandwidth.count() >= 1.0) || link.bandwidth > kFastestLink) {
        return refuse("must have a bandwidth from 1 B/s to 1 PB/s");
    }
    if (!(link.latency.count() >= 0.0) || !std::isfinite(link.latency.count())) {
        return refuse("must have a latency of at least zero");
    }
    const auto index = static_cast<LinkIndex>(made_.links_.size());
    if (!pairs_.emplace(pairKey(link.from, link.to), index).second) {
        return refuse("appears twice");
    }
    made_.links_.push_back(link);
    return index;
}

void TopologyBuilder::expect(std::size_t devices, std::size_t links) {
    made_.devices_.reserve(devices);
    made_.byName_.reserve(devices);
    made_.links_.reserve(links);
    pairs_.reserve(links);
}

std::optional<DeviceIndex> TopologyBuilder::device(std::string_view name) const {
    return made_.device(name);
}

Result<Topology> TopologyBuilder::build() && {
    std::vector<bool> seen(made_.nodes_, false);
    bool gpus = false;
    for (const NetworkDevice& device : made_.devices_) {
        gpus = gpus || (device.kind == DeviceKind::Gpu && device.node != kNoNode);
        if (device.node != kNoNode) {
            seen[static_cast<std::size_t>(device.node)] = true;
        }
    }
    if (!gpus || std::ranges::find(seen, false) != seen.end()) {
        return fail(Error::Code::BadInput, "", gpus ? "a node has no devices" : "there is no GPU");
    }
    made_.index();
    return std::move(made_);
}

}  // namespace fabricast
