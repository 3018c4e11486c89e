#include "planner/profiles/possible_collective.h"

#include "planner/base/quantity_text.h"

#include <cmath>

namespace fabricast {
namespace {

constexpr BytesPerSecond kOneCore{1e9};
constexpr BytesPerSecond kGigabit{1e9 / 8};
constexpr Seconds kLostPacket{1.0};
constexpr double kMostSlowed = 1000.0;
constexpr Seconds kSlowStep{1e-3};

std::string sizeText(const TimedCollective& timed) {
    return shortText(Bytes(std::llround(timed.bytes)), UnitStyle::Binary) + " over " +
           std::to_string(timed.ranks) + " ranks";
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

std::string tooFastBecause(const TimedCollective& timed, const GpuSpec& gpu) {
    const Sourced<BytesPerSecond>& memory = gpu.memoryBandwidth;
    if (!memory.value || memory.source != Source::Datasheet) {
        return "";
    }
    const auto ranks = static_cast<double>(timed.ranks);
    const Seconds least(timed.bytes * (ranks - 1.0) / ranks / memory.value->count());
    return timed.time >= least
               ? ""
               : sizeText(timed) + " take " + shortText(timed.time) + ", and the memory of " +
                     gpu.name + " (" + shortText(*memory.value) + ") takes " + shortText(least) +
                     " to write what a rank receives";
}

}  // namespace fabricast
