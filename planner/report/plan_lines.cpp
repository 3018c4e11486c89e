#include "planner/report/plan_lines.h"

#include "planner/base/quantity_text.h"
#include "planner/report/cost_report.h"
#include "planner/report/memory_report.h"
#include "planner/report/note_line.h"
#include "planner/report/subject_words.h"
#include "planner/report/time_report.h"
#include "planner/report/time_words.h"
#include "planner/result/answer_names.h"
#include "planner/result/comparison_band.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr std::size_t kMostRejections = 4;

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

}  // namespace

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

std::string spellingsText(std::span<const Plan> plans) {
    const bool any =
        std::ranges::any_of(plans, [](const Plan& plan) { return spellingsOf(plan) > 0; });
    return any ? "alike: the same division of the ranks with another schedule, sharding or "
                 "micro-batch, no more than 0.5 % behind the best of them that fits"
               : "";
}

std::string safetyPriceText(const PlanReport& report) {
    if (!report.tighter) {
        return "";
    }
    const Plan& first = report.plans.front();
    const Plan& tight = *report.tighter;
    // Both by the most that they would take of any device: that decides which surely fits.
    const Bytes more = tight.memory.unpressed - first.memory.unpressed;
    return fmt::format("the price of safety: 1 is {:.1f} % slower than {} {}, which {}",
                       100.0 * (first.step.step.value / tight.step.step.value - 1.0),
                       tight.scenario.stack,
                       planLayoutText(tight.scenario),
                       more > Bytes() ? "may need " + gibText(more) + " GiB more" : "likely fits");
}

/// Which rows stand for several layouts, and the price of choosing one that fits.
std::string safetyText(const PlanReport& report) {
    const std::string alike = spellingsText(report.plans);
    const std::string price = safetyPriceText(report);
    // Simulations put the first rows in an order of their own.
    const bool isForecast = !report.plans.empty() && !report.plans.front().simulated;
    const std::string lists = isForecast ? " (--allow tight lists it first)" : "";
    return (alike.empty() ? "" : alike + "; --format json lists them\n") +
           (price.empty() ? "" : price + lists + "\n");
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
    const bool fastest = report.objective == PlanObjective::Throughput && !report.heldOffload;
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

std::string unseenText(const PlanReport& report) {
    return cutShortText(report) + rejectionText(report);
}

std::string notesText(const PlanReport& report) {
    std::string text;
    for (const std::string& note : report.notes) {
        text += noteLine(note) + "\n";
    }
    return text;
}

}  // namespace fabricast
