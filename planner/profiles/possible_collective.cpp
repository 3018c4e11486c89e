#include "planner/profiles/possible_collective.h"

#include "planner/base/quantity_text.h"
#include "planner/profiles/most_of_peak.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fabricast {
namespace {

constexpr BytesPerSecond kOneCore{1e9};
constexpr BytesPerSecond kGigabit{1e9 / 8};
constexpr Seconds kLostPacket{1.0};
constexpr Seconds kSlowStep{1e-3};
/// A kernel begins, its flag crosses a link, and another kernel sees it and ends.
constexpr Seconds kLeastExchange{1e-6};

std::string sizeText(const TimedCollective& timed) {
    return shortText(Bytes(std::llround(timed.bytes)), UnitStyle::Binary) + " over " +
           std::to_string(timed.ranks) + " ranks";
}

/// What one of so many equal parts has to send, as a share of the size.
double sentShare(CollectiveKind kind, double parts, bool switchReduces) {
    const double others = (parts - 1.0) / parts;
    switch (kind) {
        case CollectiveKind::AllReduce:
            return switchReduces ? std::min(1.0, 2.0 * others) : 2.0 * others;
        case CollectiveKind::AllGather:
        case CollectiveKind::ReduceScatter:
        case CollectiveKind::AllToAll:
            return others;
        case CollectiveKind::Broadcast:
        case CollectiveKind::Reduce:
        case CollectiveKind::SendReceive:
            break;
    }
    return 1.0;
}

/// The least time, and what takes it; none where the data sheet does not say it.
struct LeastTime {
    Seconds seconds;
    std::string of;
};

bool isOnDataSheet(const Sourced<BytesPerSecond>& rate) {
    return rate.value && rate.source == Source::Datasheet && rate.value->count() > 0.0;
}

/// Where not all ranks are in one domain of NVLink or xGMI, some go over PCIe beside it.
LeastTime overLinks(const TimedCollective& timed, const NodeSpec& node) {
    const GpuSpec& gpu = node.gpu;
    const bool isJoined = node.domainGpus > 1 && gpu.linkBandwidth.value;
    const bool isDomain = isJoined && timed.ranks <= node.domainGpus;
    BytesPerSecond rate(0);
    std::string name;
    if (isJoined) {
        if (!isOnDataSheet(gpu.linkBandwidth)) {
            return {};
        }
        rate += *gpu.linkBandwidth.value;
        name = gpu.linkKind;
    }
    if (!isDomain) {
        if (!isOnDataSheet(gpu.pcieBandwidth)) {
            return {};
        }
        rate += *gpu.pcieBandwidth.value;
        name += name.empty() ? "PCIe" : " and PCIe";
    }
    const double share =
        sentShare(timed.kind, static_cast<double>(timed.ranks), node.inSwitchReduction);
    return {Seconds(share * timed.bytes / rate.count()),
            "the " + shortText(rate) + " of " + gpu.name + "'s " + name + " take "};
}

/// Ranks that are spread evenly; where they cannot be, a node has one at least.
LeastTime overNics(const TimedCollective& timed, const ClusterSpec& machine) {
    const NodeSpec& node = machine.node;
    const bool isDomain = timed.ranks <= node.domainGpus && node.domainGpus > node.gpus;
    if (timed.nodes < 2 || isDomain || !isOnDataSheet(node.nicBandwidth) || !node.nics.value ||
        node.nics.source != Source::Datasheet || *node.nics.value < 1) {
        return {};
    }
    const FabricSpec& fabric = machine.fabric;
    const bool mayReduce = fabric.inNetworkReduction || fabric.kind == "infiniband";
    double share = sentShare(timed.kind, static_cast<double>(timed.nodes), mayReduce);
    if (timed.kind == CollectiveKind::AllToAll && timed.ranks % timed.nodes == 0) {
        share *= static_cast<double>(timed.ranks / timed.nodes);
    }
    const BytesPerSecond rate = *node.nicBandwidth.value * static_cast<double>(*node.nics.value);
    return {Seconds(share * timed.bytes / rate.count()),
            "the " + shortText(rate) + " of the NICs of " + node.name + " take "};
}

LeastTime inMemory(const TimedCollective& timed, const GpuSpec& gpu) {
    const Sourced<BytesPerSecond>& memory = gpu.memoryBandwidth;
    if (!isOnDataSheet(memory)) {
        return {};
    }
    const auto ranks = static_cast<double>(timed.ranks);
    return {Seconds(timed.bytes * (ranks - 1.0) / ranks / memory.value->count()),
            "the memory of " + gpu.name + " (" + shortText(*memory.value) + ") takes "};
}

}  // namespace

std::string tooSlowBecause(const TimedCollective& timed) {
    const auto ranks = static_cast<double>(timed.ranks);
    const auto nodes = static_cast<double>(timed.nodes);
    const BytesPerSecond line = timed.nodes > 1 ? kGigabit : kOneCore;
    // All ranks of a node share the line, and a ring passes all bytes on twice.
    const Seconds most = Seconds(2.0 * timed.bytes * std::ceil(ranks / nodes) / line.count()) +
                         2.0 * ranks * kLostPacket;
    return timed.time <= most
               ? ""
               : sizeText(timed) + " take " + shortText(timed.time) + ", and at most " +
                     shortText(most) +
                     (timed.nodes > 1 ? " over Gigabit Ethernet" : " if one core copies them");
}

std::string tooSlowBecause(const TimedCollective& timed, const GpuSpec& gpu) {
    const Sourced<BytesPerSecond>& link =
        gpu.linkBandwidth.value ? gpu.linkBandwidth : gpu.pcieBandwidth;
    if (timed.nodes > 1 || !link.value || link.source != Source::Datasheet) {
        return "";
    }
    const auto ranks = static_cast<double>(timed.ranks);
    // A ring passes what a rank has on twice, but for its own part.
    const double passed = 2.0 * timed.bytes * (ranks - 1.0) / ranks;
    const Seconds most =
        Seconds(passed * kMostSlowed / link.value->count()) + 2.0 * ranks * kSlowStep;
    return timed.time <= most
               ? ""
               : sizeText(timed) + " take " + shortText(timed.time) + ", and " + shortText(most) +
                     " at a thousandth of the " + shortText(*link.value) + " of " + gpu.name +
                     "'s " + (gpu.linkBandwidth.value ? gpu.linkKind : "PCIe");
}

std::string tooFastBecause(const TimedCollective& timed, const ClusterSpec& machine) {
    const std::array all = {LeastTime{kLeastExchange, "one flag from a GPU to another takes "},
                            overLinks(timed, machine.node),
                            overNics(timed, machine),
                            inMemory(timed, machine.node.gpu)};
    const LeastTime& least = *std::ranges::max_element(
        all, {}, [](const LeastTime& one) { return one.seconds.count(); });
    return timed.time >= least.seconds
               ? ""
               : sizeText(timed) + " take " + shortText(timed.time) + ", and " + least.of +
                     shortText(least.seconds) + " for what has to pass";
}

}  // namespace fabricast
