#include "planner/report/plan_text.h"

#include "planner/report/byte_scale.h"
#include "planner/report/cost_report.h"
#include "planner/report/subject_text.h"
#include "planner/report/table.h"
#include "planner/result/step_names.h"
#include "planner/spec/layout_fields.h"
#include "planner/spec/setting_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace fabricast {

namespace {

constexpr double kGib = 1024.0 * 1024.0 * 1024.0;
constexpr std::size_t kMostRejections = 4;

std::string gib(Bytes size) {
    return fmt::format("{:.1f}", static_cast<double>(size.count()) / kGib);
}

std::string percent(double share) {
    return fmt::format("{:.1f} %", 100.0 * share);
}

std::string_view partWords(TimePart part) {
    switch (part) {
        case TimePart::Gemm:
            return "matrix products";
        case TimePart::Attention:
            return "attention";
        case TimePart::MemoryBound:
            return "memory-bound kernels";
        case TimePart::Tensor:
            return "tp communication";
        case TimePart::Context:
            return "cp communication";
        case TimePart::Expert:
            return "ep communication";
        case TimePart::Shard:
            return "gathers and reductions";
        case TimePart::Stage:
            return "pipeline transfers";
        case TimePart::Bubble:
            return "pipeline bubble";
        case TimePart::Optimizer:
            return "optimizer";
        case TimePart::Host:
            return "host";
        case TimePart::Count_:
            break;
    }
    return "other";
}

/// What takes most besides matrix products and attention.
std::string mainLoss(const Plan& plan) {
    TimePart largest = TimePart::MemoryBound;
    for (const auto& [part, name] : namesOf(TimePart{})) {
        const bool work = part == TimePart::Gemm || part == TimePart::Attention;
        if (!work && plan.step.parts.of(part) > plan.step.parts.of(largest)) {
            largest = part;
        }
    }
    return fmt::format("{} {}",
                       partWords(largest),
                       percent(plan.step.parts.of(largest) / plan.step.step.value.count()));
}

std::string mfuText(const Plan& plan) {
    return plan.step.utilisation.mfu ? percent(*plan.step.utilisation.mfu) : "-";
}

/// What the plans say about money: columns where there is a price, and a run's where there is one.
struct CostColumns {
    bool price = false;
    bool days = false;

    explicit CostColumns(const std::vector<Plan>& plans) {
        for (const Plan& plan : plans) {
            price = price || (plan.cost && plan.cost->perMtok);
            days = days || (plan.cost && plan.cost->run);
        }
    }

    void addTitles(Table& table) const {
        if (price) {
            table.columns.push_back({"$/Mtok", Align::Right});
        }
        if (days) {
            table.columns.push_back({"days", Align::Right});
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
            constexpr double kDay = 86400.0;
            row.push_back(plan.cost->run ? amountText(plan.cost->run->wall.value.count() / kDay)
                                         : "-");
        }
        if (price && days) {
            const bool known = plan.cost->run && plan.cost->run->price;
            row.push_back(known ? dollarText(plan.cost->run->price->value.count()) : "-");
        }
    }
};

/// What the money in the table rests on.
std::string costLine(const PlanReport& report) {
    if (report.plans.empty() || !report.plans.front().cost) {
        return {};
    }
    const RunCost& cost = *report.plans.front().cost;
    return fmt::format("$: {}; goodput {} (site {})\n",
                       priceText(cost.gpuHour, report.basis),
                       percent(cost.goodput.share.value),
                       report.basis.site);
}

/// Some plans leave GPUs of the question idle.
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
        const bool sure = plan.memory.verdict == Verdict::Fits;
        std::vector<std::string> row = {std::to_string(i + 1), plan.scenario.stack};
        if (parts) {
            row.push_back(grouped(plan.scenario.cluster.gpus()));
        }
        if (simulated) {
            row.push_back(plan.simulated ? fmt::format("{:.3f}", plan.simulated->count()) : "-");
        }
        row.push_back(fmt::format("{:.3f}", plan.step.step.value.count()));
        row.push_back(grouped(std::llround(plan.step.tokensPerGpuSecond)));
        row.push_back(mfuText(plan));
        row.push_back(gib(plan.memory.peak.value) + (sure ? "" : "?"));
        cost.addCells(plan, row);
        row.push_back(mainLoss(plan));
        row.push_back(planLayoutText(plan.scenario));
        table.rows.push_back(std::move(row));
    }
    return table;
}

/// "+0.21 s pipeline bubble": how the second differs from the first, the largest two.
std::string differences(const Plan& first, const Plan& second) {
    std::vector<std::pair<double, TimePart>> parts;
    for (const auto& [part, name] : namesOf(TimePart{})) {
        parts.emplace_back(second.step.parts.of(part) - first.step.parts.of(part), part);
    }
    std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
        return std::abs(a.first) > std::abs(b.first);
    });
    std::string text;
    for (std::size_t i = 0; i < 2; ++i) {
        text += fmt::format(
            "{}{:+.3f} s {}", text.empty() ? "" : ", ", parts[i].first, partWords(parts[i].second));
    }
    return text;
}

std::string runnerUpText(const PlanReport& report) {
    if (report.plans.size() < 2) {
        return {};
    }
    const Plan& first = report.plans[0];
    const Plan& second = report.plans[1];
    if (report.objective == PlanObjective::Memory) {
        return fmt::format("2 needs {} GiB more than 1\n",
                           gib(second.memory.peak.value - first.memory.peak.value));
    }
    if (usesParts(report, report.plans)) {
        return {};  // the columns say it: steps of different clusters do not compare
    }
    const double slower = second.step.step.value / first.step.step.value - 1.0;
    const auto alike =
        std::count_if(report.plans.begin(), report.plans.end(), [&first](const Plan& plan) {
            return plan.step.step.lo <= first.step.step.value;
        });
    std::string text = fmt::format(
        "2 is {:.1f} % slower than 1: {}\n", 100.0 * slower, differences(first, second));
    if (alike == static_cast<std::ptrdiff_t>(report.plans.size())) {
        text += fmt::format(
            "all {} lie inside the error of a forecast ({:.3f} to {:.3f} s): "
            "measure them\n",
            alike,
            first.step.step.lo.count(),
            first.step.step.hi.count());
    }
    return text;
}

/// Which plans keep states in host memory, and what their times rest on.
std::string offloadText(const PlanReport& report) {
    const auto offloads = [](const Plan& plan) {
        return plan.scenario.layout.offload != Offload::None;
    };
    std::string places;
    std::string note;
    for (std::size_t i = 0; i < report.plans.size(); ++i) {
        if (offloads(report.plans[i])) {
            places += (places.empty() ? "" : ", ") + std::to_string(i + 1);
            const std::vector<std::string>& notes = report.plans[i].step.notes;
            note = note.empty() && !notes.empty() ? notes.front() : note;
        }
    }
    if (places.empty()) {
        return {};
    }
    const bool first = offloads(report.plans.front());
    const bool fastest = report.objective == PlanObjective::Throughput;
    return fmt::format("{} in host memory{}\n  {}\n",
                       places,
                       first && fastest ? ": nothing as fast fits the GPUs alone" : "",
                       note);
}

std::string questionText(const PlanReport& report) {
    const Scenario& question = report.question;
    return fmt::format("{} on {}, sequence {}, global batch {}\n",
                       question.model.name,
                       clusterText(question.cluster),
                       question.workload.sequence,
                       question.workload.globalBatch);
}

std::string_view orderWords(PlanObjective objective) {
    switch (objective) {
        case PlanObjective::Memory:
            return ", least memory first";
        case PlanObjective::Cost:
            return ", cheapest tokens first";
        case PlanObjective::Energy:
            return ", least energy first";
        case PlanObjective::Gpus:
            return ", fewest GPUs first";
        case PlanObjective::Throughput:
            break;
    }
    return ", fastest first";
}

std::string countText(const PlanReport& report) {
    return fmt::format("{} layouts, {} of them may fit in {} GiB{}\n",
                       grouped(report.candidates),
                       grouped(report.feasible),
                       report.question.cluster.node.gpu.capacity().value
                           ? gib(*report.question.cluster.node.gpu.capacity().value)
                           : "unknown",
                       orderWords(report.objective));
}

std::string rejectionText(const PlanReport& report) {
    std::string text;
    const std::size_t shown = std::min(report.rejections.size(), kMostRejections);
    for (std::size_t i = 0; i < shown; ++i) {
        const PlanRejection& rejection = report.rejections[i];
        text += fmt::format(
            "left out: {}{}: {}\n",
            rejection.stack,
            rejection.layouts > 0 ? fmt::format(" ({} layouts)", grouped(rejection.layouts)) : "",
            rejection.why);
    }
    return text;
}

std::string missText(const PlanReport& report) {
    std::string text = "DOES NOT FIT\n" + questionText(report) + countText(report);
    for (const Plan& plan : report.misses) {
        text += fmt::format("\nnearest: {} {}: {} of {} GiB\n",
                            plan.scenario.stack,
                            planLayoutText(plan.scenario),
                            gib(plan.memory.peak.value),
                            gib(plan.memory.capacity));
        for (const Rejection& rejection : plan.memory.rejections) {
            for (const Fix& fix : rejection.fixes) {
                text += fmt::format("  {}: {} GiB, {}{}\n",
                                    fix.change,
                                    gib(fix.peakAfter),
                                    fix.fits ? "fits" : "still too much",
                                    fix.sideEffect.empty() ? "" : " (" + fix.sideEffect + ")");
            }
        }
    }
    return text;
}

}  // namespace

std::string planLayoutText(const Scenario& scenario) {
    Layout layout = scenario.layout;
    layout.etp = scenario.model.moe ? layout.etp : 1;
    return layoutText(layout) + ",recompute=" + recomputeText(scenario.settings.recompute);
}

/// Where the front has more to offer than the plans.
std::string frontText(const PlanReport& report) {
    if (!report.wholeFront) {
        return {};
    }
    return "\nnone is faster with less memory and no more GPUs:\n" +
           alignedText(planTable(report, report.pareto));
}

std::string planText(const PlanReport& report) {
    if (report.plans.empty()) {
        return missText(report) + rejectionText(report);
    }
    std::string text = questionText(report) + countText(report) + "\n" +
                       alignedText(planTable(report, report.plans)) + "\n" + runnerUpText(report);
    const bool unsure = std::any_of(report.plans.begin(), report.plans.end(), [](const Plan& plan) {
        return plan.memory.verdict != Verdict::Fits;
    });
    text += unsure ? "? fits if the allocator holds little back\n" : "";
    text += offloadText(report);
    text += costLine(report);
    text += frontText(report);
    text += rejectionText(report);
    for (const std::string& note : report.notes) {
        text += "assumed: " + note + "\n";
    }
    return text;
}

std::string planMarkdown(const PlanReport& report) {
    if (report.plans.empty()) {
        return "**DOES NOT FIT**\n\n" + questionText(report);
    }
    return questionText(report) + "\n" + markdownText(planTable(report, report.plans)) + "\n" +
           runnerUpText(report) + costLine(report);
}

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
                 {"simulated_step_s"}},
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
             plan.memory.verdict == Verdict::Fits ? "fits" : "uncertain",
             plan.cost && plan.cost->perMtok
                 ? fmt::format("{:.6g}", plan.cost->perMtok->value.count())
                 : "",
             plan.cost ? report.basis.priceProfile : "",
             plan.simulated ? fmt::format("{}", plan.simulated->count()) : ""});
    }
    return csvText(table);
}

}  // namespace fabricast
