#pragma once
#include "planner/result/memory_breakdown.h"
#include "planner/result/run_cost.h"
#include "planner/result/step_estimate.h"
#include "planner/spec/scenario.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// One of the questions that are compared, with its answers.
struct ComparedSide {
    std::string name;    ///< "A"
    std::string source;  ///< "base.json", "A with layout.tp=4"
    Scenario scenario;
    std::optional<StepEstimate> step;
    std::string whyNoStep;  ///< where there is none
    MemoryBreakdown memory;
    std::optional<RunCost> cost;                                ///< where there is a step
    std::vector<std::pair<std::string, std::string>> budget{};  ///< price.*, operation.*, as stated
    std::vector<std::string> assumed{};
};

/// A key of the questions with its value on every side: "layout.tp" is 8 and 4.
struct InputDifference {
    std::string key;
    std::vector<std::string> values;
    bool hasEffect = true;  ///< on the memory or the step of some side
};

enum class NumberUnit { Duration, TokenRate, Share, Size, Count, Amount };

/// A headline number on every side; empty where a side has none.
struct ComparedNumber {
    std::string_view key;  ///< in JSON: "step_s"
    std::string_view title;
    NumberUnit unit = NumberUnit::Count;
    std::vector<std::optional<double>> values;

    /// Whether some side differs from the baseline, and by this share of it or more.
    [[nodiscard]] bool changes(std::size_t baseline, double least) const {
        const std::optional<double>& base = values[baseline];
        return std::ranges::any_of(values, [&](const std::optional<double>& value) {
            if (!value || !base) {
                return value.has_value() != base.has_value();
            }
            const double change = std::abs(*value - *base);
            return change > 0.0 && change >= least * std::abs(*base);
        });
    }
};

/// One part of a difference: what a side has more of than the baseline.
struct DifferencePart {
    std::string_view key;  ///< "gemm"
    double change = 0.0;
};
/// How the baseline's number becomes the side's; the parts sum to to - from.
struct Waterfall {
    double from = 0.0;
    double to = 0.0;
    std::vector<DifferencePart> parts;
};

enum class SpeedVerdict { Faster, Slower, Equal, Unknown };

/// A side compared with the baseline.
struct SideDifference {
    std::size_t side = 0;
    SpeedVerdict verdict = SpeedVerdict::Unknown;
    double ratio = 1.0;             ///< time for a token, over the baseline's
    double band = 0.0;              ///< so close to 1 it is within the error of this comparison
    std::optional<Waterfall> time;  ///< seconds of a step, or of a million tokens
    Waterfall memory;               ///< bytes of the stage with the highest peak
};

/// This is the answer to "which of these is better, and why?"
struct Comparison {
    std::vector<ComparedSide> sides;
    std::size_t baseline = 0;
    std::vector<InputDifference> inputs;  ///< those that differ
    std::vector<ComparedNumber> numbers;
    std::vector<SideDifference> differences;  ///< of every side but the baseline
    bool sameTokens = true;                   ///< a step has as many on every side
    double band = 0.0;                        ///< the largest of the differences'
};

}  // namespace fabricast
