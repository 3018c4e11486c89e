#pragma once
#include "planner/base/units.h"
#include "planner/spec/names.h"
#include "planner/spec/sourced.h"

#include <functional>
#include <map>
#include <string>

namespace fabricast {

/// How a GPU is paid for.
enum class PriceKind { OnDemand, Reserved, Spot, Owned };

constexpr auto namesOf(PriceKind) {
    return std::to_array<Named<PriceKind>>({{PriceKind::OnDemand, "on_demand"},
                                            {PriceKind::Reserved, "reserved"},
                                            {PriceKind::Spot, "spot"},
                                            {PriceKind::Owned, "owned"}});
}

/// The price of one GPU; empty if not known.
struct GpuPrice {
    Sourced<UsdPerHour> onDemand;
    Sourced<UsdPerHour> reserved;
    Sourced<UsdPerHour> spot;
    Sourced<Usd> purchase;  ///< of the GPU alone

    [[nodiscard]] const Sourced<UsdPerHour>& rent(PriceKind kind) const {
        if (kind == PriceKind::Spot) {
            return spot;
        }
        return kind == PriceKind::Reserved ? reserved : onDemand;
    }
};

/// What turns the price of a GPU that one buys into a price per hour.
struct Ownership {
    Sourced<double> years;         ///< it is written off over
    Sourced<double> wholeOverGpu;  ///< price with its share of server and network, over its own
    Sourced<double> usdPerKwh;
};

/// This is what GPUs cost at one place and date: a file of hardware_profiles/prices.
struct PriceProfile {
    std::string name;
    std::string title;
    std::string date;                                   ///< "2026-05", of the prices
    std::map<std::string, GpuPrice, std::less<>> gpus;  ///< by the name of the GPU's profile
    Ownership ownership;
    std::string notes;
};

}  // namespace fabricast
