#pragma once
#include "planner/result/machine_fit.h"
#include "planner/result/rejection.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// What rows of a backtest are put together by.
enum class GroupBy { Source, Gpu, Stack };

/// What a source read a run's memory from: what tensors take, what PyTorch's allocator holds, what
/// the driver reports, or not stated.
enum class MemoryReading { Allocated, Reserved, Device, Unsaid };
inline constexpr std::size_t kMemoryReadings = 4;
inline constexpr std::size_t kVerdicts = static_cast<std::size_t>(Verdict::DoesNotFit) + 1;

inline std::string_view nameOf(MemoryReading reading) {
    constexpr std::string_view kNames[] = {"allocated", "reserved", "device", "unsaid"};
    return kNames[static_cast<std::size_t>(reading)];
}

/// Forecast over measured, less one; nothing where either is missing.
inline std::optional<double> relativeError(std::optional<double> forecast,
                                           std::optional<double> measured) {
    if (!forecast || !measured || *measured <= 0) {
        return std::nullopt;
    }
    return *forecast / *measured - 1.0;
}

/// One measured run and its forecast.
struct BacktestRow {
    std::string id;
    std::string source, gpu, stack;
    std::string sweep;     ///< equal for runs of the same work on the same GPUs
    std::string work;      ///< equal for runs of one source and model, stack and GPUs
    std::string split;     ///< tp, pp, cp and ep
    double samples = 0.0;  ///< of a step; 0: not known
    std::string layout;    ///< how the work was divided
    bool counted = false;  ///< part of the summary
    bool ranked = false;   ///< of a sweep's layouts, whether or not it counts otherwise
    std::string why;       ///< the reason for a missing step time forecast; empty: there is one
    std::optional<double> measuredStep, predictedStep, lo, hi;  ///< seconds
    std::optional<double> looseLo, looseHi;  ///< with this row's source left out of the evidence
    std::optional<double> constantRateStep;  ///< at the usual FLOP/s of such GPUs
    std::optional<double> modelFlops;        ///< of a GPU in a step
    std::string evidence;                    ///< the class whose interval it is
    std::optional<double> measuredGib, predictedGib;
    MemoryReading memoryReading = MemoryReading::Unsaid;  ///< what both of them are
    std::string memoryWhy;           ///< the reason for a missing memory forecast
    std::optional<Verdict> verdict;  ///< without it there is no memory forecast
    bool saysMemory = false;         ///< it names its precision and what it recomputes

    [[nodiscard]] std::optional<double> stepError() const {
        return relativeError(predictedStep, measuredStep);
    }
    [[nodiscard]] std::optional<double> memoryError() const {
        return relativeError(predictedGib, measuredGib);
    }
    [[nodiscard]] std::optional<double> constantRateError() const {
        return relativeError(constantRateStep, measuredStep);
    }
};

/// Relative errors of one quantity: signed for the bias, absolute for the rest.
struct ErrorSpread {
    std::size_t n = 0;
    double bias = 0.0;  ///< mean
    double median = 0.0;
    double mean = 0.0;
    double p90 = 0.0;
    double max = 0.0;
};

/// How many measured values lay within their 80 % interval.
struct Coverage {
    std::size_t n = 0;
    std::size_t inside = 0;
    double halfWidth = 0.0;  ///< median of (hi - lo) / 2 over the forecast

    [[nodiscard]] double share() const {
        return n == 0 ? 0.0 : static_cast<double>(inside) / static_cast<double>(n);
    }
};

/// Sweeps: runs of one source, of the same work on the same GPUs, in at least four layouts.
struct SweepScore {
    std::size_t sweeps = 0;
    double rank = 0.0;    ///< mean of Spearman's rank correlation
    double regret = 0.0;  ///< mean of how much slower the layout we pick is than the best
    double worst = 0.0;   ///< largest regret
};

/// Pairs of layouts of one work (BacktestRow::work), all with the same split or all with others.
struct PairKind {
    std::size_t pairs = 0;
    std::size_t sources = 0;
    std::size_t right = 0;  ///< forecast in the order that was measured
    /// The error of a comparison: from here on the order of four pairs in five is right.
    double error = 0.0;
    std::size_t clear = 0;  ///< forecasts differ by more than that of the other sources' pairs
    std::size_t clearRight = 0;
};
struct PairScore {
    PairKind sameSplit, otherSplit;
};

struct BacktestGroup {
    std::string name;
    std::size_t rows = 0;
    std::size_t forecast = 0;
    std::map<std::string, std::size_t> refused;  ///< reason, how many
    ErrorSpread step, constantRate;
    std::array<ErrorSpread, kMemoryReadings> memory;   ///< by what was read
    std::map<std::string, std::size_t> memoryRefused;  ///< of rows whose memory was measured
    /// Of runs that were measured, so had room, and say what their memory depends on.
    std::array<std::size_t, kVerdicts> verdicts{};
    Coverage coverage;
    Coverage loose;  ///< with each row's source left out of the evidence
    SweepScore sweeps;
    PairScore pairs;
};

/// This is the answer to "how far were forecasts of these runs off?"
struct Backtest {
    std::string file;
    std::string engine = "forecast";  ///< or "simulation": the source of the step times
    GroupBy groupBy = GroupBy::Source;
    bool everyRow = false;  ///< the summary is not of the balanced subset alone
    std::vector<BacktestRow> rows;
    BacktestGroup all;
    std::vector<BacktestGroup> groups;  ///< by name
    std::vector<MachineFit> fits;       ///< where corrections were asked for, by GPU
    std::vector<std::string> unread{};  ///< about columns that look measured and are not known
    std::vector<std::string> notes{};   ///< what of the user's own the forecasts lean on
    std::vector<std::string> doubts{};  ///< what rows say that can hardly be meant

    /// Whether any measurement of a counted row stands beside a forecast.
    [[nodiscard]] bool compares() const {
        const auto isAny = [](const ErrorSpread& memory) { return memory.n > 0; };
        return all.step.n > 0 || std::any_of(all.memory.begin(), all.memory.end(), isAny);
    }
};

}  // namespace fabricast
