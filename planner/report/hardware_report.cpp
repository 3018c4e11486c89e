#include "planner/report/hardware_report.h"

#include "planner/base/quantity_text.h"
#include "planner/report/answer_json.h"
#include "planner/report/begin_answer.h"
#include "planner/report/cost_report.h"
#include "planner/report/durations.h"
#include "planner/report/memory_report.h"
#include "planner/report/note_line.h"
#include "planner/report/plan_views.h"
#include "planner/report/table.h"
#include "planner/result/comparison_band.h"
#include "planner/result/memory_names.h"
#include "planner/text/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace fabricast {
namespace {

/// A dollar amount, or "-" where it is not known.
template <class Money>
std::string moneyText(const std::optional<Money>& amount) {
    return amount ? dollarText(amount->count()) : "-";
}

std::string boxPlanText(const Plan& plan) {
    return plan.scenario.stack + " " + planLayoutText(plan.scenario);
}

std::string tokenPrice(const Plan& plan) {
    const bool known = plan.cost && plan.cost->perMtok;
    return known ? dollarText(plan.cost->perMtok->value.count()) : "-";
}

const RunTotals* runOf(const Plan& plan) {
    return plan.cost && plan.cost->run ? &*plan.cost->run : nullptr;
}

std::string wallText(const Plan& plan, const RunUnit& unit) {
    const RunTotals* run = runOf(plan);
    return run == nullptr ? "-" : amountText(run->wall.value.count() / unit.seconds);
}

std::string runPriceText(const Plan& plan) {
    const RunTotals* run = runOf(plan);
    return run == nullptr || !run->price ? "-" : dollarText(run->price->value.count());
}

std::string monthsText(const GpuOffer& offer) {
    return offer.months ? fmt::format("{:.1f} months", *offer.months) : "-";
}

bool hasRuns(const HardwareAnswer& answer) {
    return std::ranges::any_of(
        answer.boxes, [](const BoxAnswer& box) { return box.plan && runOf(*box.plan) != nullptr; });
}

Table boxTable(const HardwareAnswer& answer) {
    Table table{{{"box"},
                 {"GPUs", Align::Right},
                 {"memory"},
                 {"step s", Align::Right},
                 {"tok/s", Align::Right},
                 {"$/Mtok", Align::Right}},
                {}};
    const bool runs = hasRuns(answer);
    const RunUnit unit = runUnitOf(answer);
    if (runs) {
        table.columns.push_back({unit.name, Align::Right});
        table.columns.push_back({"$", Align::Right});
    }
    for (const char* title : {"rent $/GPU-h", "buy $/GPU", "paid off after"}) {
        table.columns.push_back({title, Align::Right});
    }
    table.columns.push_back({"best plan"});
    for (const BoxAnswer& box : answer.boxes) {
        std::vector<std::string> row = {box.name};
        if (!box.plan) {
            row.resize(table.columns.size() - 1, "-");
            row.push_back(box.why);
            table.rows.push_back(std::move(row));
            continue;
        }
        const Plan& plan = *box.plan;
        row.push_back(grouped(plan.scenario.cluster.gpus()));
        row.emplace_back(fitText(plan.memory.verdict));
        row.push_back(fmt::format("{:.3f}", plan.step.step.value.count()));
        row.push_back(grouped(std::llround(plan.step.tokensPerSecond)));
        row.push_back(tokenPrice(plan));
        if (runs) {
            row.push_back(wallText(plan, unit));
            row.push_back(runPriceText(plan));
        }
        row.push_back(moneyText(box.offer->rented.price));
        row.push_back(moneyText(box.offer->whole));
        row.push_back(monthsText(*box.offer));
        row.push_back(boxPlanText(plan));
        table.rows.push_back(std::move(row));
    }
    return table;
}

bool mayNotFit(const BoxAnswer& box) {
    return box.plan && box.plan->memory.verdict != Verdict::Fits;
}

/// "of what surely fits, cheapest tokens: dgx-h100, $6.17 per million; fastest: …".
std::string headLine(const HardwareAnswer& answer) {
    std::string text;
    if (answer.cheapest) {
        const BoxAnswer& box = answer.boxes[*answer.cheapest];
        text = fmt::format("cheapest tokens: {}, {} per million", box.name, tokenPrice(*box.plan));
    }
    if (answer.fastest) {
        const BoxAnswer& box = answer.boxes[*answer.fastest];
        text += fmt::format("{}fastest: {}, {} tokens/s{}",
                            text.empty() ? "no price is known; " : "; ",
                            box.name,
                            grouped(std::llround(box.plan->step.tokensPerSecond)),
                            unlikeGpusText(answer, box));
    }
    const bool anyUnsure = std::ranges::any_of(answer.boxes, &mayNotFit);
    return text.empty() ? "nothing surely fits on any of them"
                        : (anyUnsure ? "of what surely fits, " : "") + text;
}

/// The boxes that would be the cheapest or the fastest, if their plans fit.
std::string unsureBoxesText(const HardwareAnswer& answer) {
    const auto rateOf = [](const BoxAnswer& box) { return box.plan->step.tokensPerSecond; };
    const auto priceOf = [](const BoxAnswer& box) {
        const auto& cost = box.plan->cost;
        return cost && cost->perMtok ? std::optional(cost->perMtok->value) : std::nullopt;
    };
    std::string text;
    for (const BoxAnswer& box : answer.boxes) {
        if (!mayNotFit(box)) {
            continue;
        }
        const bool isCheaper = answer.cheapest && priceOf(box) &&
                               *priceOf(box) < *priceOf(answer.boxes[*answer.cheapest]);
        const bool isFaster = answer.fastest && rateOf(box) > rateOf(answer.boxes[*answer.fastest]);
        if (isCheaper || isFaster) {
            text += fmt::format("{} is {}{}{}, if it fits: it {}\n",
                                box.name,
                                isCheaper ? "cheaper" : "",
                                isCheaper && isFaster ? " and " : "",
                                isFaster ? "faster" : "",
                                fitText(box.plan->memory.verdict));
        }
    }
    return text;
}

std::string ofText(const CostBasis& basis) {
    if (!basis.why.empty()) {
        return "not known: " + basis.why;
    }
    const std::string profile = sourceText(basis);
    return basis.priceNote.empty() ? profile : basis.priceNote + "; " + profile;
}

/// The boxes whose tokens per second are too near those of the fastest to tell which it is.
std::string closeText(const HardwareAnswer& answer) {
    if (!answer.fastest) {
        return {};
    }
    const BoxAnswer& first = answer.boxes[*answer.fastest];
    std::string names;
    double widest = 0.0;
    for (const BoxAnswer& box : answer.boxes) {
        if (&box == &first || !box.plan) {
            continue;
        }
        const StepEstimate& step = first.plan->step;
        const double band =
            comparisonBand(step.comparison, first.plan->scenario, box.plan->scenario);
        if (isWithinBand(step.tokensPerSecond / box.plan->step.tokensPerSecond, band)) {
            names += (names.empty() ? "" : ", ") + box.name;
            widest = std::max(widest, band);
        }
    }
    return names.empty() ? std::string()
                         : fmt::format(
                               "{} as fast as {}, as far as forecasts tell: the order of "
                               "those within {} of each other is not reliable\n",
                               names,
                               first.name,
                               percentText(widest));
}

/// Where the prices of each kind of GPU are from, once.
std::string pricesText(const HardwareAnswer& answer) {
    std::string text;
    std::set<std::string> said;
    for (const BoxAnswer& box : answer.boxes) {
        if (!box.offer || !said.insert(box.plan->scenario.cluster.node.gpu.name).second) {
            continue;
        }
        text += fmt::format("{}\n  rent: {}\n  buy: {}\n",
                            box.plan->scenario.cluster.node.gpu.name,
                            ofText(box.offer->rent),
                            ofText(box.offer->purchase));
    }
    return text;
}

/// What the plans keep in host memory, which the table has no column for.
std::string hostsText(const HardwareAnswer& answer) {
    std::string text;
    for (const BoxAnswer& box : answer.boxes) {
        if (box.plan && box.plan->memory.host.perNode > Bytes()) {
            const HostNeed& host = box.plan->memory.host;
            text += fmt::format("{}: {}{}\n",
                                box.name,
                                hostNeedText(host),
                                host.there ? "" : " (--host-memory 512GB says how much there is)");
        }
    }
    return text;
}

void addOffer(JsonText& json, const GpuOffer& offer) {
    if (offer.rented.price) {
        json.add("rent_usd_per_gpu_hour", offer.rented.price->count());
    } else {
        json.addNull("rent_usd_per_gpu_hour", offer.rent.why);
    }
    json.add("rent_source", ofText(offer.rent));
    if (offer.whole) {
        json.add("purchase_usd_per_gpu", offer.whole->count());
    } else {
        json.addNull("purchase_usd_per_gpu", offer.purchase.why);
    }
    json.add("purchase_source", ofText(offer.purchase));
    if (offer.months) {
        json.add("paid_off_months", *offer.months);
    }
}

void addBoxPlan(JsonText& json, const Plan& plan) {
    json.add("gpu", plan.scenario.cluster.node.gpu.name);
    json.add("gpus", plan.scenario.cluster.gpus());
    json.add("verdict", nameOf(plan.memory.verdict));
    json.add("stack", plan.scenario.stack);
    json.add("layout", planLayoutText(plan.scenario));
    json.add("global_batch", plan.scenario.workload.globalBatch);
    json.add("host_bytes_per_node", plan.memory.host.perNode);
    json.add("step_seconds", plan.step.step.value.count());
    json.add("tokens_per_second", plan.step.tokensPerSecond);
    writePerMtok(json, plan.cost);
    if (const RunTotals* run = runOf(plan)) {
        json.add("days", run->wall.value.count() / kDay);
        if (run->price) {
            json.add("usd", run->price->value.count());
        }
    }
}

void addBest(JsonText& json,
             std::string_view key,
             const HardwareAnswer& answer,
             std::optional<std::size_t> best) {
    if (best) {
        json.add(key, answer.boxes[*best].name);
    } else {
        const bool isPriceless = answer.fastest.has_value();
        json.addNull(key,
                     isPriceless ? "none of those that surely fit has a price per token"
                                 : "nothing surely fits on any of them");
    }
}

}  // namespace

RunUnit runUnitOf(const HardwareAnswer& answer) {
    for (const BoxAnswer& box : answer.boxes) {
        if (box.plan && runOf(*box.plan) != nullptr) {
            return runUnitOf(runOf(*box.plan)->wall.value);
        }
    }
    return {};
}

Report hardwareReport(const HardwareAnswer& answer) {
    std::string text = "HARDWARE  " + headLine(answer) + "\n";
    if (!answer.model.empty()) {
        text += fmt::format(
            "  {}, sequence {}, the best plan of each\n", answer.model, answer.sequence);
    }
    Report report(text + "\n");
    report.add(boxTable(answer));
    text =
        unsureBoxesText(answer) + closeText(answer) + hostsText(answer) + "\n" + pricesText(answer);
    text += answer.stopped ? "stopped: what is not listed was not planned\n" : "";
    for (const std::string& note : answer.notes) {
        text += noteLine(note) + "\n";
    }
    return std::move(report.add(text));
}

std::string unlikeGpusText(const HardwareAnswer& answer, const BoxAnswer& box) {
    const std::int64_t gpus = box.cluster.gpus();
    const bool areLike = std::ranges::all_of(answer.boxes, [gpus](const BoxAnswer& one) {
        return !one.plan || one.cluster.gpus() == gpus;
    });
    return areLike ? "" : " with " + grouped(gpus) + " GPUs";
}

std::string hardwareMarkdown(const HardwareAnswer& answer) {
    return fmt::format("**HARDWARE** {}\n\n{}", headLine(answer), markdownText(boxTable(answer)));
}

std::string hardwareCsv(const HardwareAnswer& answer) {
    Table table{{{"box"},
                 {"gpu"},
                 {"gpus"},
                 {"verdict"},
                 {"step_s"},
                 {"tokens_per_s"},
                 {"usd_per_mtok"},
                 {"days"},
                 {"usd"},
                 {"rent_usd_per_gpu_hour"},
                 {"purchase_usd_per_gpu"},
                 {"paid_off_months"},
                 {"stack"},
                 {"layout"},
                 {"why"}},
                {}};
    const auto number = [](std::optional<double> value) {
        return value ? fmt::format("{:.9g}", *value) : std::string();
    };
    for (const BoxAnswer& box : answer.boxes) {
        if (!box.plan) {
            std::vector<std::string> row = {box.name};
            row.resize(table.columns.size() - 1);
            row.push_back(box.why);
            table.rows.push_back(std::move(row));
            continue;
        }
        const Plan& plan = *box.plan;
        const RunTotals* run = runOf(plan);
        const auto money = [](const auto& amount) {
            return amount ? std::optional(amount->count()) : std::optional<double>();
        };
        const bool priced = plan.cost && plan.cost->perMtok;
        const bool runPriced = run != nullptr && run->price;
        table.rows.push_back({box.name,
                              plan.scenario.cluster.node.gpu.name,
                              std::to_string(plan.scenario.cluster.gpus()),
                              std::string(nameOf(plan.memory.verdict)),
                              number(plan.step.step.value.count()),
                              number(plan.step.tokensPerSecond),
                              priced ? number(plan.cost->perMtok->value.count()) : "",
                              run != nullptr ? number(run->wall.value.count() / kDay) : "",
                              runPriced ? number(run->price->value.count()) : "",
                              number(money(box.offer->rented.price)),
                              number(money(box.offer->whole)),
                              number(box.offer->months),
                              plan.scenario.stack,
                              planLayoutText(plan.scenario),
                              ""});
    }
    return csvText(table);
}

std::string hardwareJson(const HardwareAnswer& answer, std::string_view version) {
    JsonText json;
    beginAnswer(json, "fabricast.hardware/1", version);
    json.add("model", answer.model);
    json.add("sequence", answer.sequence);
    addBest(json, "cheapest", answer, answer.cheapest);
    addBest(json, "fastest", answer, answer.fastest);
    json.add("stopped", answer.stopped);
    json.beginArray("boxes");
    for (const BoxAnswer& box : answer.boxes) {
        json.beginObject();
        json.add("box", box.name);
        if (box.plan) {
            addBoxPlan(json, *box.plan);
            addOffer(json, *box.offer);
        } else {
            json.add("why", box.why);
        }
        json.end();
    }
    json.end();
    json.add("notes", answer.notes);
    json.end();
    return std::move(json).finish();
}

}  // namespace fabricast
