#include "planner/load/measured_notes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace fabricast {
namespace {

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

Result<std::vector<std::string>> correctionNotes(const ClusterSpec& cluster,
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
    return notes;
}

Result<ProfileFile> intervalsInUse(const ProfileStore& profiles) {
    const std::span<const ProfileFile> files = profiles.files(ProfileKind::Interval);
    const auto used = std::ranges::max_element(files, {}, &ProfileFile::layer);
    if (used == files.end()) {
        return fail(Error::Code::BadInput, "intervals", "no profile has any");
    }
    const auto other = std::find_if(
        used + 1, files.end(), [&](const ProfileFile& one) { return one.layer == used->layer; });
    if (other != files.end()) {
        return fail(Error::Code::BadInput,
                    other->source,
                    "these intervals lie beside " + used->name + ", and only one can be used",
                    "keep one file in the folder intervals");
    }
    return *used;
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
