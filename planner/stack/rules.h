#pragma once
#include "planner/stack/stack.h"

#include <cstdint>
#include <string>

namespace fabricast {

/// These are the rules that stacks share; each stack's own file adds the ones that only it has.
/// Sizes are positive and their products fit; the stack has the axes, sharding, schedule, offload,
/// optimizer and precision asked for; a shard group divides its ranks. Comes first in every check.
Result<void> checkCommon(const Stack& stack, const Scenario& scenario);

/// Refuses every axis, sharding, schedule and offload that is not in `axes`.
Result<void> checkAxes(std::string_view stack, const StackAxes& axes, const Layout& layout);

/// Refuses every optimizer, precision and adapter that is not in `methods`.
Result<void> checkMethods(std::string_view stack,
                          const StackMethods& methods,
                          const Settings& settings);

/// Refuses settings of experts that change nothing of the stack's, and those that do not go
/// together.
Result<void> checkExpertKeys(const Stack& stack, const Scenario& scenario);

/// dp · tp · pp · cp is the number of GPUs.
Result<void> checkWorld(const Scenario& scenario);

/// The global batch is a whole number of micro-batches on every data parallel rank.
Result<void> checkBatch(const Scenario& scenario);

/// "tp=1, 2, 4 or 8": what may be typed for `key` so that it divides `number`.
std::string divisorsHint(std::string_view key, std::int64_t number);
/// "shard_size=8 or 24": groups of whole groups of cp that divide the ranks of dp x cp, of so many
/// data ranks at the least.
std::string shardSizesHint(const Layout& layout, std::int64_t leastDataRanks = 1);
/// "global_batch=32 or 64": the multiples of `step` around `number`.
std::string multiplesHint(std::string_view key, std::int64_t number, std::int64_t step);

/// Refusals: a rule broken, and a thing that the stack does not have.
tl::unexpected<Error> breaks(std::string_view key, std::string why, std::string hint = {});
tl::unexpected<Error> lacks(std::string_view key, std::string why, std::string hint = {});

inline std::string text(std::int64_t number) {
    return std::to_string(number);
}

}  // namespace fabricast
