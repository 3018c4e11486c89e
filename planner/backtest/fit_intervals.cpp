#include "planner/backtest/backtest_runs.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace fabricast {

namespace {

constexpr std::size_t kLeastRunsOfInterval = 30;
constexpr std::int64_t kLeastSources = 2;
constexpr double kCoverage = 0.8;
constexpr int kTails = 81;  ///< 10 % at each end, down to 2 %
constexpr double kWidestTail = 0.10;
constexpr double kTailStep = 0.001;

struct Residual {
    const BacktestRow* row = nullptr;
    double ratio = 1.0;  ///< measured over forecast
};
using Residuals = std::vector<Residual>;
using Weighted = std::vector<std::pair<double, double>>;  ///< ratio and weight, sorted

/// The first ratio, in the order given, that leaves at least a `tail` of the weight behind it.
template <typename Iterator>
double tailEnd(Iterator begin, Iterator end, double tail) {
    constexpr double kRounding = 1.0 - 1e-9;
    double total = 0.0;
    for (Iterator each = begin; each != end; ++each) {
        total += each->second;
    }
    double sum = 0.0;
    for (Iterator each = begin; each != end; ++each) {
        sum += each->second;
        if (sum >= tail * total * kRounding) {
            return each->first;
        }
    }
    return begin->first;
}

/// "all/a/b", "all/a", "all".
std::vector<std::string> pathsOf(std::string path) {
    std::vector<std::string> paths;
    for (std::size_t end = path.size(); end != std::string::npos; end = path.rfind('/')) {
        path.resize(end);
        paths.push_back(path);
    }
    return paths;
}

StepInterval intervalOf(const Residuals& residuals, double tail) {
    std::map<std::string_view, double> runs;
    for (const Residual& residual : residuals) {
        runs[residual.row->source] += 1.0;
    }
    Weighted sorted;
    for (const Residual& residual : residuals) {
        sorted.emplace_back(residual.ratio, 1.0 / std::sqrt(runs[residual.row->source]));
    }
    std::sort(sorted.begin(), sorted.end());
    return {.below = std::min(1.0, tailEnd(sorted.begin(), sorted.end(), tail)),
            .above = std::max(1.0, tailEnd(sorted.rbegin(), sorted.rend(), tail)),
            .runs = static_cast<std::int64_t>(residuals.size()),
            .sources = static_cast<std::int64_t>(runs.size())};
}

/// From all residuals but those of one source.
StepIntervals intervalsWithout(const Residuals& residuals, const std::string* source, double tail) {
    std::map<std::string, Residuals> classes;
    for (const Residual& residual : residuals) {
        if (source == nullptr || residual.row->source != *source) {
            for (const std::string& path : pathsOf(residual.row->evidence)) {
                classes[path].push_back(residual);
            }
        }
    }
    StepIntervals intervals;
    for (const auto& [path, members] : classes) {
        const StepInterval interval = intervalOf(members, tail);
        const bool enough =
            members.size() >= kLeastRunsOfInterval && interval.sources >= kLeastSources;
        if (enough || path == "all") {
            intervals.classes[path] = interval;
        }
    }
    return intervals;
}

/// For each source, the intervals that the others give.
std::map<std::string, StepIntervals> fromOthers(const Residuals& residuals, double tail) {
    std::map<std::string, StepIntervals> others;
    for (const Residual& residual : residuals) {
        const std::string& source = residual.row->source;
        if (others.find(source) == others.end()) {
            others[source] = intervalsWithout(residuals, &source, tail);
        }
    }
    return others;
}

double coverageAt(const Residuals& residuals, double tail) {
    const std::map<std::string, StepIntervals> others = fromOthers(residuals, tail);
    std::size_t inside = 0;
    for (const Residual& residual : residuals) {
        const StepInterval* interval = others.at(residual.row->source).of(residual.row->evidence);
        const bool within = interval != nullptr && residual.ratio >= interval->below &&
                            residual.ratio <= interval->above;
        inside += within ? 1U : 0U;
    }
    return static_cast<double>(inside) / static_cast<double>(residuals.size());
}

double tailFor(const Residuals& residuals) {
    double tail = kWidestTail;
    for (int step = 1; step < kTails && coverageAt(residuals, tail) < kCoverage; ++step) {
        tail = kWidestTail - step * kTailStep;
    }
    return tail;
}

}  // namespace

StepIntervals fitIntervals(std::vector<BacktestRow>& rows) {
    Residuals residuals;
    for (const BacktestRow& row : rows) {
        if (row.counted && row.stepError()) {
            residuals.push_back({&row, *row.measuredStep / *row.predictedStep});
        }
    }
    if (residuals.empty()) {
        return {};
    }
    const double tail = tailFor(residuals);
    const std::map<std::string, StepIntervals> others = fromOthers(residuals, tail);
    const StepIntervals intervals = intervalsWithout(residuals, nullptr, tail);
    for (BacktestRow& row : rows) {
        const auto found = others.find(row.source);
        const StepInterval* interval =
            found != others.end() ? found->second.of(row.evidence) : nullptr;
        if (row.predictedStep && interval != nullptr) {
            row.looseLo = *row.predictedStep * interval->below;
            row.looseHi = *row.predictedStep * interval->above;
        }
    }
    return intervals;
}

}  // namespace fabricast
