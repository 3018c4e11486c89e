#pragma once
#include "planner/result/backtest_result.h"
#include "planner/spec/names.h"

namespace fabricast {

/// As they are typed behind --group-by, and in answers.
constexpr auto namesOf(GroupBy) {
    return std::to_array<Named<GroupBy>>(
        {{GroupBy::Source, "source"}, {GroupBy::Gpu, "gpu"}, {GroupBy::Stack, "stack"}});
}

}  // namespace fabricast
