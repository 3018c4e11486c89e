#include "planner/backtest/left_out_groups.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>

namespace fabricast {

namespace {

constexpr std::size_t kLeastModels = 3;
constexpr std::size_t kLeastOthers = 4;
/// Of a sum of gains: far below what is printed of any.
constexpr double kLeastError = 1e-9;

std::string counted(const std::optional<std::int64_t>& count) {
    return (count ? std::to_string(*count) : "?") + "|";
}

std::string modelKey(const PublishedRun& run) {
    return run.model + "|" + counted(run.layers) + counted(run.hidden);
}

std::string layoutKey(const PublishedRun& run) {
    std::string key = modelKey(run) + run.stack + "|" + run.shard + "|" + run.precision + "|" +
                      run.recompute + "|" + run.tuning + "|";
    for (const auto& count : {run.gpus, run.tp, run.pp, run.vpp, run.cp, run.ep, run.etp}) {
        key += counted(count);
    }
    return key;
}

std::string shapeKey(const PublishedRun& run) {
    return layoutKey(run) + counted(run.sequence) + counted(run.microBatch) +
           counted(run.globalBatch);
}

LeftOutGroups groupedBy(const std::vector<RunSlopes>& runs,
                        const std::function<std::string(const PublishedRun&)>& key,
                        const char* what) {
    LeftOutGroups groups{.of = {}, .count = 0, .what = what};
    std::map<std::string, std::size_t> numbers;
    for (const RunSlopes& run : runs) {
        groups.of.push_back(numbers.try_emplace(key(*run.run), numbers.size()).first->second);
    }
    groups.count = numbers.size();
    return groups;
}

}  // namespace

LeftOutGroups leftOutGroups(const std::vector<RunSlopes>& runs) {
    if (LeftOutGroups models = groupedBy(runs, modelKey, "model"); models.count >= kLeastModels) {
        return models;
    }
    if (LeftOutGroups layouts = groupedBy(runs, layoutKey, "layout");
        layouts.count >= kLeastOthers) {
        return layouts;
    }
    if (LeftOutGroups shapes = groupedBy(runs, shapeKey, "shape"); shapes.count >= kLeastOthers) {
        return shapes;
    }
    return groupedBy(
        runs, [](const PublishedRun& run) { return run.where + run.id; }, "run");
}

LeftOutGroups leftOutShapes(const std::vector<RunSlopes>& runs) {
    return groupedBy(runs, shapeKey, "shape");
}

double sureGain(const std::vector<double>& before,
                const std::vector<double>& after,
                const LeftOutGroups& groups) {
    std::vector<double> gains(groups.count, 0.0);
    for (std::size_t i = 0; i < before.size(); ++i) {
        gains[groups.of[i]] += std::abs(before[i]) - std::abs(after[i]);
    }
    const auto n = static_cast<double>(groups.count);
    double sum = 0.0;
    double squares = 0.0;
    for (const double gain : gains) {
        sum += gain;
        squares += gain * gain;
    }
    const double variance = std::max(0.0, squares / n - sum * sum / (n * n)) * n / (n - 1.0);
    return sum / std::max(std::sqrt(n * variance), kLeastError);
}

bool areRepeats(const PublishedRun& a, const PublishedRun& b) {
    const auto whole = [](const PublishedRun& run) {
        return shapeKey(run) + run.framework + "|" + run.optimizer + "|" + run.experts + "|" +
               run.interconnect + "|" + run.sp + "|" + run.cpKind + "|" + run.notes + "|" +
               counted(run.dp) + counted(run.gpusPerNode);
    };
    return whole(a) == whole(b);
}

bool areCopies(const PublishedRun& a, const PublishedRun& b) {
    if (a.stepSeconds != b.stepSeconds || a.tokensPerGpu != b.tokensPerGpu) {
        return false;
    }
    return a.id == b.id ? shapeKey(a) == shapeKey(b) : areRepeats(a, b);
}

}  // namespace fabricast
