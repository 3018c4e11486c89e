#include "planner/base/quantity_text.h"
#include "planner/report/cost_report.h"
#include "planner/report/fixes_report.h"
#include "planner/report/memory_report.h"
#include "planner/report/note_line.h"
#include "planner/report/plan_views.h"
#include "planner/report/sensitivity_report.h"
#include "planner/report/subject_words.h"
#include "planner/report/surer_report.h"
#include "planner/report/table.h"
#include "planner/report/time_report.h"
#include "planner/report/time_words.h"
#include "planner/result/answer_names.h"
#include "planner/result/comparison_band.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

constexpr std::size_t kMostRejections = 4;

/// What the money in the table rests on.
std::string costLine(const PlanReport& report) {
    if (report.plans.empty() || !report.plans.front().cost) {
        return {};
    }
    const RunCost& cost = *report.plans.front().cost;
    return fmt::format("$: {}; goodput {} (site {})\n",
                       priceText(cost.gpuHour, report.basis),
                       percentText(cost.goodput.share.value),
                       report.basis.site) +
           noProgressText(cost.goodput);
}

/// "+0.21 s pipeline bubble, -0.05 s other": how the second differs from the first, by the largest
/// parts until they explain most of it. What is said sums to the difference.
std::string differences(const Plan& first, const Plan& second) {
    constexpr std::size_t kLeast = 2;
    constexpr std::size_t kMost = 4;
    constexpr double kRest = 1.0 / 3.0;
    constexpr double kShown = 0.0005;  // less is printed as 0
    std::vector<std::pair<double, TimePart>> parts;
    for (const auto& [part, name] : namesOf(TimePart{})) {
        parts.emplace_back(second.step.parts.of(part) - first.step.parts.of(part), part);
    }
    std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
        return std::abs(a.first) > std::abs(b.first);
    });
    const double all = second.step.step.value.count() - first.step.step.value.count();
    double said = 0.0;
    std::string text;
    const auto say = [&](double seconds, std::string_view what) {
        if (std::abs(seconds) >= kShown) {
            text += (text.empty() ? "" : ", ") + fmt::format("{:+.3f} s {}", seconds, what);
            said += seconds;
        }
    };
    for (std::size_t i = 0; i < kMost; ++i) {
        if (i < kLeast || std::abs(all - said) > kRest * std::abs(all)) {
            say(parts[i].first, shortPartWords(parts[i].second));
        }
    }
    say(all - said, "other");
    return text;
}

/// Where nothing tells which plan is the fastest.
std::string closePlansText(const PlanReport& report) {
    const Plan& first = report.plans.front();
    double widest = 0.0;
    for (auto plan = report.plans.begin() + 1; plan != report.plans.end(); ++plan) {
        const double band = comparisonBand(first.step.comparison, first.scenario, plan->scenario);
        if (!isWithinBand(plan->step.step.value / first.step.step.value, band)) {
            return {};
        }
        widest = std::max(widest, band);
    }
    return fmt::format("all {} are within {}, the error of a comparison: measure them\n",
                       report.plans.size(),
                       percentText(widest));
}

std::string runnerUpText(const PlanReport& report) {
    if (report.plans.size() < 2) {
        return {};
    }
    const Plan& first = report.plans[0];
    const Plan& second = report.plans[1];
    if (report.objective == PlanObjective::Memory) {
        return fmt::format("2 needs {} GiB more than 1\n",
                           gibText(second.memory.peak.value - first.memory.peak.value));
    }
    if (usesParts(report, report.plans)) {
        return {};  // see the columns: steps of different clusters are not comparable
    }
    const bool isSimulated = first.simulated && second.simulated;
    const double slower = isSimulated ? *second.simulated / *first.simulated - 1.0
                                      : second.step.step.value / first.step.step.value - 1.0;
    const bool isFaster = slower < 0;  // what surely fits comes first
    const std::string why =
        isSimulated ? "simulated; the parts are the forecast's" : differences(first, second);
    std::string text = fmt::format("2 is {:.1f} % {} than 1{}{}\n",
                                   100.0 * std::abs(slower),
                                   isFaster ? "faster" : "slower",
                                   isFaster ? ", if it fits" : "",
                                   why.empty() ? "" : ": " + why);
    return text + closePlansText(report);
}

/// Which rows stand for several layouts, and the price of choosing one that fits.
std::string safetyText(const PlanReport& report) {
    const Plan& first = report.plans.front();
    std::string text;
    if (std::any_of(report.plans.begin(), report.plans.end(), [](const Plan& plan) {
            return spellingsOf(plan) > 0;
        })) {
        text +=
            "alike: the same division of the ranks with another schedule, sharding or micro-batch, "
            "no more than 0.5 % behind the best of them that fits; --format json lists them\n";
    }
    if (!report.tighter) {
        return text;
    }
    const Plan& tight = *report.tighter;
    // Both by the most that they would take of any device: that decides which surely fits.
    return text + fmt::format(
                      "the price of safety: 1 is {:.1f} % slower than {} {}, which may need {} "
                      "GiB more (--allow tight lists it first)\n",
                      100.0 * (first.step.step.value / tight.step.step.value - 1.0),
                      tight.scenario.stack,
                      planLayoutText(tight.scenario),
                      gibText(tight.memory.unpressed - first.memory.unpressed));
}

/// Which plans keep states in host memory, and what their times rest on.
std::string offloadText(const PlanReport& report) {
    const auto offloads = [](const Plan& plan) {
        return plan.scenario.layout.offload != Offload::None;
    };
    std::string places;
    std::string note;
    HostNeed most;
    for (std::size_t i = 0; i < report.plans.size(); ++i) {
        if (offloads(report.plans[i])) {
            places += (places.empty() ? "" : ", ") + std::to_string(i + 1);
            const std::vector<std::string>& notes = report.plans[i].step.notes;
            note = note.empty() && !notes.empty() ? notes.front() : note;
            const HostNeed& host = report.plans[i].memory.host;
            most = host.perNode > most.perNode ? host : most;
        }
    }
    if (places.empty()) {
        return {};
    }
    const bool first = offloads(report.plans.front());
    const bool fastest = report.objective == PlanObjective::Throughput;
    std::string said = places.find(',') == std::string::npos ? "" : "the most of these";
    if (most.isUnknown()) {
        said += (said.empty() ? "" : "; ") + std::string(most.flag) + " states it";
    }
    return fmt::format("{} in host memory{}\n  {}{}\n  {}\n",
                       places,
                       first && fastest ? ": without offload nothing as fast surely fits" : "",
                       hostNeedText(most),
                       said.empty() ? "" : " (" + said + ")",
                       note);
}

/// Which rows train otherwise than the first, which the heading is of.
std::string precisionsText(const PlanReport& report) {
    std::map<std::string, std::string> rows;
    for (std::size_t i = 1; i < report.plans.size(); ++i) {
        const std::string training = trainingText(report.plans[i].scenario.settings);
        if (training != trainingText(report.plans.front().scenario.settings)) {
            std::string& places = rows[training];
            places += (places.empty() ? "" : ", ") + std::to_string(i + 1);
        }
    }
    std::string text;
    for (const auto& [training, places] : rows) {
        text += fmt::format(
            "{} in {}, which these stacks do by default (--precision)\n", places, training);
    }
    return text;
}

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
    return fmt::format("{} layout{}, {} with room for their states in {} GiB{}{}\n",
                       grouped(report.candidates),
                       report.candidates == 1 ? "" : "s",
                       grouped(report.feasible),
                       report.question.cluster.node.gpu.capacity().value
                           ? gibText(*report.question.cluster.node.gpu.capacity().value)
                           : "unknown",
                       std::ranges::any_of(report.misses, lacksHost) ? " and in the host" : "",
                       report.plans.empty() ? "" : ", " + planOrderText(report, report.plans));
}

std::string rejectionText(const PlanReport& report) {
    std::string text;
    const std::size_t shown = std::min(report.rejections.size(), kMostRejections);
    for (std::size_t i = 0; i < shown; ++i) {
        const PlanRejection& rejection = report.rejections[i];
        text += fmt::format(
            "{}: {}{}: {}\n",
            rejection.layouts > 0 ? "not modelled" : "excluded",
            rejection.stack,
            rejection.layouts > 0 ? fmt::format(" ({} layouts)", grouped(rejection.layouts)) : "",
            rejection.why);
    }
    return text;
}

std::string cutShortText(const PlanReport& report) {
    const auto line = [](const char* what, const std::string& why) {
        return why.empty() ? std::string() : std::string(what) + why + "\n";
    };
    return line("cut short: ", report.cutShort) + line("stopped: during ", report.unfinished);
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
        text += fmt::format("\nnearest: {} {}: {} of {} GiB{}\n",
                            plan.scenario.stack,
                            planLayoutText(plan.scenario),
                            gibText(plan.memory.peak.value),
                            gibText(plan.memory.capacity),
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
        return Report(missText(report) + cutShortText(report) + rejectionText(report));
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
    text = cutShortText(report);
    text += rejectionText(report);
    for (const std::string& note : report.notes) {
        text += noteLine(note) + "\n";
    }
    return std::move(answer.add(text));
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
