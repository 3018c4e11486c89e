#pragma once
#include "planner/result/plan_report.h"
#include "planner/spec/names.h"

namespace fabricast {

/// As they are typed behind --objective, and in JSON.
constexpr auto namesOf(PlanObjective) {
    return std::to_array<Named<PlanObjective>>({{PlanObjective::Throughput, "tokens"},
                                                {PlanObjective::Memory, "memory"},
                                                {PlanObjective::Cost, "cost"},
                                                {PlanObjective::Energy, "energy"},
                                                {PlanObjective::Gpus, "gpus"}});
}

}  // namespace fabricast
