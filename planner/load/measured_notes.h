#pragma once
#include "planner/base/result.h"
#include "planner/profiles/profile_store.h"
#include "planner/spec/cluster_spec.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// How a note begins that is no assumption.
inline constexpr std::string_view kMeasuredNote = "measured: ";

/// Between one that is left out and the one that takes its place, in such a note.
inline constexpr std::string_view kNotUsed = " is not used, ";

/// What forecasts of this cluster are corrected by, and which of several corrections are left out:
/// "measured: corrected by ours, 2026-11-20: bf16 0.870"; and the GPU whose measured kernels stand
/// for its own. Nothing where all is built in and measured.
Result<std::vector<std::string>> correctionNotes(const ClusterSpec& cluster,
                                                 const ProfileStore& profiles);

/// The file of intervals that forecasts take: the user's, whatever its name, before the built-in
/// one. Two in one folder are an error: either could be meant.
Result<ProfileFile> intervalsInUse(const ProfileStore& profiles);

/// What a forecast with these notes leans on, in a cell: "our-h100, 2026-11-20". Empty: nothing of
/// the user's own.
std::string leanedOn(std::span<const std::string> notes);

}  // namespace fabricast
