#include "planner/base/quantity_text.h"
#include "planner/base/words.h"
#include "planner/report/cost_report.h"
#include "planner/report/durations.h"
#include "planner/report/memory_report.h"
#include "planner/report/plan_views.h"
#include "planner/report/subject_words.h"
#include "planner/report/time_words.h"
#include "planner/result/answer_names.h"
#include "planner/result/memory_names.h"
#include "planner/spec/layout_fields.h"
#include "planner/spec/setting_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

/// The largest part other than matrix products; attention only where it takes more than these.
std::string mainLoss(const Plan& plan) {
    TimePart largest = TimePart::MemoryBound;
    const bool attends =
        plan.step.parts.of(TimePart::Attention) > plan.step.parts.of(TimePart::Gemm);
    for (const auto& [part, name] : namesOf(TimePart{})) {
        const bool work = part == TimePart::Gemm || (part == TimePart::Attention && !attends);
        if (!work && plan.step.parts.of(part) > plan.step.parts.of(largest)) {
            largest = part;
        }
    }
    return fmt::format("{} {}",
                       shortPartWords(largest),
                       percentText(plan.step.parts.of(largest) / plan.step.step.value.count()));
}

std::string planMfu(const Plan& plan) {
    return plan.step.utilisation.mfu ? percentText(*plan.step.utilisation.mfu) : "-";
}

/// "  +2 alike (also axolotl)".
std::string alikeText(const Plan& plan) {
    std::vector<std::string> others;
    for (const Plan& other : plan.alike) {
        const std::string& stack = other.scenario.stack;
        if (stack != plan.scenario.stack && std::ranges::find(others, stack) == others.end()) {
            others.push_back(stack);
        }
    }
    const std::size_t spellings = spellingsOf(plan);
    return (spellings == 0 ? "" : fmt::format("  +{} alike", spellings)) +
           (others.empty() ? "" : "  (also " + joined(others, ", ") + ")");
}

/// The cost columns: with a price, and with a number of tokens those of a run.
struct CostColumns {
    bool price = false;
    bool days = false;
    RunUnit unit{};  ///< of the first run

    explicit CostColumns(const std::vector<Plan>& plans) {
        for (const Plan& plan : plans) {
            price = price || (plan.cost && plan.cost->perMtok);
            if (!days && plan.cost && plan.cost->run) {
                days = true;
                unit = runUnitOf(plan.cost->run->wall.value);
            }
        }
    }

    void addTitles(Table& table) const {
        if (price) {
            table.columns.push_back({"$/Mtok", Align::Right});
        }
        if (days) {
            table.columns.push_back({unit.name, Align::Right});
        }
        if (price && days) {
            table.columns.push_back({"$", Align::Right});
        }
    }

    void addCells(const Plan& plan, std::vector<std::string>& row) const {
        if (price) {
            row.push_back(plan.cost->perMtok ? dollarText(plan.cost->perMtok->value.count()) : "-");
        }
        if (days) {
            row.push_back(plan.cost->run
                              ? amountText(plan.cost->run->wall.value.count() / unit.seconds)
                              : "-");
        }
        if (price && days) {
            const bool known = plan.cost->run && plan.cost->run->price;
            row.push_back(known ? dollarText(plan.cost->run->price->value.count()) : "-");
        }
    }
};

}  // namespace

std::string gibText(Bytes size) {
    constexpr double kGib = 1024.0 * 1024.0 * 1024.0;
    return fmt::format("{:.1f}", static_cast<double>(size.count()) / kGib);
}

std::string planLayoutText(const Scenario& scenario) {
    return layoutWords(scenario) + ",recompute=" + recomputeText(scenario.settings.recompute);
}

bool usesParts(const PlanReport& report, const std::vector<Plan>& plans) {
    return std::any_of(plans.begin(), plans.end(), [&report](const Plan& plan) {
        return plan.scenario.cluster.gpus() != report.question.cluster.gpus();
    });
}

Table planTable(const PlanReport& report, const std::vector<Plan>& plans) {
    const bool parts = usesParts(report, plans);
    Table table{{{"", Align::Right}, {"stack"}}, {}};
    if (parts) {
        table.columns.push_back({"GPUs", Align::Right});
    }
    const bool simulated = !plans.empty() && plans.front().simulated.has_value();
    if (simulated) {
        table.columns.push_back({"simulated s", Align::Right});
    }
    for (const char* title : {"step s", "tok/s/GPU", "MFU", "GiB"}) {
        table.columns.push_back({title, Align::Right});
    }
    const CostColumns cost(plans);
    cost.addTitles(table);
    table.columns.push_back({"main loss"});
    table.columns.push_back({"layout"});
    for (std::size_t i = 0; i < plans.size(); ++i) {
        const Plan& plan = plans[i];
        const std::string_view doubt = doubtMark(plan.memory.onDevice);
        std::vector<std::string> row = {std::to_string(i + 1), plan.scenario.stack};
        if (parts) {
            row.push_back(grouped(plan.scenario.cluster.gpus()));
        }
        if (simulated) {
            row.push_back(plan.simulated ? fmt::format("{:.3f}", plan.simulated->count()) : "-");
        }
        row.push_back(fmt::format("{:.3f}", plan.step.step.value.count()));
        row.push_back(grouped(std::llround(plan.step.tokensPerGpuSecond)));
        row.push_back(planMfu(plan));
        row.push_back(gibText(plan.memory.peak.value) + std::string(doubt));
        cost.addCells(plan, row);
        row.push_back(mainLoss(plan));
        row.push_back(planLayoutText(plan.scenario) + alikeText(plan));
        table.rows.push_back(std::move(row));
    }
    return table;
}

namespace {

/// A number of the whole run, where its tokens are given.
template <class Get>
std::string runCell(const Plan& plan, Get get) {
    const std::optional<double> value =
        plan.cost && plan.cost->run ? get(*plan.cost->run) : std::nullopt;
    return value ? fmt::format("{:.6g}", *value) : "";
}

}  // namespace

std::string planCsv(const PlanReport& report) {
    Table table{{{"rank"},
                 {"stack"},
                 {"layout"},
                 {"step_s"},
                 {"tokens_per_s_gpu"},
                 {"mfu"},
                 {"peak_bytes"},
                 {"verdict"},
                 {"usd_per_mtok"},
                 {"price_profile"},
                 {"simulated_step_s"},
                 {"gpus"},
                 {"step_lo_s"},
                 {"step_hi_s"},
                 {"days"},
                 {"usd_per_run"}},
                {}};
    for (std::size_t i = 0; i < report.plans.size(); ++i) {
        const Plan& plan = report.plans[i];
        table.rows.push_back(
            {std::to_string(i + 1),
             plan.scenario.stack,
             planLayoutText(plan.scenario),
             fmt::format("{}", plan.step.step.value.count()),
             fmt::format("{}", plan.step.tokensPerGpuSecond),
             plan.step.utilisation.mfu ? fmt::format("{}", *plan.step.utilisation.mfu) : "",
             std::to_string(plan.memory.peak.value.count()),
             std::string(nameOf(plan.memory.verdict)),
             plan.cost && plan.cost->perMtok
                 ? fmt::format("{:.6g}", plan.cost->perMtok->value.count())
                 : "",
             plan.cost ? report.basis.priceProfile : "",
             plan.simulated ? fmt::format("{}", plan.simulated->count()) : "",
             std::to_string(plan.scenario.layout.world()),
             fmt::format("{}", plan.step.step.lo.count()),
             fmt::format("{}", plan.step.step.hi.count()),
             runCell(
                 plan,
                 [](const RunTotals& run) { return std::optional(run.wall.value.count() / kDay); }),
             runCell(plan, [](const RunTotals& run) {
                 return run.price ? std::optional(run.price->value.count()) : std::nullopt;
             })});
    }
    return csvText(table);
}

}  // namespace fabricast
