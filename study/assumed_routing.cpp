#include "study/assumed_routing.h"

#include <algorithm>

namespace fabricast {
namespace {

constexpr std::string_view kImbalance = "settings.kernels.imbalance";

bool mayBeUneven(const Scenario& scenario) {
    const KernelSettings& kernels = scenario.settings.kernels;
    return scenario.model.moe.has_value() && scenario.layout.ep > 1 &&
           kernels.capacityFactor == 0.0 && !kernels.balancedRouting && kernels.imbalance == 1.0;
}

}  // namespace

std::vector<std::string> assumedRouting(const Question& question,
                                        std::span<const Scenario* const> forecast) {
    const bool isAssumed =
        !says(question, kImbalance) &&
        std::ranges::any_of(forecast, [](const Scenario* one) { return mayBeUneven(*one); });
    return isAssumed ? std::vector<std::string>{"balanced routing: each rank of experts receives "
                                                "its even share (--set " +
                                                std::string(kImbalance) +
                                                "=1.3: the busiest 1.3 times that)"}
                     : std::vector<std::string>();
}

}  // namespace fabricast
