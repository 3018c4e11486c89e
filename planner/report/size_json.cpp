#include "planner/report/begin_answer.h"
#include "planner/report/check_words.h"
#include "planner/report/durations.h"
#include "planner/report/plan_views.h"
#include "planner/report/size_report.h"
#include "planner/result/answer_names.h"
#include "planner/result/memory_names.h"
#include "planner/text/json_text.h"

#include <algorithm>
#include <string>

namespace fabricast {
namespace {

void addPlans(JsonText& json, const SizedCluster& cluster) {
    json.beginArray("plans");
    for (const Plan& plan : cluster.plans) {
        json.beginObject();
        json.add("model", plan.scenario.model.name);
        json.add("stack", plan.scenario.stack);
        json.add("layout", planLayoutText(plan.scenario));
        json.add("verdict", nameOf(plan.memory.verdict));
        json.add("step_s", plan.step.step.value.count());
        json.add("step_s_lo", plan.step.step.lo.count());
        json.add("step_s_hi", plan.step.step.hi.count());
        json.add("tokens_per_s", plan.step.tokensPerSecond);
        json.add("peak_bytes", plan.memory.peak.value);
        json.add("goodput", plan.cost->goodput.share.value);
        json.end();
    }
    json.end();
}

void addRange(JsonText& json, const std::string& key, const SizedRange& range, double unit) {
    json.add(key + "_lo", range.lo / unit);
    json.add(key + "_hi", range.hi / unit);
}

/// By target, in the words of `check`.
void addVerdicts(JsonText& json, const SizedCluster& cluster, const SizeAnswer& answer) {
    if (answer.targets.empty() || cluster.verdicts.size() < answer.targets.size()) {
        return;
    }
    json.beginObject("verdicts");
    for (std::size_t i = 0; i < answer.targets.size(); ++i) {
        json.add(nameOf(answer.targets[i].metric), nameOf(cluster.verdicts[i]));
    }
    json.end();
}

void addMembers(JsonText& json, const SizedCluster& cluster, const SizeAnswer& answer) {
    json.add("box", cluster.box);
    if (!cluster.fabric.empty()) {
        json.add("fabric", cluster.fabric);
    }
    json.add("nodes", cluster.nodes);
    json.add("gpus", cluster.gpus);
    json.add("tokens_per_s", cluster.tokensPerSecond);
    addRange(json, "tokens_per_s", cluster.tokensRange, 1.0);
    const std::string usd = answer.hasTokens ? "usd" : "usd_per_hour";
    if (cluster.usd) {
        json.add(usd, *cluster.usd);
        addRange(json, usd, cluster.usdRange.value_or(SizedRange{*cluster.usd, *cluster.usd}), 1.0);
    } else {
        json.addNull(usd, "a price is not known");
    }
    if (answer.hasTokens) {
        json.add("days", cluster.seconds / kDay);
        addRange(json, "days", cluster.secondsRange, kDay);
    }
    addVerdicts(json, cluster, answer);
    if (cluster.power) {
        json.add("watts", cluster.power->count());
        json.add("watts_estimated", cluster.powerEstimated);
    }
    addPlans(json, cluster);
}

void addCluster(JsonText& json,
                const char* key,
                const std::optional<SizedCluster>& cluster,
                const SizeAnswer& answer) {
    if (cluster) {
        json.beginObject(key);
        addMembers(json, *cluster, answer);
        json.end();
    }
}

/// What comes nearest, why nothing fits, and what would do.
void addBeyond(JsonText& json, const SizeAnswer& answer) {
    json.beginArray("nearest");
    for (const NearestCluster& one : answer.nearest) {
        json.beginObject();
        json.add("target", nameOf(one.target.metric));
        json.add("wanted", one.target.wanted);
        json.add("value", one.value);
        json.add("ratio", one.ratio);
        addCluster(json, "cluster", one.cluster, answer);
        json.end();
    }
    json.end();
    json.beginArray("misfits");
    for (const SizeMisfit& one : answer.misfits) {
        json.beginObject();
        json.add("box", one.box);
        json.add("nodes", one.nodes);
        json.add("why", one.why);
        json.end();
    }
    json.end();
    json.beginArray("ways");
    for (const SizeWay& one : answer.ways) {
        json.beginObject();
        json.add("what", one.what);
        json.add("typed", one.typed);
        addCluster(json, "cluster", one.cluster, answer);
        json.end();
    }
    json.end();
}

/// Boxes that were named and are not of the front.
void addBeaten(JsonText& json, const SizeAnswer& answer) {
    json.beginArray("beaten");
    for (const SizeBeaten& one : answer.beaten) {
        json.beginObject();
        json.add("box", one.box);
        json.add("why", one.why);
        addCluster(json, "best", one.best, answer);
        json.end();
    }
    json.end();
}

void addScaling(JsonText& json, const SizeAnswer& answer) {
    json.beginArray("scaling");
    for (const ScalingPoint& point : answer.scaling) {
        json.beginObject();
        json.add("nodes", point.nodes);
        json.add("gpus", point.gpus);
        if (point.why.empty()) {
            json.add("tokens_per_s", point.tokensPerSecond);
        } else {
            json.addNull("tokens_per_s", point.why);
        }
        if (point.ofAdded) {
            json.add("of_added", *point.ofAdded);
        }
        json.end();
    }
    json.end();
    if (answer.mostUseful) {
        json.add("most_useful_nodes", *answer.mostUseful);
    }
}

template <class Money>
void addMoney(JsonText& json,
              const char* key,
              const std::optional<Money>& money,
              const CostBasis& basis) {
    if (money) {
        json.add(key, money->count());
    } else {
        json.addNull(key, basis.why);
    }
}

void addRentOrBuy(JsonText& json, const RentOrBuy& both) {
    json.beginObject("rent_or_buy");
    json.add("utilisation", both.utilisation);
    addMoney(json, "rent_usd_per_hour", both.rent, both.rental);
    addMoney(json, "purchase_usd", both.whole, both.purchase);
    addMoney(json, "electricity_usd_per_hour", both.electricity, both.purchase);
    if (both.evenYears) {
        json.add("even_years", *both.evenYears);
    }
    json.beginArray("years");
    for (const RentOrBuyYear& year : both.years) {
        json.beginObject();
        json.add("years", year.years);
        json.add("rent_usd", year.rent.count());
        json.add("buy_usd", year.buy.count());
        json.end();
    }
    json.end();
    json.end();
}

/// What an hour of a GPU of the pick costs.
void addHour(JsonText& json, const SizeAnswer& answer) {
    const auto& cost = answer.pick->plans.front().cost;
    if (!cost || !cost->gpuHour.price || !answer.rentOrBuy) {
        return;
    }
    json.beginObject("price");
    json.add("kind", nameOf(answer.priceKind));
    json.add("usd_per_gpu_hour", cost->gpuHour.price->count());
    json.add("profile", answer.rentOrBuy->basis(answer.priceKind).priceProfile);
    json.end();
}

void addRest(JsonText& json, const SizeAnswer& answer) {
    if (answer.spares) {
        json.beginObject("spares");
        json.add("failures_per_month", answer.spares->failuresPerMonth);
        json.add("in_repair", answer.spares->inRepair);
        json.add("nodes", answer.spares->nodes);
        json.add("enough", answer.spares->enough);
        if (answer.spares->usd) {
            json.add(answer.hasTokens ? "usd" : "usd_per_hour", *answer.spares->usd);
        }
        json.end();
    }
    json.add("clusters", answer.clusters);
    json.beginArray("node_counts");
    for (const std::int64_t count : answer.counts) {
        json.item(count);
    }
    json.end();
    json.add("searched", answer.searched);
    json.add("ruled_out", answer.ruledOut);
    json.add("stopped", answer.stopped);
    json.add("cut_short", answer.cutShort);
    json.beginArray("not_searched");
    for (const NotSearched& one : answer.notSearched) {
        json.beginObject();
        json.add("box", one.box);
        json.add("clusters", one.clusters);
        json.end();
    }
    json.end();
    json.beginArray("left_out");
    for (const LeftOut& one : answer.leftOut) {
        json.beginObject();
        json.add("what", one.what);
        json.add("why", one.why);
        json.end();
    }
    json.end();
    json.add("notes", answer.notes);
}

/// Of the pick's plans the worst; null where clusters fit and none reaches the targets.
void addPickVerdict(JsonText& json, const SizeAnswer& answer) {
    if (answer.pick) {
        Verdict worst = Verdict::Fits;
        for (const Plan& plan : answer.pick->plans) {
            worst = std::max(worst, plan.memory.verdict);
        }
        json.add("verdict", nameOf(worst));
    } else if (!answer.misfits.empty() && !answer.stopped) {
        json.add("verdict", nameOf(Verdict::DoesNotFit));
    } else {
        json.addNull("verdict", sizePickText(answer));
    }
}

}  // namespace

std::string sizeJson(const SizeAnswer& answer, std::string_view version) {
    JsonText json;
    beginAnswer(json, "fabricast.size/1", version);
    addPickVerdict(json, answer);
    json.add("jobs", answer.jobs);
    json.add("minimize", nameOf(answer.aim));
    json.beginObject("targets");
    for (const SizeTarget& target : answer.targets) {
        json.add(nameOf(target.metric), target.wanted);
    }
    json.end();
    addCluster(json, "pick", answer.pick, answer);
    if (answer.pick) {
        addHour(json, answer);
    }
    addCluster(json, "one_node", answer.oneNode, answer);
    addCluster(json, "surest", answer.surest, answer);
    addBeyond(json, answer);
    addCluster(json, "tenth_faster", answer.tenthFaster, answer);
    json.beginArray("front");
    for (const SizedCluster& one : answer.front) {
        json.beginObject();
        addMembers(json, one, answer);
        json.end();
    }
    json.end();
    addBeaten(json, answer);
    addScaling(json, answer);
    if (answer.rentOrBuy) {
        addRentOrBuy(json, *answer.rentOrBuy);
    }
    addRest(json, answer);
    json.end();
    return std::move(json).finish();
}

}  // namespace fabricast
