#include "planner/report/answer_json.h"
#include "planner/report/durations.h"
#include "planner/spec/names.h"

#include <cmath>
#include <optional>
#include <string>
#include <string_view>

namespace fabricast {
namespace {

constexpr const char* kNoProgress = "failures occur faster than the run recovers";
constexpr const char* kNoPower = "the power of this GPU is not known";

template <class Q>
void addHeadline(JsonText& json, std::string_view key, const Headline<Q>& headline, double unit) {
    json.beginObject(key);
    json.add("value", headline.value.count() / unit);
    json.add("lo", headline.lo.count() / unit);
    json.add("hi", headline.hi.count() / unit);
    json.add("evidence", nameOf(headline.evidence));
    json.end();
}

/// A number that may be unknown, in the unit of its key.
struct MaybeNumber {
    std::string_view key;
    double unit = 1.0;
    std::string_view why;
};

template <class Q>
void addOr(JsonText& json, const MaybeNumber& number, const std::optional<Headline<Q>>& headline) {
    if (headline) {
        addHeadline(json, number.key, *headline, number.unit);
    } else {
        json.addNull(number.key, number.why);
    }
}

/// Without those that are infinite: nothing fails, or nothing is saved.
void addTime(JsonText& json, std::string_view key, Seconds time) {
    if (!std::isinf(time.count())) {
        json.add(key, time.count());
    }
}

void addPrice(JsonText& json, const GpuHour& hour, const CostBasis& basis) {
    json.beginObject("price");
    json.add("profile", basis.priceProfile);
    json.add("date", basis.priceDate);
    json.add("kind", nameOf(basis.kind));
    if (basis.ownedYears) {
        json.add("years", *basis.ownedYears);
        json.add("utilisation", basis.utilisation);
    }
    if (hour.price) {
        json.add("usd_per_gpu_hour", hour.price->count());
        json.add("electricity_usd_per_gpu_hour", hour.electricity.count());
    } else {
        json.addNull("usd_per_gpu_hour", basis.why + "; use " + basis.hint);
    }
    json.end();
}

void addCheckpoints(JsonText& json, const Goodput& goodput, const CostBasis& basis) {
    json.beginObject("checkpoint");
    json.add("mode", nameOf(basis.checkpoint));
    json.add("size_bytes", goodput.checkpoint);
    addTime(json, "snapshot_s", goodput.snapshot);
    addTime(json, "write_s", goodput.write);
    json.beginArray("cycles");
    for (std::size_t level = 0; level < goodput.count; ++level) {
        const CheckpointCycle& cycle = goodput.cycles[level];
        json.beginObject();
        addTime(json, "mtbf_s", cycle.mtbf);
        addTime(json, "interval_s", cycle.interval);
        addTime(json, "blocking_s", cycle.blocking);
        addTime(json, "recovery_s", cycle.recovery);
        json.add("goodput", cycle.goodput);
        json.end();
    }
    json.end();
    json.end();
}

void addRun(JsonText& json, const RunTotals& run, std::string_view noPrice) {
    addHeadline(json, "days", run.wall, kDay);
    addHeadline(json, "gpu_hours", run.gpuTime, kHour);
    addOr(json, {"usd_per_run", 1.0, noPrice}, run.price);
    addOr(json, {"kwh", kKwh, kNoPower}, run.energy);
    json.add("expected_failures", run.failures);
}

}  // namespace

void writeCost(JsonText& json, const RunCost& cost, const CostBasis& basis) {
    const bool stuck = cost.gpuHour.price && !cost.perMtok;
    const std::string noPrice = stuck ? kNoProgress : basis.why;
    json.beginObject("cost");
    addPrice(json, cost.gpuHour, basis);
    addOr(json, {"usd_per_mtok", 1.0, noPrice}, cost.perMtok);
    addOr(json,
          {"kwh_per_mtok", kKwh, cost.power.perGpu ? kNoProgress : kNoPower},
          cost.energyPerMtok);
    if (basis.tokens) {
        json.add("tokens", basis.tokens->count());
    }
    if (cost.run) {
        addRun(json, *cost.run, noPrice);
    } else if (basis.tokens) {
        json.addNull("days", kNoProgress);
    }
    json.beginObject("goodput");
    json.add("value", cost.goodput.share.value);
    json.add("lo", cost.goodput.share.lo);
    json.add("hi", cost.goodput.share.hi);
    json.add("evidence", nameOf(cost.goodput.share.evidence));
    json.end();
    json.add("site", basis.site);
    addCheckpoints(json, cost.goodput, basis);
    if (cost.power.perGpu) {
        addHeadline(json, "watts_per_gpu", *cost.power.perGpu, 1.0);
    } else {
        json.addNull("watts_per_gpu", kNoPower);
    }
    json.end();
}

void writePerMtok(JsonText& json, const std::optional<RunCost>& cost) {
    if (cost && cost->perMtok) {
        json.add("usd_per_mtok", cost->perMtok->value.count());
    } else {
        const bool isStuck = cost && cost->gpuHour.price;
        json.addNull("usd_per_mtok", isStuck ? kNoProgress : "the price is not known");
    }
}

}  // namespace fabricast
