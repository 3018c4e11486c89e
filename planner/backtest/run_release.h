#pragma once
#include "planner/backtest/published_run.h"
#include "planner/spec/scenario.h"

#include <string>
#include <string_view>

namespace fabricast {

/// Whether a text has a part (given in lower case), in any case.
bool mentions(std::string_view text, std::string_view part);

/// What the release of the row's software and its notes mention: attention kernels by year,
/// compilation, overlaps, CUDA graphs.
void readRelease(const PublishedRun& run, const Scenario& scenario, Settings& settings);
void readNotes(const PublishedRun& run, Settings& settings);

}  // namespace fabricast
