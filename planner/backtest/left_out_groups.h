#pragma once
#include "planner/backtest/run_slopes.h"

#include <cstddef>
#include <vector>

namespace fabricast {

/// Runs that are left out together when a fit is scored on runs it has not seen, as nearly equal
/// ones would tell each other's times: those of one model where there are three models or more,
/// else those of one layout where there are four, of one shape, or each run by itself.
struct LeftOutGroups {
    std::vector<std::size_t> of;  ///< the group of each run
    std::size_t count = 0;
    const char* what = "run";  ///< that they share: "model", "layout", "shape", "run"
};
LeftOutGroups leftOutGroups(const std::vector<RunSlopes>& runs);
/// Those of one shape: the same work in the same layout.
LeftOutGroups leftOutShapes(const std::vector<RunSlopes>& runs);

/// How sure it is that left-out runs gain where `after` has their misses instead of `before`: the
/// sum of the groups' gains over its standard error, below 0 where they lose.
double sureGain(const std::vector<double>& before,
                const std::vector<double>& after,
                const LeftOutGroups& groups);

/// Equal in all that a table says of them but the measurement: only day and nodes can differ.
bool areRepeats(const PublishedRun& a, const PublishedRun& b);

/// One run written twice: the same work with the same measurement to the last digit.
bool areCopies(const PublishedRun& a, const PublishedRun& b);

}  // namespace fabricast
