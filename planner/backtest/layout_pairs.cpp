#include "planner/backtest/run_groups.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace fabricast {

namespace {

/// An order is right four times of five where forecasts differ by as much as three of five errors
/// are at most: errors of either sign are as frequent, and only one sign turns the order round.
constexpr double kErrorsBelow = 0.6;
constexpr std::size_t kLeastPairs = 30;  ///< as of runs for an interval

struct LayoutPair {
    std::string_view source;
    bool sameSplit = false;
    double measured = 0.0;  ///< ln of the times per sample of one over the other
    double forecast = 0.0;

    [[nodiscard]] double error() const { return std::abs(forecast - measured); }
    [[nodiscard]] bool isRight() const { return forecast * measured > 0; }
};
using LayoutPairs = std::vector<LayoutPair>;

void addPairs(const std::vector<const BacktestRow*>& rows, LayoutPairs& pairs) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = i + 1; j < rows.size(); ++j) {
            const BacktestRow& a = *rows[i];
            const BacktestRow& b = *rows[j];
            if (a.layout != b.layout) {
                const double samples = std::log(b.samples / a.samples);
                pairs.push_back(
                    {.source = a.source,
                     .sameSplit = a.split == b.split,
                     .measured = std::log(*a.measuredStep / *b.measuredStep) + samples,
                     .forecast = std::log(*a.predictedStep / *b.predictedStep) + samples});
            }
        }
    }
}

LayoutPairs pairsOf(const std::vector<const BacktestRow*>& rows) {
    std::map<std::string_view, std::vector<const BacktestRow*>> works;
    for (const BacktestRow* row : rows) {
        if (row->stepError() && row->samples > 0) {
            works[row->work].push_back(row);
        }
    }
    LayoutPairs pairs;
    for (const auto& [work, members] : works) {
        addPairs(members, pairs);
    }
    return pairs;
}

/// Of the pairs of one kind from other sources: the error that a share of them has at most, where
/// a source counts with the root of its pairs. 0 of none.
double errorWithout(const LayoutPairs& pairs, bool sameSplit, std::string_view source) {
    std::map<std::string_view, double> counts;
    std::vector<std::pair<double, std::string_view>> errors;
    for (const LayoutPair& pair : pairs) {
        if (pair.sameSplit == sameSplit && pair.source != source) {
            counts[pair.source] += 1.0;
            errors.emplace_back(pair.error(), pair.source);
        }
    }
    std::sort(errors.begin(), errors.end());
    double total = 0.0;
    for (const auto& [name, count] : counts) {
        total += std::sqrt(count);
    }
    double sum = 0.0;
    for (const auto& [error, from] : errors) {
        sum += 1.0 / std::sqrt(counts[from]);
        if (sum >= kErrorsBelow * total) {
            return std::expm1(error);
        }
    }
    return 0.0;
}

void countPairs(const LayoutPairs& pairs, bool sameSplit, PairKind& kind) {
    std::map<std::string_view, double> others;
    kind.error = errorWithout(pairs, sameSplit, {});
    for (const LayoutPair& pair : pairs) {
        if (pair.sameSplit != sameSplit) {
            continue;
        }
        const auto [found, isNew] = others.try_emplace(pair.source, 0.0);
        if (isNew) {
            found->second = errorWithout(pairs, sameSplit, pair.source);
        }
        ++kind.pairs;
        kind.right += pair.isRight() ? 1U : 0U;
        // Where there is no other source nothing says which orders are clear.
        if (found->second > 0 && std::abs(pair.forecast) > std::log1p(found->second)) {
            ++kind.clear;
            kind.clearRight += pair.isRight() ? 1U : 0U;
        }
    }
    kind.sources = others.size();
}

}  // namespace

PairScore pairScore(const std::vector<const BacktestRow*>& rows) {
    const LayoutPairs pairs = pairsOf(rows);
    PairScore score;
    countPairs(pairs, true, score.sameSplit);
    countPairs(pairs, false, score.otherSplit);
    return score;
}

ComparisonError comparisonErrorOf(const PairScore& score) {
    ComparisonError error;
    const std::pair<const PairKind*, PairError*> kinds[] = {{&score.sameSplit, &error.sameSplit},
                                                            {&score.otherSplit, &error.otherSplit}};
    for (const auto& [kind, kept] : kinds) {
        if (kind->pairs >= kLeastPairs) {
            *kept = {.error = kind->error,
                     .pairs = static_cast<std::int64_t>(kind->pairs),
                     .sources = static_cast<std::int64_t>(kind->sources)};
        }
    }
    return error;
}

}  // namespace fabricast
