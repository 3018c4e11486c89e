#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "study/question.h"
#include "study/sweep_points.h"
#include "study/workbench.h"

#include <string>
#include <vector>

namespace fabricast {

/// Where the points of a sweep are kept, and which of them are this process's.
struct SweepStore {
    std::string file;  ///< of JSON lines; empty: nowhere
    SweepShard shard{};
};

/// What is known of a sweep: a line for each point, in the order of the points.
struct SweepAnswer {
    std::vector<SweepAxis> axes;
    std::vector<std::string> lines;  ///< empty ones are not computed yet
    std::size_t computed = 0;        ///< now; the others were kept

    [[nodiscard]] bool isWhole() const;
};

/// The best plan of the question under every combination of the axes' values. Points that the
/// store has are not computed again. Each few points the file is replaced by one with them, so that
/// a sweep that is killed goes on where it was. A shard writes FILE.K-of-N; the one that finds all
/// points done writes FILE, the same as a sweep in one process writes.
Result<SweepAnswer> sweep(const Question& question,
                          const std::vector<SweepAxis>& axes,
                          const SweepStore& store,
                          const Workbench& bench,
                          const Watch& watch);

}  // namespace fabricast
