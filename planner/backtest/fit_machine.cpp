#include "planner/backtest/fit_machine.h"

#include "planner/backtest/choose_factors.h"
#include "planner/backtest/error_spread.h"
#include "planner/backtest/fit_likeness.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace fabricast {

namespace {

constexpr std::size_t kLeastRunsOfCorrection = 8;
/// Of fewer runs there are no two between which four of five others lie.
constexpr std::size_t kLeastRunsOfOwnInterval = 9;
/// At each end. Fitted to one half of the published runs of a source, 76 % of the other half's are
/// inside (tests/programs/machine_fits); with a tenth, as for intervals from many sources, 71 %.
constexpr double kOwnTail = 0.05;
/// Four in five of a normal distribution are within so many standard deviations.
constexpr double kFourInFive = 1.2816;
/// Fits about the speeds of the fit before: forecasts are not quite straight in them.
constexpr int kFitRounds = 2;
constexpr double kFeelsFactor = 0.02;

using GpuRuns = std::vector<const PublishedRun*>;

double medianError(const std::vector<double>& misses) {
    std::vector<double> sizes;
    for (const double miss : misses) {
        sizes.push_back(std::abs(std::exp(-miss) - 1.0));
    }
    return quantileOf(std::move(sizes), 0.5);
}

/// About the speeds `logs`, as if they were straight lines from the profiles' own speeds.
std::vector<RunSlopes> straightened(std::vector<RunSlopes> runs, const PerFactor& logs) {
    for (RunSlopes& run : runs) {
        for (std::size_t i = 0; i < kMachineFactors; ++i) {
            run.miss += run.slopes[i] * logs[i];
        }
    }
    return runs;
}

MachineFactors speedsOf(const PerFactor& logs) {
    MachineFactors factors;
    for (std::size_t i = 0; i < kMachineFactors; ++i) {
        factors.speeds[i] = std::exp(logs[i]);
    }
    return factors;
}

/// Of each class of evidence with enough runs: the k-th smallest and largest miss of left-out runs,
/// with k = a twentieth of the runs and one more (conformal). A class whose runs are nearer to each
/// other than measurements of the same work are keeps the interval of the profiles.
std::vector<OwnInterval> ownIntervals(const std::vector<RunSlopes>& runs,
                                      const std::vector<double>& leftOut,
                                      MachineFit& fit) {
    const double noise = repeatDeviation(runs);
    std::map<std::string, std::vector<double>> classes;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        classes[runs[i].evidence].push_back(leftOut[i]);
    }
    std::vector<OwnInterval> intervals;
    for (auto& [evidence, misses] : classes) {
        if (misses.size() < kLeastRunsOfOwnInterval) {
            continue;
        }
        std::sort(misses.begin(), misses.end());
        const auto outside =
            static_cast<std::size_t>(kOwnTail * static_cast<double>(misses.size() + 1));
        const std::size_t end = std::max<std::size_t>(1, outside) - 1;
        if (misses[misses.size() - 1 - end] - misses[end] < 2.0 * kFourInFive * noise) {
            fit.remarks.push_back("interval of " + evidence +
                                  ": the profiles' is kept, as these runs are nearer to each "
                                  "other than repeated measurements are");
            continue;
        }
        intervals.push_back({.evidence = evidence,
                             .below = std::min(1.0, std::exp(misses[end])),
                             .above = std::max(1.0, std::exp(misses[misses.size() - 1 - end])),
                             .runs = static_cast<std::int64_t>(misses.size())});
    }
    return intervals;
}

std::string oneDigit(double number) {
    const long tenths = std::lround(10.0 * number);
    return (tenths < 0 ? "-" : "") + std::to_string(std::abs(tenths) / 10) + "." +
           std::to_string(std::abs(tenths) % 10);
}

/// What likeness was taken by: the error of shapes that are left out, whose models and layouts the
/// other runs may have.
std::string likenessRemark(const std::vector<RunSlopes>& runs, const std::vector<double>& misses) {
    const LeftOutGroups shapes = leftOutShapes(runs);
    const std::vector<double> left = RunLikeness(runs, misses).leftOut(misses, shapes);
    return "likeness is taken by shapes left out (" + std::to_string(shapes.count) + "): error " +
           oneDigit(100.0 * medianError(misses)) + " % by speeds alone, " +
           oneDigit(100.0 * medianError(left)) + " % with it (median), nearer by " +
           oneDigit(sureGain(misses, left, shapes)) + " standard errors";
}

std::vector<FittedFactor> fittedFactors(const std::vector<RunSlopes>& runs,
                                        const FactorList& factors,
                                        const PerFactor& logs,
                                        double noise) {
    const auto covariance = factorCovariance(runs, factors, noise);
    std::vector<FittedFactor> fitted;
    for (std::size_t i = 0; i < factors.size(); ++i) {
        const std::size_t factor = factors[i];
        const auto feeling = std::ranges::count_if(runs, [&](const RunSlopes& run) {
            return std::abs(run.slopes[factor]) > kFeelsFactor;
        });
        fitted.push_back({.factor = static_cast<MachineFactor>(factor),
                          .speed = std::exp(logs[factor]),
                          .error = std::sqrt(covariance[i][i]),
                          .runs = static_cast<std::int64_t>(feeling)});
    }
    return fitted;
}

/// Each run once, with a remark on those that are in the table several times.
GpuRuns withoutCopies(const GpuRuns& all, MachineFit& fit) {
    GpuRuns distinct;
    std::vector<std::size_t> counts;
    for (const PublishedRun* run : all) {
        const auto same = std::ranges::find_if(
            distinct, [&](const PublishedRun* other) { return areCopies(*other, *run); });
        if (same == distinct.end()) {
            distinct.push_back(run);
            counts.push_back(1);
        } else {
            ++counts[static_cast<std::size_t>(same - distinct.begin())];
        }
    }
    for (std::size_t i = 0; i < distinct.size(); ++i) {
        if (counts[i] > 1) {
            fit.remarks.push_back(std::to_string(counts[i]) + " copies of run " + distinct[i]->id +
                                  " are one run");
        }
    }
    return distinct;
}

/// "3 of 4 runs", "4 runs".
std::string someOf(const MachineFit& fit) {
    const std::string runs = std::to_string(fit.runs);
    return (fit.runs == fit.rows ? runs : runs + " of " + std::to_string(fit.rows)) + " runs";
}

/// Runs with their slopes at these speeds, as straight lines from the profiles' own.
struct AboutSpeeds {
    std::vector<RunSlopes> runs;
    PerFactor logs{};
};

class GpuFit {
public:
    GpuFit(const RunCatalog& catalog, const TimingProfiles& profiles, std::size_t threads)
        : catalog_(catalog), profiles_(profiles), threads_(threads) {}

    [[nodiscard]] MachineFit of(const std::string& gpu, const GpuRuns& rows) const {
        MachineFit fit{.gpu = gpu, .rows = rows.size()};
        const GpuRuns all = withoutCopies(rows, fit);
        std::vector<RunSlopes> runs = runSlopes(all, catalog_, profiles_, {}, threads_);
        fit.runs = runs.size();
        if (runs.size() < kLeastRunsOfCorrection) {
            fit.why = "only " + someOf(fit) +
                      " can be compared with a forecast; a correction needs " +
                      std::to_string(kLeastRunsOfCorrection);
            return fit;
        }
        const LeftOutGroups groups = leftOutGroups(runs);
        fit.leftOut = groups.what;
        ChosenFactors chosen = chooseFactors(runs, groups);
        AboutSpeeds about = aboutSpeeds(all, chosen, runs);
        if (!chosen.factors.empty() && !helpBesideLikeness(runs, about.runs, groups, chosen)) {
            chosen.factors.clear();
            about = {.runs = runs};
        }
        fit.correction = corrected(about, groups, chosen, fit);
        if (fit.correction) {
            fit.correction->gpu = gpu;
            fit.correction->errorBefore = medianError(missesWith(runs, {}));
        } else {
            fit.why = withoutCorrection(chosen);
        }
        return fit;
    }

private:
    static std::string withoutCorrection(const ChosenFactors& chosen) {
        std::string why =
            "no speed of the machine and no likeness of its runs improves forecasts of runs that "
            "are left out: the profiles are as good as these runs can tell";
        if (!chosen.atBound.empty()) {
            why += "; " + std::string(nameOf(static_cast<MachineFactor>(chosen.atBound.front()))) +
                   " would have to be farther from the profiles than machines are: check the GPU, "
                   "layout and software of the rows";
        }
        return why;
    }

    /// What runs say about the speeds of the fit before.
    [[nodiscard]] AboutSpeeds aboutSpeeds(const GpuRuns& all,
                                          const ChosenFactors& chosen,
                                          std::vector<RunSlopes> runs) const {
        const std::vector<bool> none(runs.size(), false);
        PerFactor logs = solveFactors(runs, none, chosen.factors, chosen.noise);
        for (int round = 1; round < kFitRounds && !chosen.factors.empty(); ++round) {
            std::vector<RunSlopes> nearer =
                runSlopes(all, catalog_, profiles_, speedsOf(logs), threads_);
            if (nearer.size() == runs.size()) {
                runs = straightened(std::move(nearer), logs);
                logs = solveFactors(runs, none, chosen.factors, chosen.noise);
            }
        }
        return {.runs = std::move(runs), .logs = logs};
    }

    [[nodiscard]] static std::optional<MachineCorrection> corrected(const AboutSpeeds& about,
                                                                    const LeftOutGroups& groups,
                                                                    const ChosenFactors& chosen,
                                                                    MachineFit& fit) {
        const auto& [runs, logs] = about;
        const std::optional<OwnLikeness> like = chooseLikeness(runs, missesWith(runs, logs));
        const auto leftOut = like ? leftOutOfBoth(runs, groups, chosen.factors, chosen.noise)
                                  : leftOutMisses(runs, groups, chosen.factors, chosen.noise);
        if (like) {
            fit.remarks.push_back(likenessRemark(runs, missesWith(runs, logs)));
        }
        addRemarks(runs, groups, leftOut, fit);
        if (chosen.factors.empty() && !like) {
            return std::nullopt;
        }
        return MachineCorrection{.fitted = fittedFactors(runs, chosen.factors, logs, chosen.noise),
                                 .runs = static_cast<std::int64_t>(runs.size()),
                                 .groups = static_cast<std::int64_t>(groups.count),
                                 .errorAfter = medianError(leftOut),
                                 .intervals = ownIntervals(runs, leftOut, fit),
                                 .like = like.value_or(OwnLikeness())};
    }

    const RunCatalog& catalog_;
    const TimingProfiles& profiles_;
    std::size_t threads_;
};

}  // namespace

Result<std::vector<MachineFit>> fitMachines(const std::vector<PublishedRun>& runs,
                                            const RunCatalog& catalog,
                                            const TimingProfiles& profiles,
                                            std::size_t threads) {
    std::map<std::string, GpuRuns> byGpu;
    for (const PublishedRun& run : runs) {
        byGpu[catalog.gpuName(run)].push_back(&run);
    }
    const GpuFit fit(catalog, profiles, threads);
    std::vector<MachineFit> fits;
    bool enough = false;
    for (const auto& [gpu, members] : byGpu) {
        fits.push_back(fit.of(gpu, members));
        enough = enough || fits.back().runs >= kLeastRunsOfCorrection;
    }
    if (enough) {
        return fits;
    }
    const MachineFit& most = *std::ranges::max_element(fits, {}, &MachineFit::runs);
    return fail(Error::Code::BadInput,
                "--fit",
                "only " + someOf(most) + " on " + most.gpu + " can be compared with a forecast" +
                    (most.remarks.empty() ? "" : " (" + most.remarks.front() + ")"),
                "a correction needs " + std::to_string(kLeastRunsOfCorrection) +
                    " runs on one kind of GPU");
}

}  // namespace fabricast
