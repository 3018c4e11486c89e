#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "planner/base/result.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// This is one training stack: what it can express, what it refuses (in its own words), and how it
/// does a step when nobody says otherwise.
///     FABRICAST_ASSIGN(const Stack* stack, findStack("megatron"));
///     scenario.settings = stack->defaults(scenario.layout);
///     FABRICAST_TRY(stack->check(scenario));
struct Stack {
    std::string_view name;         ///< "fsdp2", "megatron", "deepspeed", "torchtitan", …
    std::string_view title;
    std::string_view description;
    Settings (*defaults)(const Layout& layout);
    /// Divisibility and exclusion rules with the framework's own error text.
    Result<void> (*check)(const Scenario& scenario);
};

std::span<const Stack> allStacks();
Result<const Stack*> findStack(std::string_view name);

}  // namespace fabricast
