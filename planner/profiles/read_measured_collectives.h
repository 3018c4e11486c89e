#pragma once
#include "planner/base/result.h"
#include "planner/evidence/measured_collectives.h"
#include "planner/profiles/read_profile.h"
#include "planner/text/json_document.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fabricast {

/// What a curve may hold, whoever measured it: readers of logs and records refuse what this reader
/// would.
inline constexpr std::size_t kMostCurvePoints = 1024;
inline constexpr double kMostCollectiveBytes = 1e15;
inline constexpr double kLeastCollectiveMicroseconds = 1e-6;
inline constexpr double kMostCollectiveMicroseconds = 1e12;
inline constexpr std::int64_t kMostCollectiveRanks = 1 << 24;

/// A file of hardware_profiles/collectives with "curves", and the machine it names.
struct MeasuredFile {
    MeasuredCollectives measured;
    ProfileReference machine;
};
Result<MeasuredFile> readMeasuredCollectives(const JsonValue& root);

/// "2026-11-20": days in this form sort by their text.
bool isDay(std::string_view text);

/// "2026-11-20T09:30:00Z": when a sitting began, as records say it; so do these.
bool isBeginning(std::string_view text);

/// Which of the two kinds of file that folder holds.
bool isMeasured(const JsonValue& root);

}  // namespace fabricast
