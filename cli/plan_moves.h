#pragma once
#include "cli/global_options.h"
#include "cli/plan_question.h"
#include "planner/io/profile_store.h"
#include "planner/result/plan_fix.h"

#include <functional>
#include <string>
#include <vector>

namespace fabricast {

/// A flag and its value; of --set every path is a flag of its own.
struct TypedFlag {
    std::string flag;
    std::string value;
};

/// One change of a question, as it would be typed.
struct PlanMove {
    FixGroup group = FixGroup::Free;
    int effort = 0;                ///< of two moves of a group, the smaller change first
    std::string kind;              ///< moves of one kind are alternatives
    std::vector<TypedFlag> typed;  ///< -n 4
    std::string sideEffect;
    std::function<void(PlanFlags& flags, GlobalOptions& options)> apply;
};

/// "-c dgx-h200 -n 4": what two moves type; of a flag that both say, the later one.
std::string typedText(const std::vector<const PlanMove*>& moves);

/// Everything that may be tried: settings and software that cost nothing, another workload, other
/// hardware. What the question says already is not among it.
std::vector<PlanMove> planMoves(const PlanFlags& flags,
                                const PlanQuestion& question,
                                const ProfileStore& profiles);

}  // namespace fabricast
