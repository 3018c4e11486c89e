#include "planner/load/measured_notes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace fabricast {
namespace {

using MeasuredGroup = std::tuple<CollectiveKind, std::int64_t, std::int64_t>;

std::vector<MeasuredGroup> groupsOf(const MeasuredCollectives& measured) {
    std::vector<MeasuredGroup> groups;
    for (const MeasuredCurve& curve : measured.curves) {
        groups.emplace_back(curve.kind, curve.ranks, curve.nodes);
    }
    return groups;
}

/// Whether a kind of collective, within or across nodes, was not measured by those before.
bool addsTo(const std::vector<MeasuredGroup>& known, const MeasuredCollectives& measured) {
    return std::ranges::any_of(groupsOf(measured), [&](const MeasuredGroup& group) {
        return std::ranges::none_of(known, [&](const MeasuredGroup& other) {
            return std::get<0>(other) == std::get<0>(group) &&
                   (std::get<2>(other) > 1) == (std::get<2>(group) > 1);
        });
    });
}

/// Between one that is left out and the one that takes its place.
constexpr std::string_view kNotUsed = " is not used, ";

std::string titleOf(const MeasuredCollectives& measured) {
    constexpr std::string_view kPrefix = "measured-";
    const std::size_t skipped = measured.name.starts_with(kPrefix) ? kPrefix.size() : 0;
    return measured.name.substr(skipped) + (measured.date.empty() ? "" : ", " + measured.date);
}

/// The corrections of these GPUs that a newer one takes the place of.
Result<std::vector<std::string>> olderCorrections(const NodeSpec& node,
                                                  const ProfileStore& profiles) {
    const auto dated = [](const std::string& name, const std::string& date) {
        return name + (date.empty() ? "" : ", " + date);
    };
    std::vector<std::string> notes;
    for (const ProfileFile& file : profiles.files(ProfileKind::Correction)) {
        FABRICAST_ASSIGN(const MachineCorrection older, profiles.correction(file.name));
        if (older.gpu == node.gpu.name && file.name != node.own.name && !node.own.name.empty()) {
            notes.push_back(std::string(kMeasuredNote) + "the correction " +
                            dated(file.name, older.date) + std::string(kNotUsed) +
                            dated(node.own.name, node.own.date) + " is");
        }
    }
    return notes;
}

std::string threeDigits(double speed) {
    const std::string all = std::to_string(std::round(speed * 1e3) / 1e3);
    constexpr std::size_t kThree = 5;
    return all.substr(0, kThree);
}

/// "measured: corrected by our-h100, 2026-11-20: bf16 0.870, network 0.610, likeness
/// to 25 runs".
std::string correctionNote(const OwnSpeed& own) {
    std::string note = std::string(kMeasuredNote) + "corrected by " + own.name +
                       (own.date.empty() ? "" : ", " + own.date);
    const char* separator = ": ";
    for (std::size_t i = 0; i < kMachineFactors; ++i) {
        if (own.factors.speeds[i] != 1.0) {
            note += separator + std::string(nameOf(static_cast<MachineFactor>(i))) + " " +
                    threeDigits(own.factors.speeds[i]);
            separator = ", ";
        }
    }
    if (!own.like.runs.empty()) {
        note += std::string(separator) + "likeness to " + std::to_string(own.like.runs.size()) +
                " runs";
    }
    return note;
}

}  // namespace

Result<std::vector<std::string>> measuredNotes(const ClusterSpec& cluster,
                                               const ProfileStore& profiles) {
    FABRICAST_ASSIGN(std::vector<std::string> notes, olderCorrections(cluster.node, profiles));
    const std::optional<KernelProfile>& kernels = cluster.node.gpu.kernels;
    if (kernels && !kernels->donor.empty()) {
        notes.push_back("kernels as fast as those measured on " + kernels->donor + " would be on " +
                        kernels->name);
    }
    if (!cluster.node.own.name.empty()) {
        notes.insert(notes.begin(), correctionNote(cluster.node.own));
    }
    if (std::ranges::none_of(profiles.files(ProfileKind::Collective), &ProfileFile::isOwn)) {
        return notes;
    }
    std::vector<MeasuredGroup> known;
    std::string newest;
    FABRICAST_ASSIGN(const std::vector<MeasuredCollectives> all, profiles.measuredCollectives());
    for (const MeasuredCollectives& measured : all) {
        if (!measured.own || measured.machine.node.name != cluster.node.name) {
            continue;
        }
        const bool used = addsTo(known, measured);
        notes.push_back(std::string(kMeasuredNote) + titleOf(measured) +
                        (used ? "" : std::string(kNotUsed) + newest + " is"));
        newest = newest.empty() ? titleOf(measured) : newest;
        const std::vector<MeasuredGroup> groups = groupsOf(measured);
        known.insert(known.end(), groups.begin(), groups.end());
    }
    return notes;
}

std::string leanedOn(std::span<const std::string> notes) {
    std::string all;
    for (const std::string& note : notes) {
        if (note.starts_with(kMeasuredNote) && note.find(kNotUsed) == std::string::npos) {
            all += (all.empty() ? "" : "; ") + note.substr(kMeasuredNote.size());
        }
    }
    return all;
}

}  // namespace fabricast
