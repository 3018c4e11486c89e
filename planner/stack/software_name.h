#pragma once
#include "planner/spec/settings.h"

#include <string_view>

namespace fabricast {

/// The profile of the software that runs a model's layers: "torch-eager", "torch-compiled",
/// "megatron" or "transformer-engine".
std::string_view softwareName(const Settings& settings);

}  // namespace fabricast
