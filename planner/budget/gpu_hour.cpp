#include "planner/budget/gpu_hour.h"

#include "planner/base/quantity_text.h"
#include "planner/spec/names.h"

#include <utility>

namespace fabricast {
namespace {

constexpr double kHoursPerYear = 8766.0;

const GpuPrice* priceOf(const std::string& gpu, const PriceProfile& profile) {
    const auto found = profile.gpus.find(gpu);
    return found == profile.gpus.end() ? nullptr : &found->second;
}

GpuHour owned(const GpuPrice& price, const RunPower& power, const Ownership& ownership) {
    GpuHour hour;
    const bool known = price.purchase.value && ownership.years.value &&
                       ownership.wholeOverGpu.value && ownership.usdPerKwh.value && power.perGpu;
    if (!known || *ownership.years.value <= 0) {
        return hour;
    }
    hour.hardware = UsdPerHour(price.purchase.value->count() * *ownership.wholeOverGpu.value /
                               (*ownership.years.value * kHoursPerYear));
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
    return text;
}

bool has(const GpuPrice& price, PriceKind kind) {
    return kind == PriceKind::Owned ? price.purchase.value.has_value()
                                    : price.rent(kind).value.has_value();
}

/// What else this profile knows of the GPU: "--price-kind owned".
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

}  // namespace

GpuHour gpuHour(const std::string& gpu, const RunPower& power, const BudgetFacts& facts) {
    if (facts.perGpuHour) {
        return {.price = facts.perGpuHour, .hardware = *facts.perGpuHour};
    }
    const GpuPrice* price = priceOf(gpu, facts.price);
    if (price == nullptr) {
        return {};
    }
    if (facts.kind == PriceKind::Owned) {
        return owned(*price, power, facts.price.ownership);
    }
    GpuHour hour;
    hour.price = price->rent(facts.kind).value;
    hour.hardware = hour.price.value_or(UsdPerHour());
    return hour;
}

CostBasis costBasis(const std::string& gpu, std::int64_t gpus, const BudgetFacts& facts) {
    CostBasis basis{.priceProfile = facts.price.name,
                    .priceTitle = facts.price.title,
                    .priceDate = facts.price.date,
                    .kind = facts.kind,
                    .site = facts.site.name,
                    .siteTitle = facts.site.title,
                    .checkpoint = facts.checkpoint,
                    .gpus = gpus,
                    .tokens = facts.tokens};
    if (facts.perGpuHour) {
        basis.priceProfile = "as typed";
        return basis;
    }
    const GpuPrice* price = priceOf(gpu, facts.price);
    if (price == nullptr || !has(*price, facts.kind)) {
        basis.why =
            std::string(nameOf(facts.kind)) + " price of " + gpu + " is not in " + facts.price.name;
        basis.hint =
            otherKind(price) + "--price FILE with it: fabricast profiles show " + facts.price.name;
        return basis;
    }
    basis.priceNote = facts.kind == PriceKind::Owned ? rangeText(price->purchase)
                                                     : rangeText(price->rent(facts.kind));
    return basis;
}

}  // namespace fabricast
