#pragma once
#include "planner/stack/rules.h"

#include <span>
#include <string_view>

namespace fabricast {

/// One matrix of a framework, or two that go by one name, and the targets that it is made of.
struct AdaptedTogether {
    std::string_view matrix;
    std::string_view targets;  ///< "q+k+v"
};

/// Its adapters are of all of them or of none.
Result<void> checkTogether(std::span<const AdaptedTogether> matrices, const NameSet& targets);

/// Base and adapters have the type of the model's parameters, which the framework's `key` sets.
Result<void> checkAdapterTypes(std::string_view key, const Settings& settings);

}  // namespace fabricast
