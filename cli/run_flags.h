#pragma once
#include "flags/question_arguments.h"
#include "study/simulate.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// What is asked of a simulated step beyond the scenario, and of runs of many of them.
struct RunFlags {
    std::optional<std::string> stragglers;
    std::optional<std::string> jitter;
    std::int64_t steps = 0;  ///< 0: as many as the tokens need
    bool failures = false;
    std::int64_t spares = -1;  ///< -1: always one
    std::optional<std::string> repair;
    std::int64_t runs = 0;  ///< 0: so many as are usual
    std::int64_t seed = -1;

    /// The same flags as they would be typed again.
    [[nodiscard]] std::string typed() const;
};

void addRunFlags(const FlagSet& command, RunFlags& flags);

/// The runs that are asked for, or nothing for a step alone. Flags that say something of runs where
/// none is asked for, or of failures where nothing fails, are errors.
Result<std::optional<RunsAsk>> runsAskOf(const RunFlags& flags,
                                         const QuestionArguments& question,
                                         const std::vector<Straggler>& stragglers);

}  // namespace fabricast
