#include "planner/base/quantity_text.h"
#include "planner/report/fixes_report.h"
#include "planner/report/memory_report.h"
#include "planner/report/plan_lines.h"
#include "planner/report/plan_views.h"
#include "planner/report/sensitivity_report.h"
#include "planner/report/subject_words.h"
#include "planner/report/surer_report.h"
#include "planner/report/table.h"
#include "planner/report/time_report.h"
#include "planner/result/answer_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

std::string questionText(const PlanReport& report) {
    const Scenario& question = report.question;
    const std::vector<Plan>& found = report.plans.empty() ? report.misses : report.plans;
    return fmt::format("{} on {}, {}sequence {}, global batch {}\n",
                       question.model.name,
                       clusterText(question.cluster),
                       found.empty() ? "" : trainingText(found.front().scenario.settings) + ", ",
                       question.workload.sequence,
                       question.workload.globalBatch);
}

bool hasPrice(const PlanReport& report) {
    return !report.plans.empty() && report.plans.front().cost && report.plans.front().cost->perMtok;
}

std::string_view objectiveWords(const PlanReport& report) {
    switch (report.objective) {
        case PlanObjective::Memory:
            return "least memory";
        case PlanObjective::Cost:
            return hasPrice(report) ? "cheapest tokens" : "fewest GPU-hours per token (no price)";
        case PlanObjective::Energy:
            return "least energy";
        case PlanObjective::Gpus:
            return "fewest GPUs";
        case PlanObjective::Throughput:
            break;
    }
    return "fastest";
}

}  // namespace

std::string planOrderText(const PlanReport& report, std::span<const Plan> plans) {
    const auto sureness = [](const Plan& plan) {
        return std::pair(plan.memory.onDevice, plan.memory.verdict);
    };
    const bool isMixed = std::ranges::any_of(
        plans, [&](const Plan& plan) { return sureness(plan) != sureness(plans.front()); });
    const bool isByStep = report.objective == PlanObjective::Throughput &&
                          std::ranges::is_sorted(plans, {}, [](const Plan& plan) {
                              return plan.simulated.value_or(plan.step.step.value);
                          });
    const std::string objective(objectiveWords(report));
    return isMixed && !isByStep ? "surest to fit first, then " + objective : objective + " first";
}

std::string unmodelledText(const PlanReport& report) {
    const std::int64_t count = report.unmodelled();
    if (!report.plans.empty() || report.misses.empty() || count == 0) {
        return {};
    }
    const auto most = std::ranges::max_element(report.rejections, {}, &PlanRejection::layouts);
    return fmt::format("; {} layout{} that may fit {} not modelled: {}{}",
                       grouped(count),
                       count == 1 ? "" : "s",
                       count == 1 ? "is" : "are",
                       most->why,
                       most->layouts < count ? ", and others" : "");
}

namespace {

bool lacksHost(const Plan& plan) {
    return !plan.fitsHost();
}

std::string countText(const PlanReport& report) {
    if (report.stopped) {
        return "stopped: the best of the layouts that were examined until then\n";
    }
    if (report.candidates == 0) {
        return {};
    }
    return fmt::format("{} layout{}, {} with room for their states in {} GiB{}{}{}\n",
                       grouped(report.candidates),
                       report.candidates == 1 ? "" : "s",
                       grouped(report.feasible),
                       report.question.cluster.node.gpu.capacity().value
                           ? gibText(*report.question.cluster.node.gpu.capacity().value)
                           : "unknown",
                       std::ranges::any_of(report.misses, lacksHost) ? " and in the host" : "",
                       unmodelledText(report),
                       report.plans.empty() ? "" : ", " + planOrderText(report, report.plans));
}

/// What the answer begins with: whether anything fits, and reaches what was wanted of it.
std::string_view startWord(const PlanReport& report) {
    if (report.isNotModelled()) {
        return "NOT MODELLED";
    }
    if (report.refused) {
        return "REFUSED";
    }
    if (report.plans.empty()) {
        return verdictWord(Verdict::DoesNotFit);
    }
    const bool missed = report.fixes && !report.fixes->allMet();
    return missed ? "MISSED" : verdictWord(report.plans.front().memory.verdict);
}

std::string missText(const PlanReport& report) {
    std::string text =
        std::string(startWord(report)) + "  " + questionText(report) + countText(report);
    for (const Plan& plan : report.misses) {
        const std::string_view phase = fullestPhase(plan.memory);
        text += fmt::format("\nnearest: {} {}: {} of {} GiB{}{}\n",
                            plan.scenario.stack,
                            planLayoutText(plan.scenario),
                            gibText(plan.memory.peak.value),
                            gibText(plan.memory.capacity),
                            phase.empty() || phase == "steps" ? "" : fmt::format(" in {}", phase),
                            lacksHost(plan) ? "; " + hostNeedText(plan.memory.ofNode()) : "");
        for (const Rejection& rejection : plan.memory.rejections) {
            for (const Fix& fix : rejection.fixes) {
                text += fmt::format("  {}: {} GiB{}, {}{}\n",
                                    fix.behind.empty() ? fix.change : fix.behind,
                                    gibText(fix.peakAfter),
                                    fixHostText(fix),
                                    fixOutcome(fix),
                                    fix.sideEffect.empty() ? "" : " (" + fix.sideEffect + ")");
            }
        }
    }
    return text;
}

std::string fasterLine(const PlanReport& report) {
    return report.faster
               ? "faster: 1 with " + fasterText(report.plans.front().step, *report.faster) + "\n"
               : "";
}

/// Where the front has more to offer than the plans.
Report frontReport(const PlanReport& report) {
    if (!report.wholeFront) {
        return {};
    }
    Report front("\nPareto front (nothing else is faster with less memory and no more GPUs):\n");
    return std::move(front.add(planTable(report, report.pareto)));
}

/// Speed and memory of the plans and of the front; a number marks a row of the table.
PointChart planPoints(const PlanReport& report) {
    PointChart chart{.title = "Speed and memory of each layout",
                     .xTitle = "GiB of the most loaded GPU",
                     .yTitle = "tokens/s per GPU",
                     .series = {"plan"}};
    const auto addAll = [&chart](const std::vector<Plan>& plans, std::size_t series) {
        for (const Plan& plan : plans) {
            const std::string rank = std::to_string(&plan - plans.data() + 1);
            chart.points.push_back(
                {.x = numberIn(gibText(plan.memory.peak.value)).value_or(0.0),
                 .y = plan.step.tokensPerGpuSecond,
                 .series = series,
                 .name = plan.scenario.stack + " " + planLayoutText(plan.scenario),
                 .label = series == 0 ? rank : ""});
        }
    };
    addAll(report.plans, 0);
    if (report.wholeFront) {
        chart.series.emplace_back("Pareto front");
        addAll(report.pareto, 1);
    }
    return chart;
}

Report layoutsReport(const PlanReport& report) {
    if (report.plans.empty()) {
        return Report(missText(report) + unseenText(report));
    }
    Report answer(std::string(startWord(report)) + "  " + questionText(report) + countText(report) +
                  "\n");
    answer.add(planTable(report, report.plans)).add(planPoints(report));
    std::string text = "\n" + runnerUpText(report);
    const auto any = [&report](Verdict verdict) {
        return std::ranges::any_of(
            report.plans, [verdict](const Plan& plan) { return plan.memory.onDevice == verdict; });
    };
    text += any(Verdict::Likely)
                ? "? fits as the caching allocator gives back what it holds unused\n"
                : "";
    text += any(Verdict::Unlikely) ? "?? unlikely to fit: with what the allocator usually cannot "
                                     "give back, more than there is\n"
                                   : "";
    text += safetyText(report);
    text += fasterLine(report);
    text += surerLine(report.surer);
    text += offloadText(report);
    text += precisionsText(report);
    text += costLine(report);
    answer.add(text).add(frontReport(report));
    return std::move(answer.add(unseenText(report) + notesText(report)));
}

std::string layoutsMarkdown(const PlanReport& report) {
    if (report.plans.empty()) {
        return fmt::format("**{}** {}", startWord(report), questionText(report));
    }
    return fmt::format("**{}** {}", startWord(report), questionText(report)) + "\n" +
           markdownText(planTable(report, report.plans)) + "\n" + runnerUpText(report) +
           fasterLine(report) + surerLine(report.surer) + costLine(report);
}

}  // namespace

Report planReport(const PlanReport& report) {
    Report answer = layoutsReport(report);
    if (report.fixes) {
        answer.add("\n").add(fixesReport(*report.fixes));
    }
    if (report.sensitivity) {
        answer.add("\n").add(sensitivityReport(*report.sensitivity));
    }
    return answer;
}

std::string planMarkdown(const PlanReport& report) {
    return layoutsMarkdown(report) + (report.fixes ? "\n" + fixesMarkdown(*report.fixes) : "") +
           (report.sensitivity ? "\n" + sensitivityMarkdown(*report.sensitivity) : "");
}

}  // namespace fabricast
