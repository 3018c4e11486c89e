#include "planner/base/quantity_text.h"
#include "planner/budget/cost_of.h"
#include "planner/spec/names.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace fabricast {

namespace {

struct PowerBound {
    double training = 0.0;
    double pue = 0.0;
};

Watts perGpu(const ClusterSpec& cluster,
             const RunPower& power,
             double swing,
             const PowerBound& bound) {
    const auto gpus = static_cast<double>(cluster.node.gpus);
    const double cap = cluster.node.gpu.power.value->count();
    const double computing = bound.training * power.nodeRated.count();
    const double waiting = swing * gpus * cap * (1.0 - power.busy);
    return Watts(bound.pue * std::max(computing - waiting, 0.0) / gpus);
}

constexpr double kHoursPerYear = 8766.0;

const GpuPrice* gpuPrice(const std::string& gpu, const PriceProfile& profile) {
    const auto found = profile.gpus.find(gpu);
    return found == profile.gpus.end() ? nullptr : &found->second;
}

GpuHour owned(const GpuPrice& price, const RunPower& power, const BudgetFacts& facts) {
    GpuHour hour;
    const Ownership& ownership = facts.price.ownership;
    const bool known = price.purchase.value && ownership.years.value &&
                       ownership.wholeOverGpu.value && ownership.usdPerKwh.value && power.perGpu;
    if (!known || *ownership.years.value <= 0) {
        return hour;
    }
    hour.hardware = UsdPerHour(price.purchase.value->count() * *ownership.wholeOverGpu.value /
                               (*ownership.years.value * kHoursPerYear * facts.utilisation));
    hour.electricity =
        UsdPerHour(power.perGpu->value.count() / 1000.0 * *ownership.usdPerKwh.value);
    hour.price = hour.hardware + hour.electricity;
    return hour;
}

template <class Q>
std::string rangeText(const Sourced<Q>& number) {
    std::string text =
        number.lo && number.hi ? quantityText(*number.lo) + " to " + quantityText(*number.hi) : "";
    text += number.note.empty() ? "" : (text.empty() ? "" : ", ") + number.note;
    const bool isNamed = number.from.empty() || text.find(number.from) != std::string::npos;
    return isNamed ? text : text + (text.empty() ? "" : "; ") + "from " + number.from;
}

/// "$45600 with its share of server and network, of which the GPU $30000 ($25000 to $40000)".
std::string purchaseText(const Sourced<Usd>& gpu, const Ownership& ownership) {
    const std::string range = rangeText(gpu);
    if (!gpu.value || !ownership.wholeOverGpu.value) {
        return range;
    }
    const Usd whole(std::round((*gpu.value * *ownership.wholeOverGpu.value).count()));
    return quantityText(whole) + " with its share of server and network, of which the GPU " +
           quantityText(*gpu.value) + (range.empty() ? "" : " (" + range + ")");
}

bool has(const GpuPrice& price, PriceKind kind) {
    return kind == PriceKind::Owned ? price.purchase.value.has_value()
                                    : price.rent(kind).value.has_value();
}

/// Other prices of the GPU in this profile: "--price-kind owned".
std::string otherKind(const GpuPrice* price) {
    if (price != nullptr) {
        for (const auto& [kind, name] : namesOf(PriceKind{})) {
            if (has(*price, kind)) {
                return "--price-kind " + std::string(name) + ", or ";
            }
        }
    }
    return "";
}

/// What of `ownership` a profile lacks that makes a purchase a price per hour: "years".
std::string missingOwnership(const Ownership& ownership) {
    const std::array<std::pair<const Sourced<double>*, const char*>, 3> keys = {
        {{&ownership.years, "years"},
         {&ownership.wholeOverGpu, "whole_over_gpu"},
         {&ownership.usdPerKwh, "usd_per_kwh"}}};
    std::string missing;
    for (const auto& [number, key] : keys) {
        if (!number->value) {
            missing += (missing.empty() ? "" : ", ") + std::string(key);
        }
    }
    return missing;
}

}  // namespace

double busyShare(const TimeByPart& parts) {
    const double all = parts.total();
    const double waits = parts.of(TimePart::Bubble) + parts.of(TimePart::Host);
    return all > 0 ? std::clamp(1.0 - waits / all, 0.0, 1.0) : 1.0;
}

RunPower runPower(const ClusterSpec& cluster, const PowerFacts& facts, double busy) {
    RunPower power{.busy = busy};
    const NodeSpec& node = cluster.node;
    const bool known = facts.trainingShare.value && facts.pue.value && facts.gpuSwing.value;
    if (!node.gpu.power.value || !known || node.gpus < 1) {
        return power;
    }
    if (node.power.value) {
        power.nodeRated = *node.power.value;
        power.nodeLike = node.powerLike;
    } else if (facts.nodeOverGpus.value) {
        power.nodeEstimated = true;
        power.nodeRated =
            *node.gpu.power.value * (static_cast<double>(node.gpus) * *facts.nodeOverGpus.value);
    } else {
        return power;
    }
    const double swing = *facts.gpuSwing.value;
    const double training = *facts.trainingShare.value;
    const double pue = *facts.pue.value;
    const auto at = [&](const PowerBound& bound) { return perGpu(cluster, power, swing, bound); };
    power.perGpu = Headline<Watts>{
        .value = at({training, pue}),
        .lo = at({facts.trainingShare.lo.value_or(training), facts.pue.lo.value_or(pue)}),
        .hi = at({facts.trainingShare.hi.value_or(training), facts.pue.hi.value_or(pue)}),
        .evidence = Evidence::Modelled};
    return power;
}

GpuHour gpuHour(const std::string& gpu, const RunPower& power, const BudgetFacts& facts) {
    if (facts.perGpuHour) {
        return {.price = facts.perGpuHour, .hardware = *facts.perGpuHour};
    }
    const GpuPrice* price = gpuPrice(gpu, facts.price);
    if (price == nullptr) {
        return {};
    }
    if (facts.kind == PriceKind::Owned) {
        return owned(*price, power, facts);
    }
    GpuHour hour;
    hour.price = price->rent(facts.kind).value;
    hour.hardware = hour.price.value_or(UsdPerHour());
    return hour;
}

CostBasis costBasis(const ClusterSpec& cluster, std::int64_t gpus, const BudgetFacts& facts) {
    const std::string& gpu = cluster.node.gpu.name;
    CostBasis basis{.priceProfile = facts.price.name,
                    .priceTitle = facts.price.title,
                    .priceDate = facts.price.date,
                    .kind = facts.kind,
                    .site = facts.site.name,
                    .siteTitle = facts.site.title,
                    .mtbfTyped = facts.gpuMtbf.has_value(),
                    .checkpoint = facts.checkpoint,
                    .gpus = gpus};
    if (facts.perGpuHour) {
        basis.priceProfile = "given price";
        return basis;
    }
    const GpuPrice* price = gpuPrice(gpu, facts.price);
    if (price == nullptr || !has(*price, facts.kind)) {
        const bool isTyped = facts.price.name.empty();
        basis.why = std::string(nameOf(facts.kind)) + " price of " + gpu + " is not in " +
                    (isTyped ? "what was typed: --price FILE may say both" : facts.price.name);
        basis.hint = otherKind(price) + "--price FILE with it: fabricast profiles new price";
        return basis;
    }
    if (facts.kind == PriceKind::Owned) {
        if (const std::string missing = missingOwnership(facts.price.ownership); !missing.empty()) {
            basis.why = "an owned GPU has no price per hour without ownership in " +
                        facts.price.name + ": " + missing;
            basis.hint = "an \"ownership\" there with " + missing +
                         ", as fabricast profiles new price has it";
            return basis;
        }
        if (!runPower(cluster, facts.site.power, 0.0).perGpu) {
            basis.why = "the power of " + gpu + " is not known, and so is its electricity not";
            basis.hint = "a GPU profile with its \"power\": fabricast profiles show " + gpu;
            return basis;
        }
        basis.ownedYears = facts.price.ownership.years.value;
        basis.utilisation = facts.utilisation;
    }
    basis.priceNote = facts.kind == PriceKind::Owned
                          ? purchaseText(price->purchase, facts.price.ownership)
                          : rangeText(price->rent(facts.kind));
    return basis;
}

}  // namespace fabricast
