#include "planner/backtest/choose_factors.h"

#include "planner/backtest/error_spread.h"
#include "planner/evidence/machine_correction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

namespace fabricast {

namespace {

/// Variances of a run, from 2 % of its step to half of it: what the ridge is tried with.
constexpr std::array kNoises = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.3};
/// A run feels a factor that changes its step by this much of the factor's change.
constexpr double kFeels = 0.02;
constexpr std::int64_t kLeastFeeling = 3;
/// A factor more has to lower the mean miss by this share.
constexpr double kLeastGain = 0.05;
/// And by this much, which is less than steps of one job differ by.
constexpr double kLeastFall = 0.002;
/// All of them together have to help by this many standard errors.
constexpr double kSureErrors = 1.5;
/// Farther from the profiles than so many usual spreads is no machine: one in a hundred would be.
constexpr double kFarSpreads = 2.5;
/// Nearer to a bound than this, a factor is at it.
constexpr double kNearBound = 1.02;

struct Attempt {
    double mean = 0.0;
    double noise = 0.0;
    std::vector<double> misses;
};

double meanSize(const std::vector<double>& misses) {
    double sum = 0.0;
    for (const double miss : misses) {
        sum += std::abs(miss);
    }
    return sum / static_cast<double>(misses.size());
}

/// With the strength of the ridge that suits left-out groups best.
Attempt attempt(const std::vector<RunSlopes>& runs,
                const LeftOutGroups& groups,
                const FactorList& factors) {
    std::optional<Attempt> best;
    for (const double noise : kNoises) {
        std::vector<double> misses = leftOutMisses(runs, groups, factors, noise);
        const double mean = meanSize(misses);
        if (!best || mean < best->mean) {
            best = {.mean = mean, .noise = noise, .misses = std::move(misses)};
        }
    }
    return *std::move(best);
}

bool isAtBound(const std::vector<RunSlopes>& runs, const FactorList& factors, double noise) {
    const PerFactor logs =
        solveFactors(runs, std::vector<bool>(runs.size(), false), factors, noise);
    return std::ranges::any_of(factors, [&](std::size_t factor) {
        const double speed = std::exp(logs[factor]);
        return std::abs(logs[factor]) > kFarSpreads * usualSpread()[factor] ||
               speed < kLeastCorrection * kNearBound || speed > kMostCorrection / kNearBound;
    });
}

FactorList felt(const std::vector<RunSlopes>& runs) {
    FactorList factors;
    for (std::size_t i = 0; i < kMachineFactors; ++i) {
        const auto feeling = std::ranges::count_if(
            runs, [&](const RunSlopes& run) { return std::abs(run.slopes[i]) > kFeels; });
        if (feeling >= kLeastFeeling) {
            factors.push_back(i);
        }
    }
    return factors;
}

/// Whether left-out groups gain by more than chance.
bool isSure(const std::vector<double>& before,
            const std::vector<double>& after,
            const LeftOutGroups& groups) {
    return sureGain(before, after, groups) > kSureErrors &&
           spreadOf(after).median <= spreadOf(before).median;
}

/// The best of the candidates in addition to those chosen; `atBound` has those that end at a bound.
std::optional<std::pair<std::size_t, Attempt>> nextFactor(const std::vector<RunSlopes>& runs,
                                                          const LeftOutGroups& groups,
                                                          const FactorList& candidates,
                                                          ChosenFactors& chosen) {
    std::optional<std::pair<std::size_t, Attempt>> best;
    for (const std::size_t candidate : candidates) {
        if (std::ranges::find(chosen.factors, candidate) != chosen.factors.end()) {
            continue;
        }
        FactorList factors = chosen.factors;
        factors.push_back(candidate);
        Attempt tried = attempt(runs, groups, factors);
        if (best && tried.mean >= best->second.mean) {
            continue;
        }
        if (isAtBound(runs, factors, tried.noise)) {
            chosen.atBound.push_back(candidate);
            continue;
        }
        best = {candidate, std::move(tried)};
    }
    return best;
}

}  // namespace

std::vector<double> leftOutMisses(const std::vector<RunSlopes>& runs,
                                  const LeftOutGroups& groups,
                                  const FactorList& factors,
                                  double noise) {
    std::vector<double> misses(runs.size(), 0.0);
    for (std::size_t group = 0; group < groups.count; ++group) {
        std::vector<bool> skipped(runs.size());
        for (std::size_t i = 0; i < runs.size(); ++i) {
            skipped[i] = groups.of[i] == group;
        }
        const PerFactor logs = solveFactors(runs, skipped, factors, noise);
        for (std::size_t i = 0; i < runs.size(); ++i) {
            misses[i] = skipped[i] ? missWith(runs[i], logs) : misses[i];
        }
    }
    return misses;
}

namespace {

/// Factors one at a time, while left-out groups gain.
ChosenFactors addedFactors(const std::vector<RunSlopes>& runs,
                           const LeftOutGroups& groups,
                           const FactorList& candidates) {
    ChosenFactors chosen{
        .factors = {}, .noise = 0.0, .leftOut = missesWith(runs, {}), .atBound = {}};
    double mean = meanSize(chosen.leftOut);
    while (const auto next = nextFactor(runs, groups, candidates, chosen)) {
        const double fall = mean - next->second.mean;
        if (fall < kLeastGain * mean || fall < kLeastFall) {
            break;
        }
        chosen.factors.push_back(next->first);
        chosen.noise = next->second.noise;
        chosen.leftOut = next->second.misses;
        mean = next->second.mean;
    }
    return chosen;
}

/// Misses of each group by factors that were chosen without it.
std::vector<double> unseenMisses(const std::vector<RunSlopes>& runs, const LeftOutGroups& groups) {
    std::vector<double> misses(runs.size(), 0.0);
    for (std::size_t group = 0; group < groups.count; ++group) {
        std::vector<RunSlopes> others;
        LeftOutGroups rest{.of = {}, .count = groups.count - 1, .what = groups.what};
        for (std::size_t i = 0; i < runs.size(); ++i) {
            if (groups.of[i] != group) {
                others.push_back(runs[i]);
                rest.of.push_back(groups.of[i] - (groups.of[i] > group ? 1 : 0));
            }
        }
        const ChosenFactors chosen = addedFactors(others, rest, felt(others));
        const PerFactor logs = solveFactors(
            others, std::vector<bool>(others.size(), false), chosen.factors, chosen.noise);
        for (std::size_t i = 0; i < runs.size(); ++i) {
            misses[i] = groups.of[i] == group ? missWith(runs[i], logs) : misses[i];
        }
    }
    return misses;
}

}  // namespace

ChosenFactors chooseFactors(const std::vector<RunSlopes>& runs, const LeftOutGroups& groups) {
    const std::vector<double> before = missesWith(runs, {});
    if (groups.count < 2) {
        return {.factors = {}, .noise = 0.0, .leftOut = before, .atBound = {}};
    }
    ChosenFactors chosen = addedFactors(runs, groups, felt(runs));
    if (!isSure(before, chosen.leftOut, groups) ||
        (groups.count > 2 && !isSure(before, unseenMisses(runs, groups), groups))) {
        chosen.factors.clear();
        chosen.leftOut = before;
    }
    return chosen;
}

}  // namespace fabricast
