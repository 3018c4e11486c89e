#pragma once
#include "planner/budget/budget_facts.h"
#include "planner/search/layout_rules.h"
#include "planner/spec/scenario.h"
#include "planner/stack/stack_settings.h"

#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// When a way to train is worth a look.
enum class AdviceMoment {
    Always,
    SeveralNodes,  ///< it says nothing on one
    Experts,       ///< the model has some
    LongSequence,  ///< or nothing before fits
    NothingFits,   ///< or what does costs too much
};

/// One way to train, simplest first in a list of them.
struct AdviceFamily {
    std::string key;
    std::string question;
    std::string set;  ///< settings that make it, as --set takes them
    AdviceMoment moment = AdviceMoment::Always;
    std::vector<StackSettings> stacks;
    LayoutRules rules;
};

/// What advice is asked for: stack and layout are open.
struct AdviceTask {
    Scenario base;
    std::vector<AdviceFamily> families;
    BudgetFacts budget;
    std::optional<Usd> most;  ///< that the run of `budget.tokens` may cost
};

}  // namespace fabricast
