#include "planner/report/comparison_report.h"
#include "planner/report/cost_report.h"
#include "planner/report/memory_report.h"
#include "planner/report/scales.h"
#include "planner/report/time_words.h"
#include "planner/result/answer_names.h"
#include "planner/result/memory_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// Beyond this a percentage is meaningless.
constexpr double kMostRelative = 10.0;

using TextOf = std::function<std::string(double)>;

Bytes bytesFrom(double value) {
    return Bytes(std::llround(value));
}

double largestOf(const ComparedNumber& number) {
    double largest = 0.0;
    for (const std::optional<double>& value : number.values) {
        largest = std::max(largest, std::abs(value.value_or(0.0)));
    }
    return largest;
}

/// How the values of a row are printed, and their unit.
std::pair<TextOf, std::string> printerOf(const ComparedNumber& number) {
    switch (number.unit) {
        case NumberUnit::Duration: {
            const TimeScale scale = timeScaleFor(largestOf(number));
            return {[scale](double value) { return scale.text(value); }, std::string(scale.unit)};
        }
        case NumberUnit::Size: {
            const ByteScale scale = byteScaleFor(bytesFrom(std::max(1.0, largestOf(number))));
            return {[scale](double value) { return scale.text(bytesFrom(value)); },
                    std::string(scale.unit)};
        }
        case NumberUnit::Share:
            return {[](double value) { return fmt::format("{:.1f}", 100.0 * value); }, "%"};
        case NumberUnit::Amount:
            return {[](double value) { return amountText(value); }, ""};
        case NumberUnit::TokenRate:
        case NumberUnit::Count:
            break;
    }
    return {[](double value) { return grouped(std::llround(value)); }, ""};
}

std::string withSign(const TextOf& print, double change) {
    return (change >= 0 ? "+" : "-") + print(std::abs(change));
}

double relativeChange(double value, double base) {
    if (base == 0.0) {
        return value == 0.0 ? 0.0 : std::copysign(HUGE_VAL, value);
    }
    return (value - base) / std::abs(base);
}

std::vector<std::string> comparedRow(const ComparedNumber& number, std::size_t baseline) {
    const auto [print, unit] = printerOf(number);
    const std::optional<double>& base = number.values[baseline];
    std::vector<std::string> row = {std::string(number.title) + (unit.empty() ? "" : ", " + unit)};
    for (std::size_t side = 0; side < number.values.size(); ++side) {
        const std::optional<double>& value = number.values[side];
        row.push_back(value ? print(*value) : "-");
        if (side == baseline) {
            continue;
        }
        const bool both = value && base;
        const double relative = both ? relativeChange(*value, *base) : 0.0;
        row.push_back(both ? withSign(print, *value - *base) : "");
        row.push_back(both && std::abs(relative) <= kMostRelative
                          ? fmt::format("{:+.1f} %", 100.0 * relative)
                          : "");
    }
    return row;
}

/// Whether a number comes out differently: by as much as is asked for, and in what is printed.
bool comesOutDifferently(const ComparedNumber& number, std::size_t baseline, double least) {
    const auto [print, unit] = printerOf(number);
    const auto text = [&print = print](const std::optional<double>& value) {
        return value ? print(*value) : std::string();
    };
    const std::string base = text(number.values[baseline]);
    return number.changes(baseline, least) &&
           std::ranges::any_of(number.values, [&](const std::optional<double>& value) {
               return text(value) != base;
           });
}

std::vector<std::string> verdictRow(const Comparison& comparison) {
    std::vector<std::string> row = {"verdict"};
    for (std::size_t side = 0; side < comparison.sides.size(); ++side) {
        row.emplace_back(fitText(comparison.sides[side].memory.verdict));
        if (side != comparison.baseline) {
            row.insert(row.end(), {"", ""});
        }
    }
    return row;
}

bool verdictsDiffer(const Comparison& comparison) {
    return std::ranges::any_of(comparison.sides, [&](const ComparedSide& side) {
        return side.memory.verdict != comparison.sides.front().memory.verdict;
    });
}

std::string_view timePartName(std::string_view key) {
    for (const auto& [part, name] : namesOf(TimePart{})) {
        if (name == key) {
            return partWords(part);
        }
    }
    return key == "recompute" ? "recomputation" : key;
}

/// Memory's keys are its tables' words; "context" and "optimizer" are parts of a step too.
std::string_view memoryPartName(std::string_view key) {
    return key;
}

/// Numbers as a waterfall prints them: in whole ticks, so that they add up.
struct Ticks {
    double unit = 1.0;
    int decimals = 2;

    [[nodiscard]] double round(double value) const {
        const double scale = std::pow(10.0, decimals);
        return std::round(value / unit * scale) / scale;
    }
    [[nodiscard]] std::string text(double value) const {
        return fmt::format("{:.{}f}", round(value), decimals);
    }
};

/// The parts that a view shows; smaller ones are summed at the end, if they make a tick.
std::vector<DifferencePart> shownParts(const Waterfall& fall,
                                       const Ticks& ticks,
                                       const ComparisonView& view) {
    constexpr double kLeastPart = 0.001;
    const double all = std::max(std::abs(fall.from), std::abs(fall.to));
    const double least = view.all ? 0.0 : std::max(kLeastPart, 0.1 * view.leastChange) * all;
    std::vector<DifferencePart> parts;
    double small = 0.0;
    for (const DifferencePart& part : fall.parts) {
        if (std::abs(part.change) > least) {
            parts.push_back(part);
        } else {
            small += part.change;
        }
    }
    if (!parts.empty() && ticks.round(fall.to) != ticks.round(fall.to - small)) {
        parts.push_back({"other", small});
    }
    return parts;
}

Table fallTable(const std::pair<std::string, std::string>& names,
                const Waterfall& fall,
                const Ticks& ticks,
                const ComparisonView& view,
                std::string_view (*partName)(std::string_view)) {
    Table table{{{"part"}, {"change", Align::Right}, {"sum", Align::Right}}, {}};
    double sum = fall.from;
    for (const DifferencePart& part : shownParts(fall, ticks, view)) {
        const double change = ticks.round(sum + part.change) - ticks.round(sum);
        sum += part.change;
        table.rows.push_back({std::string(partName(part.key)),
                              fmt::format("{:+.{}f}", change, ticks.decimals),
                              ticks.text(sum)});
    }
    if (!table.rows.empty()) {
        table.rows.insert(table.rows.begin(), {names.first, "", ticks.text(fall.from)});
        table.rows.push_back({names.second, "", ticks.text(fall.to)});
    }
    return table;
}

std::pair<std::string, std::string> namesOfBoth(const Comparison& comparison,
                                                const SideDifference& difference) {
    return {comparison.sides[comparison.baseline].name, comparison.sides[difference.side].name};
}

}  // namespace

Table inputTable(const Comparison& comparison) {
    Table table{{{"input"}}, {}};
    for (const ComparedSide& side : comparison.sides) {
        table.columns.push_back({side.name});
    }
    for (const InputDifference& input : comparison.inputs) {
        if (!input.hasEffect) {
            continue;
        }
        std::vector<std::string> row = {input.key};
        row.insert(row.end(), input.values.begin(), input.values.end());
        table.rows.push_back(std::move(row));
    }
    return table;
}

Table numberTable(const Comparison& comparison, const ComparisonView& view) {
    Table table{{{"number"}}, {}};
    for (std::size_t side = 0; side < comparison.sides.size(); ++side) {
        table.columns.push_back({comparison.sides[side].name, Align::Right});
        if (side != comparison.baseline) {
            table.columns.push_back({"change", Align::Right});
            table.columns.push_back({"%", Align::Right});
        }
    }
    for (const ComparedNumber& number : comparison.numbers) {
        if (view.all || comesOutDifferently(number, comparison.baseline, view.leastChange)) {
            table.rows.push_back(comparedRow(number, comparison.baseline));
        }
    }
    if (view.all || verdictsDiffer(comparison)) {
        table.rows.push_back(verdictRow(comparison));
    }
    return table;
}

std::string timeUnit(const Comparison& comparison, const SideDifference& difference) {
    const Waterfall& fall = *difference.time;
    return fmt::format("{} of {}",
                       timeScaleFor(std::max(fall.from, fall.to)).unit,
                       comparison.sameTokens ? "a step" : "a million tokens");
}

std::string_view mainPart(const Waterfall& fall) {
    const double sign = fall.to < fall.from ? -1.0 : 1.0;
    const DifferencePart* most = nullptr;
    for (const DifferencePart& part : fall.parts) {
        if (part.change * sign > (most == nullptr ? 0.0 : most->change * sign)) {
            most = &part;
        }
    }
    return most == nullptr ? std::string_view() : timePartName(most->key);
}

Table timeTable(const Comparison& comparison,
                const SideDifference& difference,
                const ComparisonView& view) {
    const Waterfall& fall = *difference.time;
    const TimeScale scale = timeScaleFor(std::max(fall.from, fall.to));
    return fallTable(namesOfBoth(comparison, difference),
                     fall,
                     {scale.seconds, scale.decimals},
                     view,
                     &timePartName);
}

Table memoryPartTable(const Comparison& comparison,
                      const SideDifference& difference,
                      const ComparisonView& view) {
    constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
    return fallTable(
        namesOfBoth(comparison, difference), difference.memory, {kGiB, 2}, view, &memoryPartName);
}

}  // namespace fabricast
