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

/// Which of the user's own collectives a forecast of this cluster leans on, and which of them are
/// left out: "measured: our-h100, 2026-11-20"; which of several corrections; and the GPU whose
/// measured kernels stand for its own. Nothing where all is built in and measured.
Result<std::vector<std::string>> measuredNotes(const ClusterSpec& cluster,
                                               const ProfileStore& profiles);

/// What a forecast with these notes leans on, in a cell: "our-h100, 2026-11-20". Empty: nothing of
/// the user's own.
std::string leanedOn(std::span<const std::string> notes);

}  // namespace fabricast
