#pragma once
#include "planner/spec/scenario.h"

#include <string>

namespace fabricast {

/// The scenario's layout in its shortest spelling. Several words may place the same bytes on the
/// same ranks, and launch files have one of them: hsdp of a single group is fsdp.
Layout plainLayout(const Scenario& scenario);

/// What a layout is called in launch files, where its own words are others: "layout.shard=hsdp is
/// written as fsdp: one group of all 8 ranks". Empty where they are the same.
std::string respelledLayout(const Scenario& scenario);

}  // namespace fabricast
