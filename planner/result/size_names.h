#pragma once
#include "planner/result/size_answer.h"
#include "planner/spec/names.h"

namespace fabricast {

/// As they are typed behind --minimize, and in JSON.
constexpr auto namesOf(SizeAim) {
    return std::to_array<Named<SizeAim>>({{SizeAim::Cost, "cost"},
                                          {SizeAim::Time, "time"},
                                          {SizeAim::Power, "power"},
                                          {SizeAim::Gpus, "gpus"}});
}

/// As they are named in JSON, with their unit.
constexpr auto namesOf(SizeMetric) {
    return std::to_array<Named<SizeMetric>>({{SizeMetric::TokensPerSecond, "tokens_per_s"},
                                             {SizeMetric::Days, "days"},
                                             {SizeMetric::Budget, "usd"}});
}

}  // namespace fabricast
