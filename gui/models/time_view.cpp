#include "gui/models/page_views.h"
#include "planner/base/quantity_text.h"
#include "planner/report/durations.h"
#include "planner/report/memory_report.h"
#include "planner/report/time_words.h"
#include "planner/result/answer_names.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace fabricast {
namespace {

struct PartSeconds {
    TimePart part = TimePart::Gemm;
    std::string_view name{};
    double seconds = 0.0;
};

std::vector<PartSeconds> longestFirst(const TimeByPart& parts) {
    std::vector<PartSeconds> sorted;
    for (const auto& [part, name] : namesOf(TimePart{})) {
        if (parts.of(part) > 0.0) {
            sorted.push_back({part, name, parts.of(part)});
        }
    }
    std::ranges::stable_sort(sorted, std::ranges::greater{}, &PartSeconds::seconds);
    return sorted;
}

bool isArithmetic(TimePart part) {
    return part == TimePart::Gemm || part == TimePart::Attention;
}

const char* lossAdvice(TimePart part) {
    switch (part) {
        case TimePart::MemoryBound:
            return "kernels that only move memory: compiling or fusing them helps";
        case TimePart::Tensor:
            return "tensor-parallel communication: fewer GPUs that split a layer, or faster links "
                   "inside a server";
        case TimePart::Context:
            return "context-parallel communication: fewer GPUs that split a sequence";
        case TimePart::Expert:
            return "expert-parallel communication: experts on fewer servers, or a faster network";
        case TimePart::Shard:
            return "gathering weights and reducing gradients: a larger batch, or a faster network";
        case TimePart::Stage:
            return "transfers between pipeline stages: a faster network";
        case TimePart::Bubble:
            return "waiting in the pipeline: more micro-batches, or fewer stages";
        case TimePart::Optimizer:
            return "the optimizer: its states shared by more GPUs, and kept on them";
        case TimePart::Host:
            return "the CPU, which cannot launch kernels fast enough: compiling helps";
        default:
            return "";
    }
}

bool fits(const Outcome& outcome) {
    return outcome.verdict != Verdict::DoesNotFit;
}

/// The speed of what fits; else there is none to show.
std::optional<double> speedOf(const std::optional<Outcome>& outcome) {
    return outcome && fits(*outcome) ? std::optional(outcome->tokensPerGpuSecond) : std::nullopt;
}

/// What moves the speed most comes first, in the chart and in the table; what does not fit, last.
std::vector<KnobEffect> mostFirst(const Sensitivity& sensitivity) {
    const double base = sensitivity.now.tokensPerGpuSecond;
    const auto reach = [base](const KnobEffect& knob) {
        const double held = speedOf(knob.twice).value_or(base);
        const double searched = speedOf(knob.searched).value_or(held);
        const bool has = speedOf(knob.twice) || speedOf(knob.searched);
        return has ? std::max(std::abs(held - base), std::abs(searched - base)) : -1.0;
    };
    std::vector<KnobEffect> sorted = sensitivity.knobs;
    std::ranges::stable_sort(sorted, std::ranges::greater{}, reach);
    return sorted;
}

std::string speedChange(double speed, double base) {
    const double change = speed / base - 1.0;
    return std::abs(change) < 0.0005 ? "none"
                                     : (change < 0.0 ? "-" : "+") + percentText(std::abs(change));
}

}  // namespace

TimeParts timeParts(const StepEstimate& step) {
    TimeParts parts;
    parts.table.columns = {
        {"what the step goes to"}, {"time", Align::Right}, {"share", Align::Right}};
    const double whole = step.step.value.count();
    for (const PartSeconds& one : longestFirst(step.parts)) {
        parts.table.rows.push_back({std::string(partWords(one.part)),
                                    durationText(Seconds(one.seconds)),
                                    percentText(one.seconds / whole)});
        parts.why.push_back("time." + std::string(one.name));
    }
    parts.table.rows.push_back({"the whole step", durationText(step.step.value), percentText(1.0)});
    parts.why.emplace_back("time.step");
    return parts;
}

std::string timeHeadline(const StepEstimate& step) {
    const double whole = step.step.value.count();
    double arithmetic = 0.0;
    const PartSeconds* loss = nullptr;
    const std::vector<PartSeconds> parts = longestFirst(step.parts);
    for (const PartSeconds& one : parts) {
        if (isArithmetic(one.part)) {
            arithmetic += one.seconds;
        } else if (loss == nullptr) {
            loss = &one;
        }
    }
    std::string text = percentText(arithmetic / whole) + " of the step is the model's arithmetic.";
    if (loss != nullptr) {
        text += " The largest loss, " + percentText(loss->seconds / whole) + ", is " +
                lossAdvice(loss->part) + ".";
    }
    return text;
}

WaterfallValues stepWaterfall(const Waterfall& fall, bool perTokens) {
    WaterfallValues values{.title = {},
                           .axis = {.title = perTokens ? "time of a million tokens" : "step time",
                                    .unit = AxisUnit::Seconds},
                           .fromLabel = "A",
                           .toLabel = "B",
                           .from = fall.from,
                           .steps = {},
                           .better = BetterEnd::Low};
    constexpr double kSmall = 0.002;
    double others = 0.0;
    for (const DifferencePart& part : fall.parts) {
        if (std::abs(part.change) < kSmall * fall.from) {
            others += part.change;
            continue;
        }
        std::string words(part.key);
        for (const auto& [known, name] : namesOf(TimePart{})) {
            words = name == part.key ? std::string(partWords(known)) : words;
        }
        values.steps.push_back({words, part.change});
    }
    if (others != 0.0) {
        values.steps.push_back({"other", others});
    }
    return values;
}

TornadoValues speedTornado(const Sensitivity& sensitivity) {
    const double base = sensitivity.now.tokensPerGpuSecond;
    TornadoValues values{.title = {},
                         .axis = {.title = "tokens per second and GPU", .unit = AxisUnit::Count},
                         .base = base,
                         .lowName = "with layout A",
                         .highName = sensitivity.isSearched ? "with the best layout for it" : "",
                         .rows = {}};
    for (const KnobEffect& knob : mostFirst(sensitivity)) {
        const std::optional<double> held = speedOf(knob.twice);
        const std::optional<double> searched = speedOf(knob.searched);
        if (!held && !searched) {
            continue;
        }
        values.rows.push_back(
            {.label = std::string(knob.title),
             .low = held.value_or(base),
             .high = searched,
             .lowLabel = held ? "twice as much" : "with layout A it does not fit: now",
             .highLabel = "with the best layout"});
    }
    return values;
}

Table sensitivityRows(const Sensitivity& sensitivity) {
    Table table{{{"twice as much of"},
                 {"tokens/s/GPU", Align::Right},
                 {"change", Align::Right},
                 {"GPU memory"}},
                {}};
    if (sensitivity.isSearched) {
        table.columns.push_back({"best layout", Align::Right});
        table.columns.push_back({"change", Align::Right});
        table.columns.push_back({"that layout"});
    }
    const double base = sensitivity.now.tokensPerGpuSecond;
    for (const KnobEffect& knob : mostFirst(sensitivity)) {
        std::vector<std::string> row = {std::string(knob.title)};
        if (knob.twice) {
            row.push_back(grouped(std::llround(knob.twice->tokensPerGpuSecond)));
            row.push_back(speedChange(knob.twice->tokensPerGpuSecond, base));
            row.emplace_back(fitText(knob.twice->verdict));
        } else {
            row.insert(row.end(), {"–", "", knob.whyNot});
        }
        if (sensitivity.isSearched) {
            const bool has = knob.searched.has_value();
            const std::string_view mark = knob.isCut ? "*" : "";
            row.push_back(
                has ? grouped(std::llround(knob.searched->tokensPerGpuSecond)).append(mark) : "–");
            row.push_back(has ? speedChange(knob.searched->tokensPerGpuSecond, base) : "");
            row.push_back(!has                          ? ""
                          : knob.searchedLayout.empty() ? "the same"
                                                        : knob.searchedLayout);
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

}  // namespace fabricast
