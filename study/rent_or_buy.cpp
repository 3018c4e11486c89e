#include "study/rent_or_buy.h"

#include "planner/budget/cost_of.h"
#include "study/unit_sizes.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace fabricast {
namespace {

constexpr double kHoursOfYear = 8766.0;
constexpr double kHoursOfMonth = kHoursOfYear / 12.0;
constexpr double kNearlyAlways = 0.99;
/// Beyond, a table of clusters has long had no use for them.
constexpr std::int64_t kMostSpares = 10'000'000;

void addYears(double last, RentOrBuy& both) {
    if (!both.rent || !both.whole || !both.electricity) {
        return;
    }
    const double perYear = kHoursOfYear * both.utilisation;
    const double saved = (both.rent->count() - both.electricity->count()) * perYear;
    both.evenYears = saved > 0.0 ? std::optional(both.whole->count() / saved) : std::nullopt;
    for (double year = 1.0; year < last + 1.0; year += 1.0) {
        const double years = std::min(year, last);
        both.years.push_back(
            {.years = years,
             .rent = Usd(both.rent->count() * perYear * years),
             .buy = *both.whole + Usd(both.electricity->count() * perYear * years)});
    }
}

}  // namespace

RentOrBuy rentOrBuy(const Plan& plan, const BudgetFacts& asked) {
    const ClusterSpec& cluster = plan.scenario.cluster;
    const std::string& gpu = cluster.node.gpu.name;
    const auto gpus = static_cast<double>(cluster.gpus());
    BudgetFacts rented = asked;
    rented.kind = asked.kind == PriceKind::Owned ? PriceKind::OnDemand : asked.kind;
    BudgetFacts bought = asked;
    bought.kind = PriceKind::Owned;
    bought.perGpuHour.reset();
    RentOrBuy both{.rental = costBasis(cluster, cluster.gpus(), rented),
                   .purchase = costBasis(cluster, cluster.gpus(), bought),
                   .utilisation = asked.utilisation};
    const GpuHour rent = gpuHour(gpu, plan.cost->power, rented);
    if (rent.price) {
        both.rent = *rent.price * gpus;
    }
    const GpuHour owned = gpuHour(gpu, plan.cost->power, bought);
    const Ownership& ownership = bought.price.ownership;
    if (owned.price) {
        const GpuPrice& price = bought.price.gpus.find(gpu)->second;
        both.whole = *price.purchase.value * (*ownership.wholeOverGpu.value * gpus);
        both.electricity = owned.electricity * gpus;
        addYears(*ownership.years.value, both);
    }
    return both;
}

std::optional<Spares> sparesOf(std::int64_t gpus, const BudgetFacts& facts) {
    const Reliability& site = facts.site.reliability;
    // A spot GPU that is taken back, which --mtbf counts, is not broken.
    const bool isBroken = facts.gpuMtbf && facts.kind != PriceKind::Spot;
    const std::optional<Seconds> mtbf = isBroken ? facts.gpuMtbf : site.gpuMtbf.value;
    if (!mtbf || !std::isfinite(mtbf->count()) || !site.hardwareShare.value || !site.repair.value) {
        return std::nullopt;
    }
    const double perSecond = static_cast<double>(gpus) / mtbf->count() * *site.hardwareShare.value;
    Spares spares{.failuresPerMonth = perSecond * kHoursOfMonth * kSecondsPerHour,
                  .inRepair = perSecond * site.repair.value->count()};
    // In logarithms: e^-inRepair may be less than any number.
    double ofCount = -spares.inRepair;
    spares.enough = std::exp(ofCount);
    while (spares.enough < kNearlyAlways && spares.nodes < kMostSpares) {
        ++spares.nodes;
        ofCount += std::log(spares.inRepair / static_cast<double>(spares.nodes));
        spares.enough += std::exp(ofCount);
    }
    return spares;
}

}  // namespace fabricast
