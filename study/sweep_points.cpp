#include "study/sweep_points.h"

#include "study/typed_edits.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace fabricast {
namespace {

/// Of a hundredth of a second or more each: some minutes on all cores at least.
constexpr std::size_t kMostPoints = 100'000;
/// More have nothing to do.
constexpr std::size_t kMostRanks = kMostPoints;

/// Rank, number of ranks, the first rank where that is a variable too, and what else is set where
/// there are these ranks.
struct RankVariables {
    const char* rank;
    const char* count;
    const char* first = nullptr;
    const char* sign = nullptr;
};
// A batch script of Slurm is one process, but has the variables of a rank of srun, without those
// of a step. A step may have fewer tasks than its job.
constexpr std::array kRankVariables = {
    RankVariables{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    RankVariables{"PMI_RANK", "PMI_SIZE"},
    RankVariables{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN"},
    RankVariables{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
    RankVariables{"SLURM_PROCID", "SLURM_NTASKS", nullptr, "SLURM_STEP_ID"}};

Result<std::size_t> countIn(const std::string& text, const char* name) {
    std::size_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, trouble] = std::from_chars(text.data(), end, value);
    if (trouble != std::errc() || stop != end) {
        return fail(Error::Code::BadInput,
                    name,
                    "\"" + text + "\" is not a rank",
                    "unset " + std::string(name) + ", and this process answers all points");
    }
    return value;
}

Result<SweepShard> shardBy(const RankVariables& names, const Variable& variable) {
    SweepShard shard;
    FABRICAST_ASSIGN(shard.index, countIn(*variable(names.rank), names.rank));
    FABRICAST_ASSIGN(shard.count, countIn(*variable(names.count), names.count));
    if (names.first != nullptr && variable(names.first)) {
        FABRICAST_ASSIGN(const std::size_t first, countIn(*variable(names.first), names.first));
        shard.index -= std::min(first, shard.index);
    }
    if (shard.count > kMostRanks) {
        return fail(Error::Code::BadInput,
                    names.count,
                    std::to_string(shard.count) + " ranks are more than the " +
                        std::to_string(kMostRanks) + " that may share a sweep",
                    "as many ranks as points, or fewer");
    }
    if (shard.index >= shard.count) {
        const std::size_t last = std::max<std::size_t>(shard.count, 1) - 1;
        return fail(
            Error::Code::BadInput,
            names.rank,
            "rank " + std::to_string(shard.index) + " is not one of " + std::to_string(shard.count),
            names.first != nullptr
                ? "an array without gaps: --array=0-" + std::to_string(last)
                : "unset " + std::string(names.rank) + ", and this process answers all points");
    }
    return shard;
}

Error tooManyPoints() {
    return {Error::Code::BadInput,
            "--sweep",
            "these are more points than the " + std::to_string(kMostPoints) + " of one sweep",
            "fewer values, or several sweeps that share out the values of one key"};
}

/// Where a value ends: at a comma, but for those of an amount as answers write it, "$12,000".
std::size_t endOfValue(const std::string& typed, std::size_t begin) {
    const auto isDigit = [&typed](std::size_t at) {
        return at < typed.size() && typed[at] >= '0' && typed[at] <= '9';
    };
    std::size_t end = std::min(typed.find(',', begin), typed.size());
    while (typed[begin] == '$' && isDigit(end - 1) && isDigit(end + 1) && isDigit(end + 2) &&
           isDigit(end + 3) && !isDigit(end + 4)) {
        end = std::min(typed.find(',', end + 1), typed.size());
    }
    return end;
}

Result<SweepAxis> readAxis(const std::string& typed) {
    const std::size_t equals = typed.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == typed.size()) {
        return fail(Error::Code::BadInput,
                    "--sweep",
                    "\"" + typed + "\" is not a key with values",
                    "--sweep cluster.nodes=1,2,4");
    }
    SweepAxis axis{.key = keyCalled(typed.substr(0, equals))};
    std::set<std::string> seen;
    std::size_t begin = equals + 1;
    while (begin <= typed.size()) {
        const std::size_t end = endOfValue(typed, begin);
        const std::string value = typed.substr(begin, end - begin);
        if (value.empty() || !seen.insert(value).second) {
            return fail(Error::Code::BadInput,
                        "--sweep " + axis.key,
                        value.empty() ? "a value is missing" : "\"" + value + "\" is there twice");
        }
        axis.values.push_back(value);
        begin = end + 1;
    }
    return axis;
}

}  // namespace

Result<std::vector<SweepAxis>> readSweep(const std::vector<std::string>& typed) {
    std::vector<SweepAxis> axes;
    std::size_t points = 1;
    for (const std::string& one : typed) {
        FABRICAST_ASSIGN(SweepAxis axis, readAxis(one));
        if (std::ranges::find(axes, axis.key, &SweepAxis::key) != axes.end()) {
            return fail(Error::Code::BadInput, "--sweep", "\"" + axis.key + "\" is there twice");
        }
        points *= axis.values.size();
        if (points > kMostPoints) {
            return tl::unexpected(tooManyPoints());
        }
        axes.push_back(std::move(axis));
    }
    return axes;
}

std::vector<std::vector<Edit>> sweepPoints(const std::vector<SweepAxis>& axes) {
    std::vector<std::vector<Edit>> points = {{}};
    for (const SweepAxis& axis : axes) {
        std::vector<std::vector<Edit>> longer;
        for (const std::vector<Edit>& point : points) {
            for (const std::string& value : axis.values) {
                longer.push_back(point);
                longer.back().push_back({axis.key, value, "--sweep"});
            }
        }
        points = std::move(longer);
    }
    return points;
}

Result<SweepShard> shardOf(const Variable& variable) {
    for (const RankVariables& names : kRankVariables) {
        const bool isThere = names.sign == nullptr || variable(names.sign);
        if (isThere && variable(names.rank) && variable(names.count)) {
            FABRICAST_ASSIGN(const SweepShard shard, shardBy(names, variable));
            if (shard.count > 1) {
                return shard;
            }
        }
    }
    return SweepShard{};
}

std::string shardFile(const std::string& file, const SweepShard& shard) {
    return shard.count == 1 ? file
                            : file + "." + std::to_string(shard.index + 1) + "-of-" +
                                  std::to_string(shard.count);
}

}  // namespace fabricast
