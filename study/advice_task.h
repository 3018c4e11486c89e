#pragma once
#include "planner/base/result.h"
#include "planner/budget/budget_facts.h"
#include "planner/result/rejection.h"
#include "planner/search/known_work.h"
#include "planner/search/layout_rules.h"
#include "planner/spec/edit.h"
#include "planner/spec/scenario.h"
#include "planner/stack/stack.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fabricast {

/// When a way to train is evaluated.
enum class AdviceMoment {
    Always,
    SeveralGpus,   ///< or nothing before fits
    Stages,        ///< there are several GPUs to put them on
    SeveralNodes,  ///< it makes no difference on one
    Experts,       ///< the model has some
    Adapters,      ///< are what the question trains, or it names stacks
    LongSequence,  ///< or nothing before fits
    NothingFits,   ///< or what does costs too much
};

/// One way to train, simplest first in a list of them.
struct AdviceFamily {
    std::string key;
    std::string question;
    std::vector<Edit> settings;        ///< that make it
    std::vector<std::string> assumed;  ///< of it, beside what is of the question
    AdviceMoment moment = AdviceMoment::Always;
    std::vector<StackSettings> stacks;
    /// What the published recipe of each of them sets, where the question asks for it.
    std::vector<std::vector<Edit>> recipes;
    LayoutRules rules;
    bool asked = false;     ///< its settings are the question's own, so that every way has them
    bool excluded = false;  ///< the question names other stacks
    bool named = false;     ///< the question names stacks
};

/// What advice is asked for: stack and layout are open.
struct AdviceTask {
    Scenario base;
    std::vector<AdviceFamily> families;
    BudgetFacts budget;
    std::vector<Edit> held{};  ///< what keeps the batch once a layout is stated
    std::optional<Usd> most;   ///< that the run of `budget.length` may cost
    /// How surely full training must fit for help from the host not to be looked at.
    Verdict enough = Verdict::Likely;
    /// How surely what is recommended must fit.
    Verdict worst = Verdict::Unlikely;
    KnownWork* known = nullptr;  ///< what earlier searches worked out
    bool onlyBest = false;       ///< of the ways only the one that is recommended is of use
    /// What all searches of the answer may still walk; nothing: each as one search.
    std::int64_t* walksLeft = nullptr;
    /// The same task with some keys of its question changed.
    std::function<Result<AdviceTask>(std::span<const Edit>)> with{};
};

}  // namespace fabricast
