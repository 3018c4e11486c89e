#pragma once
#include "planner/base/result.h"
#include "planner/load/load_scenario.h"
#include "planner/profiles/profile_store.h"
#include "planner/spec/layout_fields.h"
#include "planner/spec/scenario.h"
#include "planner/stack/stack.h"
#include "planner/text/json_document.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// A scenario whose stack and layout are open: what a search starts from.
struct LoadedSearch {
    Scenario base;  ///< model, cluster and workload
    PartialLayout fixed;
    std::vector<StackSettings> stacks;
    std::vector<std::string> assumed;
};

/// The stacks that are searched where none is named.
std::span<const std::string_view> usualStacks();

/// The scenario may fix any keys of a layout. `stacks` are names; where there are
/// none the scenario's own, else those that most people choose among.
Result<LoadedSearch> loadSearch(const JsonValue& root,
                                const ProfileStore& profiles,
                                const Folders& folders,
                                const std::vector<std::string>& stacks);

}  // namespace fabricast
