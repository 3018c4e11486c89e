#include "gui/models/edit_words.h"
#include "gui/models/page_views.h"
#include "planner/base/quantity_text.h"
#include "planner/report/cost_report.h"
#include "planner/report/durations.h"
#include "planner/report/memory_report.h"
#include "planner/report/plan_views.h"

#include <cmath>
#include <set>
#include <tuple>

namespace fabricast {
namespace {

/// Adds rows with an interval each.
class CostTable {
public:
    CostTable() {
        rows_.table.columns = {
            {"number"}, {"value", Align::Right}, {"80 % lie within", Align::Right}};
    }
    void add(const std::string& title,
             const std::string& value,
             const std::string& range,
             const std::string& why) {
        rows_.table.rows.push_back({title, value, range});
        rows_.why.push_back("cost." + why);
    }
    template <class T, class Text>
    void add(const std::string& title,
             const Headline<T>& number,
             const std::string& why,
             const Text& text) {
        const std::string low = text(number.lo);
        const std::string high = text(number.hi);
        add(title, text(number.value), low == high ? "" : low + " – " + high, why);
    }
    void add(const std::string& title, const Headline<Seconds>& time, const std::string& why) {
        add(title, durationText(time.value), durationRange(time.lo, time.hi, time.value), why);
    }
    [[nodiscard]] CostRows take() && { return std::move(rows_); }

private:
    CostRows rows_;
};

std::string usdText(Usd amount) {
    return dollarText(amount.count());
}

std::string kwhText(Joules energy) {
    return amountText(energy.count() / kKwh) + " kWh";
}

std::string shareText(double share) {
    return percentText(share);
}

void addRun(CostTable& table, const RunTotals& run) {
    table.add("time of the whole run",
              runText(run.wall.value),
              runRange(run.wall.lo, run.wall.hi, run.wall.value),
              "days");
    table.add("GPU-hours of the run", run.gpuTime, "gpu_hours", [](Seconds time) {
        return grouped(std::llround(time.count() / kHour));
    });
    if (run.price) {
        table.add("price of the run", *run.price, "usd_per_run", &usdText);
    }
    if (run.energy) {
        table.add("energy of the run", *run.energy, "kwh", &kwhText);
    }
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

std::vector<std::string> boxRow(const BoxAnswer& box) {
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
            run ? runText(plan.cost->run->wall.value) : "–",
            box.offer ? monthsText(*box.offer) : "–",
            std::string(fitText(plan.memory.verdict)) + ", " + plan.scenario.stack + " " +
                planLayoutText(plan.scenario)};
}

}  // namespace

CostRows costRows(const RunCost& cost) {
    CostTable table;
    if (cost.perMtok) {
        table.add("price of 1M tokens", *cost.perMtok, "usd_per_mtok", &usdText);
    }
    if (cost.energyPerMtok) {
        table.add("energy of 1M tokens", *cost.energyPerMtok, "kwh_per_mtok", &kwhText);
    }
    if (cost.gpuHour.price) {
        table.add("price of a GPU for an hour",
                  dollarText(cost.gpuHour.price->count()),
                  "",
                  "usd_per_gpu_hour");
    }
    table.add("useful share of the time (goodput)", cost.goodput.share, "goodput", &shareText);
    table.add("time between failures of the job", durationText(cost.goodput.mtbf), "", "mtbf");
    table.add("size of a checkpoint", shortText(cost.goodput.checkpoint), "", "checkpoint");
    if (cost.power.perGpu) {
        table.add("power of a GPU with its share of the building",
                  *cost.power.perGpu,
                  "watts_per_gpu",
                  [](Watts power) { return amountText(power.count()) + " W"; });
    }
    if (cost.run) {
        addRun(table, *cost.run);
    }
    return std::move(table).take();
}

std::vector<std::string> costBasisLines(const RunCost& cost, const CostBasis& basis) {
    std::vector<std::string> lines = {"Price: " + priceText(cost.gpuHour, basis)};
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
    Table table{{{"hardware"},
                 {"GPUs", Align::Right},
                 {"tokens/s", Align::Right},
                 {"MFU", Align::Right},
                 {"GiB of a GPU", Align::Right},
                 {"$ for 1M tokens", Align::Right},
                 {"time of the run", Align::Right},
                 {"buying pays after", Align::Right},
                 {"best layout"}},
                {}};
    for (const BoxAnswer& box : answer.boxes) {
        table.rows.push_back(boxRow(box));
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
        lines.push_back("Assumed: " + note);
    }
    return lines;
}

std::string hardwareHeadline(const HardwareAnswer& answer) {
    if (!answer.fastest) {
        return "The model surely fits on none of these.";
    }
    std::string text = "Fastest: " + answer.boxes[*answer.fastest].name + ".";
    if (answer.cheapest) {
        text += " Cheapest token: " + answer.boxes[*answer.cheapest].name + ".";
    }
    return text;
}

}  // namespace fabricast
