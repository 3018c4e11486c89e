#include "gui/models/edit_words.h"
#include "gui/models/page_views.h"
#include "gui/models/why_words.h"
#include "planner/base/quantity_text.h"
#include "planner/report/cost_report.h"
#include "planner/report/durations.h"
#include "planner/report/hardware_report.h"
#include "planner/report/memory_report.h"
#include "planner/report/note_line.h"
#include "planner/report/plan_views.h"

#include <cmath>
#include <set>
#include <tuple>

namespace fabricast {
namespace {

/// Adds rows by the keys of their formulas.
class CostTable {
public:
    CostTable() {
        rows_.table.columns = {
            {"number"}, {"value", Align::Right}, {"80 % lie within", Align::Right}};
    }
    void add(std::string_view key, const std::string& value, const std::string& range = {}) {
        const std::string why = "cost." + std::string(key);
        rows_.table.rows.push_back({numberWords(why), value, range});
        rows_.why.push_back(why);
    }
    [[nodiscard]] CostRows take() && { return std::move(rows_); }

private:
    CostRows rows_;
};

std::string usdText(Usd amount) {
    return dollarText(amount.count());
}

/// "$0.703 – $0.864"; times in the unit of the time itself.
std::string rangeOf(const CostNumber& one) {
    const auto& [value, lo, hi, evidence] = one.number;
    if (one.key == "days") {
        return runRange(Seconds(lo * kDay), Seconds(hi * kDay), Seconds(value * kDay));
    }
    const std::string low = one.text(lo);
    const std::string high = one.text(hi);
    return low == high ? "" : low + " – " + high;
}

std::string monthsText(const GpuOffer& offer) {
    if (!offer.rented.price || !offer.owned.price) {
        return "not known";
    }
    return offer.months ? amountText(*offer.months) + " months" : "never";
}

/// Why a GPU has no price to rent or to buy it.
void addMissingPrices(const GpuOffer& offer, const std::string& gpu, std::set<std::string>& lines) {
    for (const auto& [price, basis, way] :
         {std::tuple(offer.rented.price, &offer.rent, "rent"),
          std::tuple(offer.owned.price, &offer.purchase, "buy")}) {
        if (!price) {
            lines.insert("Not known: what it costs to " + std::string(way) + " " + gpu +
                         (basis->why.empty() ? "" : ": " + basis->why));
        }
    }
}

std::vector<std::string> boxRow(const BoxAnswer& box, const RunUnit& unit) {
    if (!box.plan) {
        return {box.name,
                "–",
                "–",
                "–",
                "–",
                "–",
                "–",
                "–",
                box.refusal ? errorWords(*box.refusal) : box.why};
    }
    const Plan& plan = *box.plan;
    const bool priced = plan.cost && plan.cost->perMtok;
    const bool run = plan.cost && plan.cost->run;
    return {box.name,
            grouped(plan.scenario.cluster.gpus()),
            grouped(std::llround(plan.step.tokensPerSecond)),
            plan.step.utilisation.mfu ? percentText(*plan.step.utilisation.mfu) : "–",
            gibText(plan.memory.peak.value) + " of " + gibText(plan.memory.capacity),
            priced ? usdText(plan.cost->perMtok->value) : "–",
            run ? amountText(plan.cost->run->wall.value.count() / unit.seconds) : "–",
            box.offer ? monthsText(*box.offer) : "–",
            std::string(fitText(plan.memory.verdict)) + ", " + plan.scenario.stack + " " +
                planLayoutText(plan.scenario)};
}

}  // namespace

CostRows costRows(const RunCost& cost) {
    CostTable table;
    for (const CostNumber& one : costNumbers(cost)) {
        table.add(one.key, one.text(one.number.value), rangeOf(one));
    }
    if (cost.gpuHour.price) {
        table.add("usd_per_gpu_hour", priceOfHour(cost.gpuHour.price->count()));
    }
    table.add("mtbf", durationText(cost.goodput.mtbf));
    table.add("checkpoint", shortText(cost.goodput.checkpoint));
    if (const auto& power = cost.power.perGpu) {
        table.add("watts_per_gpu",
                  shortText(power->value),
                  shortText(power->lo) + " – " + shortText(power->hi));
    }
    return std::move(table).take();
}

std::vector<std::string> costBasisLines(const RunCost& cost, const CostBasis& basis) {
    std::vector<std::string> lines = {"Price: " + windowWords(priceText(cost.gpuHour, basis))};
    if (!basis.priceNote.empty()) {
        lines.push_back(basis.priceNote);
    }
    lines.push_back("Operation: site " + basis.site +
                    (basis.siteTitle.empty() ? "" : " (" + basis.siteTitle + ")"));
    for (const std::string& assumed : basis.assumed) {
        lines.push_back("Assumed: " + assumed);
    }
    return lines;
}

Table hardwareRows(const HardwareAnswer& answer) {
    const RunUnit unit = runUnitOf(answer);
    Table table{{{"hardware"},
                 {"GPUs", Align::Right},
                 {"tokens/s", Align::Right},
                 {"MFU", Align::Right},
                 {"GiB of a GPU", Align::Right},
                 {"$ for 1M tokens", Align::Right},
                 {"the run in " + std::string(unit.name), Align::Right},
                 {"buying pays after", Align::Right},
                 {"best layout"}},
                {}};
    for (const BoxAnswer& box : answer.boxes) {
        table.rows.push_back(boxRow(box, unit));
    }
    return table;
}

std::vector<std::string> hardwareNotes(const HardwareAnswer& answer) {
    std::set<std::string> missing;
    for (const BoxAnswer& box : answer.boxes) {
        if (box.offer) {
            addMissingPrices(*box.offer, box.cluster.node.gpu.name, missing);
        }
    }
    std::vector<std::string> lines(missing.begin(), missing.end());
    for (const std::string& note : answer.notes) {
        lines.push_back(noteLine(note));
    }
    return lines;
}

std::string hardwareHeadline(const HardwareAnswer& answer) {
    if (!answer.fastest) {
        return "The model surely fits on none of these.";
    }
    const auto named = [&answer](std::size_t at) {
        const BoxAnswer& box = answer.boxes[at];
        return box.name + unlikeGpusText(answer, box) + ".";
    };
    std::string text = "Fastest: " + named(*answer.fastest);
    if (answer.cheapest) {
        text += " Cheapest token: " + named(*answer.cheapest);
    }
    return text;
}

}  // namespace fabricast
