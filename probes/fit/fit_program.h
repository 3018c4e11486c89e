#pragma once
#include "planner/base/result.h"

#include <span>
#include <string>

namespace fabricast {

/// fabricast-fit as a function: what it was told, and what it prints.
struct FitAnswer {
    std::string profile;  ///< JSON; empty where it was written to a file
    std::string report;
};

Result<FitAnswer> runFit(std::span<const std::string> arguments);

/// `fabricast-fit record …`: the report, once the files are written.
Result<FitAnswer> runRecordFit(std::span<const std::string> arguments);

/// What `fabricast-fit --help` prints.
std::string_view fitHelp();

}  // namespace fabricast
