#include "gui/models/row_texts.h"
#include "planner/report/durations.h"
#include "planner/report/plan_views.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

using Number = std::optional<double>;

/// Of a layout that does not fit, the step has no forecast.
Number known(const Plan& plan, double number) {
    return plan.step.step.value.count() > 0.0 ? Number(number) : Number();
}

Number partShare(const Plan& plan, std::initializer_list<TimePart> parts) {
    double seconds = 0.0;
    for (const TimePart part : parts) {
        seconds += plan.step.parts.of(part);
    }
    return known(plan, seconds / plan.step.step.value.count());
}

Number tokensPerSecond(const Plan& plan) {
    return known(plan, plan.step.tokensPerSecond);
}
Number tokensPerGpu(const Plan& plan) {
    return known(plan, plan.step.tokensPerGpuSecond);
}
Number stepSeconds(const Plan& plan) {
    return known(plan, plan.step.step.value.count());
}
Number gpuUse(const Plan& plan) {
    return plan.step.utilisation.mfu;
}
Number peakBytes(const Plan& plan) {
    return static_cast<double>(plan.memory.peak.value.count());
}
Number freeBytes(const Plan& plan) {
    return static_cast<double>((plan.memory.room() - plan.memory.peak.value).count());
}
Number gpuCount(const Plan& plan) {
    return static_cast<double>(plan.scenario.layout.world());
}
Number dollarsPerMtok(const Plan& plan) {
    return plan.cost && plan.cost->perMtok ? Number(plan.cost->perMtok->value.count()) : Number();
}
Number kwhPerMtok(const Plan& plan) {
    return plan.cost && plan.cost->energyPerMtok
               ? Number(plan.cost->energyPerMtok->value.count() / kKwh)
               : Number();
}
Number runDays(const Plan& plan) {
    return plan.cost && plan.cost->run ? Number(plan.cost->run->wall.value.count()) : Number();
}
Number runDollars(const Plan& plan) {
    return plan.cost && plan.cost->run && plan.cost->run->price
               ? Number(plan.cost->run->price->value.count())
               : Number();
}
Number communicationShare(const Plan& plan) {
    using enum TimePart;
    return partShare(plan, {Tensor, Context, Expert, Shard, Stage});
}
Number bubbleShare(const Plan& plan) {
    return partShare(plan, {TimePart::Bubble});
}

constexpr BetterEnd kHigh = BetterEnd::High;
constexpr BetterEnd kLow = BetterEnd::Low;

const std::array<PlanMetric, 13>& allMetrics() {
    static const std::array<PlanMetric, 13> kAll = {
        {{"memory", {.title = "peak memory of a GPU", .unit = AxisUnit::Bytes}, kLow, &peakBytes},
         {"tokens_per_s",
          {.title = "tokens per second", .unit = AxisUnit::Count},
          kHigh,
          &tokensPerSecond},
         {"tokens_per_gpu",
          {.title = "tokens per second and GPU", .unit = AxisUnit::Count},
          kHigh,
          &tokensPerGpu},
         {"step", {.title = "step time", .unit = AxisUnit::Seconds}, kLow, &stepSeconds},
         {"mfu", {.title = "GPU use (MFU)", .unit = AxisUnit::Percent}, kHigh, &gpuUse},
         {"free", {.title = "memory left on a GPU", .unit = AxisUnit::Bytes}, kHigh, &freeBytes},
         {"usd_per_mtok",
          {.title = "price of 1M tokens", .unit = AxisUnit::Usd},
          kLow,
          &dollarsPerMtok},
         {"kwh_per_mtok",
          {.title = "kWh of 1M tokens", .unit = AxisUnit::Number},
          kLow,
          &kwhPerMtok},
         {"days", {.title = "time of the whole run", .unit = AxisUnit::Seconds}, kLow, &runDays},
         {"usd", {.title = "price of the whole run", .unit = AxisUnit::Usd}, kLow, &runDollars},
         {"gpus", {.title = "GPUs used", .unit = AxisUnit::Gpus}, kLow, &gpuCount},
         {"communication",
          {.title = "communication that is waited for", .unit = AxisUnit::Percent},
          kLow,
          &communicationShare},
         {"bubble", {.title = "pipeline bubble", .unit = AxisUnit::Percent}, kLow, &bubbleShare}}};
    return kAll;
}

std::string pointLabel(const Plan& plan) {
    const bool fits = plan.memory.verdict != Verdict::DoesNotFit;
    return plan.scenario.stack + " " + planLayoutText(plan.scenario) +
           (fits ? "" : "\ndoes not fit");
}

}  // namespace

std::span<const PlanMetric> planMetrics() {
    return allMetrics();
}

ScatterValues planScatter(const std::vector<Plan>& plans,
                          const PlanMetric& x,
                          const PlanMetric& y) {
    ScatterValues values{
        .title = {}, .x = x.axis, .y = y.axis, .betterX = x.better, .betterY = y.better};
    for (std::size_t place = 0; place < plans.size(); ++place) {
        const Plan& plan = plans[place];
        const Number across = x.of(plan);
        const Number up = y.of(plan);
        if (!across || !up) {
            continue;
        }
        auto group = std::ranges::find(values.groups, plan.scenario.stack);
        if (group == values.groups.end()) {
            group = values.groups.insert(group, plan.scenario.stack);
        }
        values.points.push_back({.x = *across,
                                 .y = *up,
                                 .id = static_cast<std::uint32_t>(place),
                                 .group = static_cast<std::uint8_t>(group - values.groups.begin()),
                                 .fits = plan.memory.verdict != Verdict::DoesNotFit,
                                 .label = pointLabel(plan)});
    }
    if (!plans.empty() && std::string_view(x.key) == "memory") {
        values.xLimit = static_cast<double>(plans.front().memory.room().count());
        values.limitName = "usable memory";
    }
    return values;
}

}  // namespace fabricast
