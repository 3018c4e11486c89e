#pragma once
#include "planner/base/result.h"
#include "planner/spec/scenario.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// Settings that differ from what the stack does by default and are not among `told`:
/// "settings.megatron.tensor_overlap=true". Of each group "group.*" tells all but those
/// that "-group.name" excepts.
///     untoldSettings(scenario, {{"precision.*", "kernels.compile"}})
Result<std::vector<std::string>> untoldSettings(const Scenario& scenario,
                                                std::span<const std::string_view> told);

}  // namespace fabricast
