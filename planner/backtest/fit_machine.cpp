#include "planner/backtest/fit_machine.h"

#include "planner/backtest/forecast_run.h"
#include "planner/base/parallel_map.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace fabricast {

namespace {

constexpr std::size_t kLeastRunsOfCorrection = 8;
constexpr std::size_t kLeastNetworkRuns = 5;
/// A run feels the network where half of its rate makes the step longer by this much.
constexpr double kFelt = 0.03;
constexpr int kFitRounds = 2;
constexpr int kSections = 12;
/// Nearer to a bound than this, a factor is at it.
constexpr double kAtBound = 1.02;

using Runs = std::vector<const PublishedRun*>;

class MachineFit {
public:
    MachineFit(const RunCatalog& catalog, const TimingProfiles& profiles, std::size_t threads)
        : catalog_(catalog), profiles_(profiles), threads_(threads) {}

    /// ln(measured / forecast) of each run; empty without a forecast.
    [[nodiscard]] std::vector<std::optional<double>> misses(const Runs& runs,
                                                            double clock,
                                                            double network) const {
        const RunCatalog catalog = catalog_.corrected(clock, network);
        const auto miss = [&](const PublishedRun* run) -> std::optional<double> {
            const RunForecast forecast = forecastRun(*run, catalog, profiles_);
            const std::optional<double> measured = run->measuredStep();
            if (!forecast.step || !measured || *measured <= 0) {
                return std::nullopt;
            }
            const double ratio = *measured / forecast.step->step.value.count();
            return std::isfinite(ratio) && ratio > 0 ? std::optional(std::log(ratio))
                                                     : std::nullopt;
        };
        auto all = parallelMap(runs, miss, {.threads = threads_});
        return all ? *std::move(all) : std::vector<std::optional<double>>(runs.size());
    }

    [[nodiscard]] double cost(const Runs& runs, double clock, double network) const {
        double sum = 0.0;
        for (const std::optional<double>& miss : misses(runs, clock, network)) {
            sum += miss ? std::abs(*miss) : 0.0;
        }
        return sum;
    }

    [[nodiscard]] double median(const Runs& runs, double clock, double network) const {
        std::vector<double> sizes;
        for (const std::optional<double>& miss : misses(runs, clock, network)) {
            if (miss) {
                sizes.push_back(std::abs(std::exp(-*miss) - 1.0));
            }
        }
        const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
        std::nth_element(sizes.begin(), middle, sizes.end());
        return *middle;
    }

    /// The factor of least cost, by golden sections of its logarithm.
    template <typename Cost>
    [[nodiscard]] static double least(const Cost& cost) {
        constexpr double kGolden = 0.6180339887498949;
        double low = std::log(kLeastCorrection);
        double high = std::log(kMostCorrection);
        double left = high - kGolden * (high - low);
        double right = low + kGolden * (high - low);
        double leftCost = cost(std::exp(left));
        double rightCost = cost(std::exp(right));
        for (int i = 0; i < kSections; ++i) {
            if (leftCost <= rightCost) {
                high = std::exchange(right, left);
                rightCost = leftCost;
                left = high - kGolden * (high - low);
                leftCost = cost(std::exp(left));
            } else {
                low = std::exchange(left, right);
                leftCost = rightCost;
                right = low + kGolden * (high - low);
                rightCost = cost(std::exp(right));
            }
        }
        return std::exp((low + high) / 2.0);
    }

private:
    const RunCatalog& catalog_;
    const TimingProfiles& profiles_;
    std::size_t threads_;
};

Result<std::string> oneGpu(const std::vector<PublishedRun>& runs) {
    std::set<std::string> gpus;
    for (const PublishedRun& run : runs) {
        gpus.insert(run.gpu);
    }
    if (gpus.size() == 1) {
        return *gpus.begin();
    }
    return fail(Error::Code::BadInput,
                "--fit",
                "the table has runs on several GPUs, such as " + std::to_string(gpus.size()) +
                    " GPUs, from " + *gpus.begin() + " to " + *gpus.rbegin(),
                "use the runs of one machine");
}

Result<void> checkBound(const char* what, double factor) {
    if (factor > kLeastCorrection * kAtBound && factor < kMostCorrection / kAtBound) {
        return {};
    }
    return fail(Error::Code::Unsupported,
                "--fit",
                std::string(what) + " factor would have to be " +
                    std::to_string(std::llround(100.0 * factor)) + " %, which is its bound",
                "check the GPU, layout and software of the rows");
}

/// Those that can be forecast.
Result<Runs> usable(const std::vector<PublishedRun>& runs, const MachineFit& fit) {
    Runs all;
    for (const PublishedRun& run : runs) {
        all.push_back(&run);
    }
    const auto misses = fit.misses(all, 1.0, 1.0);
    Runs good;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (misses[i]) {
            good.push_back(all[i]);
        }
    }
    if (good.size() >= kLeastRunsOfCorrection) {
        return good;
    }
    return fail(Error::Code::BadInput,
                "--fit",
                "only " + std::to_string(good.size()) + " of " + std::to_string(runs.size()) +
                    " runs can be compared with a forecast",
                "a correction needs " + std::to_string(kLeastRunsOfCorrection));
}

bool feelsNetwork(const Runs& runs, const MachineFit& fit) {
    const auto whole = fit.misses(runs, 1.0, 1.0);
    const auto half = fit.misses(runs, 1.0, 0.5);
    std::size_t feeling = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        feeling += whole[i] && half[i] && *whole[i] - *half[i] > kFelt ? 1U : 0U;
    }
    return feeling >= kLeastNetworkRuns;
}

}  // namespace

Result<MachineCorrection> fitMachine(const std::vector<PublishedRun>& runs,
                                     const RunCatalog& catalog,
                                     const TimingProfiles& profiles,
                                     std::size_t threads) {
    const MachineFit fit(catalog, profiles, threads);
    MachineCorrection correction;
    FABRICAST_ASSIGN(correction.gpu, oneGpu(runs));
    FABRICAST_ASSIGN(const Runs good, usable(runs, fit));
    const bool withNetwork = feelsNetwork(good, fit);
    double& clock = correction.clock;
    double& network = correction.network;
    for (int round = 0; round < (withNetwork ? kFitRounds : 1); ++round) {
        clock = fit.least([&](double factor) { return fit.cost(good, factor, network); });
        if (withNetwork) {
            network = fit.least([&](double factor) { return fit.cost(good, clock, factor); });
        }
    }
    FABRICAST_TRY(checkBound("the clock", clock));
    FABRICAST_TRY(checkBound("the network", network));
    correction.runs = static_cast<std::int64_t>(good.size());
    correction.errorBefore = fit.median(good, 1.0, 1.0);
    correction.errorAfter = fit.median(good, clock, network);
    if (correction.errorAfter < correction.errorBefore) {
        return correction;
    }
    return fail(Error::Code::Unsupported,
                "--fit",
                "no factors on clock and network improve these forecasts",
                "use the profiles as they are");
}

}  // namespace fabricast
