#include "planner/result/answer_names.h"
#include "planner/result/comparison_band.h"
#include "planner/result/memory_names.h"
#include "study/input_effects.h"
#include "study/unit_sizes.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fabricast {

namespace {

double tokensOf(const Scenario& scenario) {
    return static_cast<double>(scenario.workload.globalBatch) *
           static_cast<double>(scenario.workload.sequence);
}

bool haveSameTokens(const std::vector<ComparedSide>& sides) {
    return std::ranges::all_of(sides, [&sides](const ComparedSide& side) {
        return tokensOf(side.scenario) == tokensOf(sides.front().scenario);
    });
}

double bytesOf(Bytes bytes) {
    return static_cast<double>(bytes.count());
}

// The parts of a step in display order.
constexpr std::array kWaterfallOrder = {TimePart::Bubble,
                                        TimePart::Tensor,
                                        TimePart::Context,
                                        TimePart::Expert,
                                        TimePart::Shard,
                                        TimePart::Stage,
                                        TimePart::Optimizer,
                                        TimePart::Host};
constexpr std::array kKernelParts = {TimePart::Gemm, TimePart::Attention, TimePart::MemoryBound};

using Parts = std::vector<DifferencePart>;

/// Kernels without what is run again, that, and then everything that waits; they sum to the step.
Parts timeParts(const StepEstimate& step) {
    Parts parts;
    double again = 0.0;
    for (const TimePart part : kKernelParts) {
        const double recomputed = step.terms.recompute.of(part) * step.terms.microBatches;
        again += recomputed;
        parts.push_back({nameOf(part), step.parts.of(part) - recomputed});
    }
    parts.push_back({"recompute", again});
    for (const TimePart part : kWaterfallOrder) {
        parts.push_back({nameOf(part), step.parts.of(part)});
    }
    return parts;
}

/// Of the stage with the highest peak, as the device's peak is summed.
Parts memoryParts(const MemoryBreakdown& memory) {
    Parts parts;
    const StageMemory& stage = memory.stages[memory.fullest];
    for (const auto& [kind, name] : namesOf(MemoryKind{})) {
        parts.push_back({name, bytesOf(stage.atPeak.of(kind))});
    }
    parts.push_back({"rounding", bytesOf(stage.allocated - stage.requested)});
    parts.push_back({"context", bytesOf(stage.context)});
    parts.push_back({"collectives", bytesOf(stage.collectives)});
    return parts;
}

/// `from` becomes `to` part by part: both have the same parts in the same order.
Waterfall waterfall(const Parts& from, const Parts& to, double fromUnit, double toUnit) {
    Waterfall fall;
    for (std::size_t i = 0; i < from.size(); ++i) {
        const double before = from[i].change * fromUnit;
        const double after = to[i].change * toUnit;
        fall.from += before;
        fall.to += after;
        fall.parts.push_back({from[i].key, after - before});
    }
    return fall;
}

constexpr double kMillion = 1e6;

SpeedVerdict verdictOf(double ratio, double band) {
    if (isWithinBand(ratio, band)) {
        return SpeedVerdict::Equal;
    }
    return ratio < 1.0 ? SpeedVerdict::Faster : SpeedVerdict::Slower;
}

SideDifference differenceOf(const Comparison& comparison, std::size_t place) {
    const ComparedSide& base = comparison.sides[comparison.baseline];
    const ComparedSide& side = comparison.sides[place];
    SideDifference difference{.side = place};
    difference.memory = waterfall(memoryParts(base.memory), memoryParts(side.memory), 1.0, 1.0);
    if (!base.step || !side.step) {
        return difference;
    }
    difference.ratio = base.step->tokensPerSecond / side.step->tokensPerSecond;
    difference.band = comparisonBand(base.step->comparison, base.scenario, side.scenario);
    difference.verdict = verdictOf(difference.ratio, difference.band);
    const auto unit = [&comparison](const ComparedSide& one) {
        return comparison.sameTokens ? 1.0 : kMillion / tokensOf(one.scenario);
    };
    difference.time =
        waterfall(timeParts(*base.step), timeParts(*side.step), unit(base), unit(side));
    return difference;
}

/// A headline number of a side, or nothing.
using NumberOf = std::optional<double> (*)(const ComparedSide&);
struct NumberRow {
    std::string_view key;
    std::string_view title;
    NumberUnit unit;
    NumberOf of;
};

template <class Get>
std::optional<double> ofStep(const ComparedSide& side, Get get) {
    return side.step ? std::optional<double>(get(*side.step)) : std::nullopt;
}

/// Where it is known, what `get` takes out of a cost, in its unit.
template <class Get>
std::optional<double> ofCost(const ComparedSide& side, Get get, double unit) {
    if (!side.cost) {
        return std::nullopt;
    }
    const auto headline = get(*side.cost);
    return headline ? std::optional(headline->value.count() / unit) : std::nullopt;
}

template <class Get>
std::optional<double> ofRun(const ComparedSide& side, Get get, double unit) {
    if (!side.cost || !side.cost->run) {
        return std::nullopt;
    }
    const auto headline = get(*side.cost->run);
    return headline ? std::optional(headline->value.count() / unit) : std::nullopt;
}

constexpr std::array kNumbers = {
    NumberRow{"gpus",
              "GPUs",
              NumberUnit::Count,
              [](const ComparedSide& side) {
                  return std::optional(static_cast<double>(side.scenario.layout.world()));
              }},
    NumberRow{"step_s",
              "step time",
              NumberUnit::Duration,
              [](const ComparedSide& side) {
                  return ofStep(side, [](const StepEstimate& s) { return s.step.value.count(); });
              }},
    NumberRow{"tokens_per_s_gpu",
              "tokens/s per GPU",
              NumberUnit::TokenRate,
              [](const ComparedSide& side) {
                  return ofStep(side, [](const StepEstimate& s) { return s.tokensPerGpuSecond; });
              }},
    NumberRow{"tokens_per_s",
              "tokens/s",
              NumberUnit::TokenRate,
              [](const ComparedSide& side) {
                  return ofStep(side, [](const StepEstimate& s) { return s.tokensPerSecond; });
              }},
    NumberRow{"mfu",
              "MFU",
              NumberUnit::Share,
              [](const ComparedSide& side) {
                  return side.step ? side.step->utilisation.mfu : std::nullopt;
              }},
    NumberRow{
        "peak_bytes",
        "peak memory",
        NumberUnit::Size,
        [](const ComparedSide& side) { return std::optional(bytesOf(side.memory.peak.value)); }},
    NumberRow{
        "capacity_bytes",
        "capacity",
        NumberUnit::Size,
        [](const ComparedSide& side) { return std::optional(bytesOf(side.memory.capacity)); }},
    NumberRow{"headroom_bytes",
              "headroom",
              NumberUnit::Size,
              [](const ComparedSide& side) {
                  return std::optional(bytesOf(side.memory.capacity - side.memory.peak.value));
              }},
    NumberRow{"goodput",
              "goodput",
              NumberUnit::Share,
              [](const ComparedSide& side) {
                  return side.cost ? std::optional(side.cost->goodput.share.value) : std::nullopt;
              }},
    NumberRow{"usd_per_mtok",
              "price of 1M tokens, $",
              NumberUnit::Amount,
              [](const ComparedSide& side) {
                  return ofCost(
                      side, [](const RunCost& cost) { return cost.perMtok; }, 1.0);
              }},
    NumberRow{"kwh_per_mtok",
              "energy of 1M tokens, kWh",
              NumberUnit::Amount,
              [](const ComparedSide& side) {
                  return ofCost(
                      side, [](const RunCost& cost) { return cost.energyPerMtok; }, kJoulesPerKwh);
              }},
    NumberRow{
        "days",
        "time of the run, days",
        NumberUnit::Amount,
        [](const ComparedSide& side) {
            return ofRun(
                side, [](const RunTotals& run) { return std::optional(run.wall); }, kSecondsPerDay);
        }},
    NumberRow{
        "usd_per_run", "price of the run, $", NumberUnit::Amount, [](const ComparedSide& side) {
            return ofRun(
                side, [](const RunTotals& run) { return run.price; }, 1.0);
        }}};

}  // namespace

Comparison compareSides(std::vector<ComparedSide> sides, std::size_t baseline) {
    Comparison comparison{.sides = std::move(sides), .baseline = baseline};
    comparison.sameTokens = haveSameTokens(comparison.sides);
    comparison.inputs = inputDifferences(comparison.sides);
    for (const NumberRow& row : kNumbers) {
        ComparedNumber number{row.key, row.title, row.unit, {}};
        for (const ComparedSide& side : comparison.sides) {
            number.values.push_back(row.of(side));
        }
        comparison.numbers.push_back(std::move(number));
    }
    for (std::size_t place = 0; place < comparison.sides.size(); ++place) {
        if (place != baseline) {
            comparison.differences.push_back(differenceOf(comparison, place));
            comparison.band = std::max(comparison.band, comparison.differences.back().band);
        }
    }
    return comparison;
}

}  // namespace fabricast
