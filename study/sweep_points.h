#pragma once
#include "planner/base/result.h"
#include "planner/spec/edit.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// A key of the scenario with the values that it is to have.
struct SweepAxis {
    std::string key;
    std::vector<std::string> values;
};
/// "cluster.nodes=1,2,4", each key once.
Result<std::vector<SweepAxis>> readSweep(const std::vector<std::string>& typed);

/// Every combination of the values: those of the last axis follow one another.
std::vector<std::vector<Edit>> sweepPoints(const std::vector<SweepAxis>& axes);

/// The points that one of several processes computes: every count-th from index on.
struct SweepShard {
    std::size_t index = 0;
    std::size_t count = 1;
};
/// By the rank variables of srun, mpirun, PMI and job arrays, the first that is set. `variable`
/// looks up a variable of the environment.
using Variable = std::function<std::optional<std::string>(const char* name)>;
Result<SweepShard> shardOf(const Variable& variable);

/// "points.jsonl.1-of-4"; the file itself where there is one shard.
std::string shardFile(const std::string& file, const SweepShard& shard);

}  // namespace fabricast
