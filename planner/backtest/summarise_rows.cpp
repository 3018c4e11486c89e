#include "planner/backtest/error_spread.h"
#include "planner/backtest/run_groups.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {

namespace {

constexpr std::size_t kLeastLayouts = 4;

using Rows = std::vector<const BacktestRow*>;

void count(Coverage& coverage,
           const BacktestRow& row,
           std::optional<double> lo,
           std::optional<double> hi,
           std::vector<double>& widths) {
    if (!row.measuredStep || !row.predictedStep || !lo || !hi) {
        return;
    }
    ++coverage.n;
    coverage.inside += *row.measuredStep >= *lo && *row.measuredStep <= *hi ? 1U : 0U;
    widths.push_back(0.5 * (*hi - *lo) / *row.predictedStep);
}

/// Of the layouts of a sweep, the one we forecast to be fastest against the one that was.
void addSweep(SweepScore& score, const Rows& sweep) {
    std::vector<double> measured;
    std::vector<double> forecast;
    for (const BacktestRow* row : sweep) {
        measured.push_back(*row->measuredStep);
        forecast.push_back(*row->predictedStep);
    }
    const auto pick = std::min_element(forecast.begin(), forecast.end()) - forecast.begin();
    const double best = *std::min_element(measured.begin(), measured.end());
    const double regret = measured[static_cast<std::size_t>(pick)] / best - 1.0;
    ++score.sweeps;
    score.rank += rankCorrelation(measured, forecast);
    score.regret += regret;
    score.worst = std::max(score.worst, regret);
}

bool isSweep(const Rows& rows) {
    std::set<std::string_view> layouts;
    for (const BacktestRow* row : rows) {
        layouts.insert(row->layout);
    }
    return layouts.size() >= kLeastLayouts;
}

SweepScore sweepsOf(const Rows& rows) {
    std::map<std::string, Rows> sweeps;
    for (const BacktestRow* row : rows) {
        if (row->stepError()) {
            sweeps[row->sweep].push_back(row);
        }
    }
    SweepScore score;
    for (const auto& [key, sweep] : sweeps) {
        if (isSweep(sweep)) {
            addSweep(score, sweep);
        }
    }
    if (score.sweeps > 0) {
        score.rank /= static_cast<double>(score.sweeps);
        score.regret /= static_cast<double>(score.sweeps);
    }
    return score;
}

void countRefusals(BacktestGroup& group, const BacktestRow& row) {
    if (row.predictedStep) {
        ++group.forecast;
    } else {
        ++group.refused[row.why];
    }
    if (row.measuredGib && !row.predictedGib) {
        ++group.memoryRefused[row.memoryWhy];
    }
    if (row.predictedStep && row.measuredStep && row.saysMemory && row.verdict) {
        ++group.verdicts[static_cast<std::size_t>(*row.verdict)];
    }
}

BacktestGroup groupOf(std::string name, const Rows& rows) {
    BacktestGroup group{.name = std::move(name), .rows = rows.size()};
    std::vector<double> step;
    std::vector<double> constantRate;
    std::array<std::vector<double>, kMemoryReadings> memory;
    std::vector<double> widths;
    std::vector<double> looseWidths;
    for (const BacktestRow* row : rows) {
        countRefusals(group, *row);
        const std::pair<std::optional<double>, std::vector<double>*> errors[] = {
            {row->stepError(), &step},
            {row->constantRateError(), &constantRate},
            {row->memoryError(), &memory[static_cast<std::size_t>(row->memoryReading)]}};
        for (const auto& [error, list] : errors) {
            if (error) {
                list->push_back(*error);
            }
        }
        count(group.coverage, *row, row->lo, row->hi, widths);
        count(group.loose, *row, row->looseLo, row->looseHi, looseWidths);
    }
    group.step = spreadOf(step);
    group.constantRate = spreadOf(constantRate);
    std::transform(memory.begin(), memory.end(), group.memory.begin(), spreadOf);
    group.coverage.halfWidth = quantileOf(widths, 0.5);
    group.loose.halfWidth = quantileOf(looseWidths, 0.5);
    return group;
}

const std::string& groupName(const BacktestRow& row, GroupBy by) {
    switch (by) {
        case GroupBy::Source:
            return row.source;
        case GroupBy::Gpu:
            return row.gpu;
        case GroupBy::Stack:
            break;
    }
    return row.stack;
}

}  // namespace

/// A balanced subset holds few layouts of a sweep: all that are known are ranked.
void summariseRows(Backtest& backtest) {
    Rows all;
    Rows ranked;
    std::map<std::string, Rows> groups;
    std::map<std::string, Rows> rankedGroups;
    for (const BacktestRow& row : backtest.rows) {
        const std::string& name = groupName(row, backtest.groupBy);
        if (row.counted) {
            all.push_back(&row);
            groups[name].push_back(&row);
        }
        if (row.counted || row.ranked) {
            ranked.push_back(&row);
            rankedGroups[name].push_back(&row);
        }
    }
    backtest.all = groupOf("all", all);
    backtest.all.sweeps = sweepsOf(ranked);
    backtest.all.pairs = pairScore(all);
    backtest.groups.clear();
    for (const auto& [name, rows] : groups) {
        backtest.groups.push_back(groupOf(name, rows));
        backtest.groups.back().sweeps = sweepsOf(rankedGroups[name]);
        backtest.groups.back().pairs = pairScore(rows);
    }
}

}  // namespace fabricast
