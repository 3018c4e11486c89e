#include "gui/models/edit_words.h"
#include "gui/models/row_texts.h"
#include "gui/models/suggestions.h"
#include "planner/base/quantity_text.h"
#include "planner/report/memory_report.h"
#include "planner/report/plan_lines.h"
#include "planner/report/plan_views.h"
#include "planner/report/surer_report.h"

#include <algorithm>
#include <cstdint>
#include <span>

namespace fabricast {
namespace {

std::string nothingFits(const PlanReport& report) {
    const Plan& nearest = report.misses.front();
    const Bytes over = nearest.memory.peak.value - nearest.memory.room();
    return "Nothing fits. Nearest first: the first one needs " + gibText(over) +
           " GiB more than a GPU has. \"Explain\" says what would help.";
}

/// The layout behind the stack, where it is read first; what it loses most by comes last.
Table withLayoutFirst(Table table) {
    constexpr std::ptrdiff_t kBehindStack = 2;
    const auto move = [](auto& cells) {
        if (cells.size() > static_cast<std::size_t>(kBehindStack)) {
            std::rotate(cells.begin() + kBehindStack, cells.end() - 1, cells.end());
        }
    };
    move(table.columns);
    for (std::vector<std::string>& row : table.rows) {
        move(row);
    }
    return table;
}

/// What comes nearest to fitting: of these only the memory is known.
Table missRows(const std::vector<Plan>& misses) {
    Table table{{{"", Align::Right},
                 {"stack"},
                 {"GiB needed", Align::Right},
                 {"GiB usable", Align::Right},
                 {"GiB too much", Align::Right},
                 {"layout"}},
                {}};
    for (const Plan& plan : misses) {
        const Bytes over = plan.memory.peak.value - plan.memory.room();
        table.rows.push_back({std::to_string(table.rows.size() + 1),
                              plan.scenario.stack,
                              gibText(plan.memory.peak.value),
                              gibText(plan.memory.room()),
                              gibText(over),
                              planLayoutText(plan.scenario)});
    }
    return table;
}

std::string alikeNote(const PlanReport& report) {
    if (report.plans.size() < 2) {
        return {};
    }
    const ComparisonError& error = report.plans.front().step.comparison;
    return "Those within " + percentText(error.sameSplit.error) + " of each other, or " +
           percentText(error.larger()) +
           " where the stack, tp, pp, cp or ep differs, cannot be told apart: measure them.";
}

/// What stands behind the numbers and layouts of the table: "?", "alike", and what safety costs.
std::string marksNote(const PlanReport& report) {
    const auto any = [&report](Verdict verdict) {
        return std::ranges::any_of(
            report.plans, [verdict](const Plan& plan) { return plan.memory.verdict == verdict; });
    };
    std::string text;
    for (const Verdict verdict : {Verdict::Likely, Verdict::Unlikely}) {
        text += any(verdict)
                    ? std::string(doubtMark(verdict)) + ": " + std::string(fitText(verdict)) + ". "
                    : "";
    }
    for (const std::string& line : {spellingsText(report.plans), safetyPriceText(report)}) {
        text += line.empty() ? "" : line + ". ";
    }
    return text;
}

/// Lines of a terminal as further lines of a note, in words of the window.
std::string ownLines(const std::string& lines) {
    return lines.empty() ? "" : "\n" + windowWords(lines.substr(0, lines.size() - 1));
}

/// What a terminal prints below its table.
std::string asideNote(const PlanReport& report) {
    return ownLines(notesText(report) + offloadText(report) + precisionsText(report) +
                    surerLine(report.surer) + unseenText(report));
}

/// "80 layouts, fastest first. Behind 10: …".
std::string orderNote(const PlanReport& report, std::size_t best) {
    const std::size_t first = std::min(best, report.plans.size());
    const std::span<const Plan> plans(report.plans.data(), first);
    const std::string behind = first < report.plans.size()
                                   ? " Behind the first " +
                                         grouped(static_cast<std::int64_t>(first)) +
                                         ": other trade-offs between speed, memory and GPUs."
                                   : std::string();
    return report.candidates == 1 ? "1 layout. "
                                  : grouped(report.candidates) + " layouts, " +
                                        planOrderText(report, plans) + "." + behind + " ";
}

}  // namespace

Table planRows(const PlanReport& report, const std::vector<Plan>& plans) {
    if (report.plans.empty()) {
        return missRows(plans);
    }
    const bool allPriced =
        std::ranges::all_of(plans, [](const Plan& plan) { return plan.cost.has_value(); });
    if (allPriced) {
        return withLayoutFirst(planTable(report, plans));
    }
    std::vector<Plan> unpriced = plans;
    for (Plan& plan : unpriced) {
        plan.cost.reset();
    }
    return withLayoutFirst(planTable(report, unpriced));
}

std::string planListNote(const PlanReport* report,
                         std::size_t best,
                         const std::optional<Error>& error) {
    if (error) {
        return errorWords(*error);
    }
    if (report == nullptr) {
        return "Searching the best layout …";
    }
    if (!report->plans.empty()) {
        return report->candidates > 0 ? orderNote(*report, best) + marksNote(*report) +
                                            alikeNote(*report) + asideNote(*report)
                                      : "The best layouts so far …";
    }
    return report->misses.empty() ? whyNoPlan(*report)
                                  : nothingFits(*report) + ownLines(unseenText(*report));
}

}  // namespace fabricast
