#include "study/explain.h"

#include "planner/budget/cost_of.h"
#include "planner/estimate/pipeline_time.h"
#include "planner/load/load_question.h"
#include "planner/memory/stage_memory.h"
#include "study/assumed_routing.h"
#include "study/better_changes.h"
#include "study/fixes.h"
#include "study/idle_settings.h"
#include "study/kbit_consequence.h"
#include "study/own_measurements.h"
#include "study/requirements.h"
#include "study/rules_of_thumb.h"
#include "study/search_request.h"
#include "study/sensitivity.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

Result<MemoryBreakdown> memoryAnswer(const Question& question,
                                     const Scenario& scenario,
                                     const ExplainAsk& ask,
                                     const Workbench& bench,
                                     const Watch& watch) {
    FABRICAST_ASSIGN(MemoryBreakdown memory, memoryOfAllStages(scenario, watch));
    FABRICAST_ASSIGN(memory, withFixes(std::move(memory), scenario, question, bench, watch));
    if (ask.rulesOfThumb) {
        addStateTerms(scenario, memory);
    }
    return memory;
}

/// Whether it fits, for answers that are not about memory too.
Result<void> addVerdict(Explanation& answer) {
    if (answer.memory) {
        answer.verdict = answer.memory->verdict;
        return {};
    }
    const Result<MemoryBreakdown> memory = memoryOfFullestStage(answer.scenario);
    if (memory) {
        answer.verdict = memory->verdict;
        return {};
    }
    answer.whyNoVerdict = memory.error().why;
    return memory.error().code == Error::Code::Unsupported ? Result<void>()
                                                           : tl::unexpected(memory.error());
}

/// The step, and what would make it shorter.
Result<void> addStep(const Question& question,
                     const ExplainAsk& ask,
                     const Workbench& bench,
                     const Watch& watch,
                     Explanation& answer) {
    FABRICAST_ASSIGN(const TimingProfiles* timing, bench.timing());
    FABRICAST_ASSIGN(answer.step, estimateStep(answer.scenario, *timing));
    if (ask.rulesOfThumb) {
        FABRICAST_ASSIGN(answer.products, productTimes(answer.scenario));
    }
    if (ask.faster) {
        FABRICAST_ASSIGN(
            answer.faster,
            fasterChange(question, answer.scenario, *answer.step, answer.verdict, bench, watch));
    }
    if (ask.sensitivity) {
        FABRICAST_ASSIGN(answer.sensitivity,
                         sensitivityOf({answer.scenario, *timing}, bench.threads()));
    }
    return watch.check();
}

Result<void> addCost(const Question& question, const Workbench& bench, Explanation& answer) {
    FABRICAST_ASSIGN(const BudgetFacts facts,
                     loadBudget(question.root, bench.profiles(), question.folders));
    const Scenario& scenario = answer.scenario;
    answer.cost = costOf(scenario, costedStep(scenario, *answer.step), facts);
    answer.basis = costBasis(scenario, scenario.layout.world(), facts);
    return {};
}

Result<Explanation> explained(const Question& question,
                              Explanation answer,
                              const ExplainAsk& ask,
                              const Workbench& bench,
                              const Watch& watch) {
    FABRICAST_TRY(checkOrder(answer.scenario));
    if (ask.memory) {
        FABRICAST_ASSIGN(answer.memory, memoryAnswer(question, answer.scenario, ask, bench, watch));
    }
    FABRICAST_TRY(addVerdict(answer));
    if (ask.step || ask.faster || ask.cost || ask.sensitivity) {
        FABRICAST_TRY(addStep(question, ask, bench, watch, answer));
    }
    return answer;
}

/// What another answer would refuse is refused by all: prices, the site and requirements.
Result<void> checkOtherParts(const Question& question, const Workbench& bench) {
    FABRICAST_TRY(requirementsIn(question));
    if (says(question, "price") || says(question, "operation")) {
        FABRICAST_TRY(loadBudget(question.root, bench.profiles(), question.folders));
    }
    return {};
}

/// Beside the time where there is one.
Result<void> addExplainedMeasurements(const Question& question,
                                      const Workbench& bench,
                                      Explanation& answer) {
    Printed printed{
        .memory = answer.memory.has_value(), .step = answer.step.has_value(), .calls = true};
    if (answer.cost) {
        FABRICAST_ASSIGN(printed.budget,
                         loadBudget(question.root, bench.profiles(), question.folders));
    }
    FABRICAST_ASSIGN(
        const std::vector<std::string> own,
        ownMeasurementNotes(std::span(&answer.scenario, 1), figuresOf(printed), bench));
    if (answer.memory || answer.step) {
        addNotes(own, answer.step ? answer.step->notes : answer.memory->notes);
    }
    return {};
}

/// Beside the memory where there is one; of a price beside the cost where there is none.
Result<void> addIdleSettings(const Question& question,
                             const Workbench& bench,
                             const Watch& watch,
                             Explanation& answer) {
    FABRICAST_ASSIGN(const std::vector<std::string> prices, idlePricesNote(question, bench));
    if (answer.cost && !answer.memory) {  // whose notes stand below it
        for (const std::string& note : prices) {
            answer.basis.priceNote += (answer.basis.priceNote.empty() ? "" : "; ") + note;
        }
    }
    if (answer.memory || answer.step) {
        FABRICAST_ASSIGN(const std::vector<std::string> idle,
                         idleSettingsNote({&question, 1}, bench, watch));
        std::vector<std::string>& notes = answer.memory ? answer.memory->notes : answer.step->notes;
        addNotes(idle, notes);
        addNotes(prices, notes);
    }
    return {};
}

/// A question about a search, or a plan's answer, says no one stack: the first of those it names.
Result<Question> onSearchedStack(const Question& question) {
    const std::vector<std::string> searched = searchWords(question, "stacks");
    if (says(question, "stack") || searched.empty()) {
        return question;
    }
    return with(question, std::vector<Edit>{{"stack", searched.front(), "--stack"}});
}

}  // namespace

Result<Explanation> explain(const Question& typed,
                            const ExplainAsk& ask,
                            const Workbench& bench,
                            const Watch& watch) {
    FABRICAST_TRY(watch.check());
    FABRICAST_ASSIGN(const Question question, onSearchedStack(typed));
    FABRICAST_TRY(checkOtherParts(question, bench));
    FABRICAST_ASSIGN(LoadedScenario loaded,
                     loadScenario(question.root, bench.profiles(), question.folders));
    Result<Explanation> answer =
        explained(question, {.scenario = std::move(loaded.scenario)}, ask, bench, watch);
    if (!answer) {
        return tl::unexpected(located(std::move(answer).error(), question.root));
    }
    if (ask.cost) {
        FABRICAST_TRY(addCost(question, bench, *answer));
    }
    if (answer->memory || answer->step) {
        std::vector<std::string>& notes =
            answer->memory ? answer->memory->notes : answer->step->notes;
        notes.insert(notes.begin(), loaded.assumed.begin(), loaded.assumed.end());
        if (says(question, "stack") && !says(typed, "stack")) {
            notes.insert(notes.begin(),
                         "stack " + searchWords(typed, "stacks").front() +
                             " (the first that the search names)");
        }
        if (answer->verdict) {
            addKbitConsequence(answer->scenario, *answer->verdict, notes);
        }
        const Scenario* const forecast = &answer->scenario;
        addNotes(assumedRouting(question, {&forecast, 1}), notes);
    }
    if (answer->step) {
        addNotes(loaded.measured, answer->step->notes);
    }
    FABRICAST_TRY(addExplainedMeasurements(question, bench, *answer));
    FABRICAST_TRY(addIdleSettings(question, bench, watch, *answer));
    return answer;
}

}  // namespace fabricast
