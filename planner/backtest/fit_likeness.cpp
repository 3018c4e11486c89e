#include "planner/backtest/fit_likeness.h"

#include "planner/backtest/error_spread.h"
#include "planner/evidence/likeness.h"
#include "planner/evidence/machine_correction.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace fabricast {

namespace {

/// Of what runs take beside the speeds of their machine, and of each run by itself: standard
/// deviations of logarithms.
constexpr double kLikeSpread = 0.1;
constexpr double kRunNoise = 0.03;
/// A run farther from the others than so many of its noise weighs less.
constexpr double kOddNoises = 1.5;
constexpr int kOddRounds = 4;
/// Left-out runs that lose by so many standard errors speak against it, and those that gain by so
/// many for speeds beside it.
constexpr double kSure = 2.0;
/// As do speeds that leave no more than this of what left-out runs miss without them, by the
/// median.
constexpr double kLeftBySpeeds = 0.5;
/// Steps of one job differ by as much.
constexpr double kLeastSaid = 0.01;
/// Where most runs are farther off, they were not measured on such a machine.
constexpr double kFarRuns = 2.5 * kLikeSpread;

SquareMatrix covarianceOf(const std::vector<RunSlopes>& runs) {
    SquareMatrix covariance(runs.size(), std::vector<double>(runs.size(), 0.0));
    for (std::size_t i = 0; i < runs.size(); ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            covariance[i][j] = covariance[j][i] =
                kLikeSpread * kLikeSpread * likeness(runs[i].traits, runs[j].traits);
        }
    }
    return covariance;
}

std::vector<double> product(const SquareMatrix& matrix, const std::vector<double>& vector) {
    std::vector<double> sums(vector.size(), 0.0);
    for (std::size_t i = 0; i < vector.size(); ++i) {
        for (std::size_t j = 0; j < vector.size(); ++j) {
            sums[i] += matrix[i][j] * vector[j];
        }
    }
    return sums;
}

std::vector<std::vector<std::size_t>> membersOf(const LeftOutGroups& groups) {
    std::vector<std::vector<std::size_t>> members(groups.count);
    for (std::size_t i = 0; i < groups.of.size(); ++i) {
        members[groups.of[i]].push_back(i);
    }
    return members;
}

}  // namespace

RunLikeness::RunLikeness(const std::vector<RunSlopes>& runs, const std::vector<double>& misses)
    : runs_(runs) {
    const SquareMatrix covariance = covarianceOf(runs);
    std::vector<double> share(runs.size(), 1.0);  // of a run that is not odd
    for (int round = 0; round < kOddRounds; ++round) {
        SquareMatrix noisy = covariance;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            noisy[i][i] += kRunNoise * kRunNoise / share[i];
        }
        inverse_ = inverse(std::move(noisy));
        weights_ = solved(misses);
        const std::vector<double> said = product(covariance, weights_);
        for (std::size_t i = 0; i < runs.size(); ++i) {
            const double off = std::max(std::abs(misses[i] - said[i]), kRunNoise * 1e-6);
            share[i] = std::min(1.0, kOddNoises * kRunNoise / off);
        }
    }
}

std::vector<double> RunLikeness::solved(const std::vector<double>& misses) const {
    return product(inverse_, misses);
}

std::vector<LikeRun> RunLikeness::likeRuns() const {
    std::vector<LikeRun> like;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
        like.push_back({.id = runs_[i].run->id,
                        .traits = runs_[i].traits,
                        .weight = kLikeSpread * kLikeSpread * weights_[i]});
    }
    return like;
}

/// With A = cov⁻¹, what a group G misses by the others alone is (A_GG)⁻¹ (A · miss)_G.
std::vector<double> RunLikeness::leftOut(const std::vector<double>& misses,
                                         const LeftOutGroups& groups) const {
    const std::vector<double> all = solved(misses);
    std::vector<double> left(misses.size(), 0.0);
    for (const std::vector<std::size_t>& group : membersOf(groups)) {
        SquareMatrix own(group.size(), std::vector<double>(group.size()));
        std::vector<double> right;
        for (std::size_t a = 0; a < group.size(); ++a) {
            right.push_back(all[group[a]]);
            for (std::size_t b = 0; b < group.size(); ++b) {
                own[a][b] = inverse_[group[a]][group[b]];
            }
        }
        const std::vector<double> missed = product(inverse(std::move(own)), right);
        for (std::size_t a = 0; a < group.size(); ++a) {
            left[group[a]] = missed[a];
        }
    }
    return left;
}

std::optional<OwnLikeness> chooseLikeness(const std::vector<RunSlopes>& runs,
                                          const std::vector<double>& misses) {
    const LeftOutGroups shapes = leftOutShapes(runs);
    if (runs.size() > kMostLikeRuns || shapes.count < 2) {
        return std::nullopt;
    }
    const RunLikeness likeness(runs, misses);
    OwnLikeness own = ownLikeness(likeness.likeRuns());
    std::vector<double> said;
    said.reserve(runs.size());
    for (const RunSlopes& run : runs) {
        said.push_back(std::abs(std::log(stretchOf(own, run.traits))));
    }
    const bool isHeard = std::max(own.most, -own.least) >= kLeastSaid;
    if (!isHeard || quantileOf(said, 0.5) > kFarRuns ||
        sureGain(misses, likeness.leftOut(misses, shapes), shapes) < -kSure) {
        return std::nullopt;
    }
    return own;
}

std::vector<double> leftOutOfBoth(const std::vector<RunSlopes>& runs,
                                  const LeftOutGroups& groups,
                                  const FactorList& factors,
                                  double noise) {
    const std::vector<std::vector<std::size_t>> members = membersOf(groups);
    std::vector<double> left(runs.size(), 0.0);
    const auto missesBy = [&](const std::vector<bool>& skipped) {
        return missesWith(runs, solveFactors(runs, skipped, factors, noise));
    };
    const RunLikeness likeness(runs, missesBy(std::vector<bool>(runs.size(), false)));
    for (const std::vector<std::size_t>& group : members) {
        std::vector<bool> skipped(runs.size(), false);
        for (const std::size_t i : group) {
            skipped[i] = true;
        }
        const std::vector<double> misses = likeness.leftOut(missesBy(skipped), groups);
        for (const std::size_t i : group) {
            left[i] = misses[i];
        }
    }
    return left;
}

bool helpBesideLikeness(const std::vector<RunSlopes>& runs,
                        const std::vector<RunSlopes>& about,
                        const LeftOutGroups& groups,
                        const ChosenFactors& chosen) {
    const std::vector<double> misses = missesWith(runs, {});
    if (!chooseLikeness(runs, misses)) {
        return true;
    }
    const std::vector<double> alone = RunLikeness(runs, misses).leftOut(misses, groups);
    const std::vector<double> both = leftOutOfBoth(about, groups, chosen.factors, chosen.noise);
    return sureGain(alone, both, groups) > kSure ||
           spreadOf(both).median <= kLeftBySpeeds * spreadOf(alone).median;
}

}  // namespace fabricast
