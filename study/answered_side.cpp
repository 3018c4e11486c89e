#include "planner/budget/cost_of.h"
#include "planner/load/load_question.h"
#include "planner/memory/stage_memory.h"
#include "study/input_effects.h"
#include "study/own_measurements.h"

#include <span>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// What a question states about money, operation and the run's length, which no scenario holds.
std::vector<std::pair<std::string, std::string>> budgetOf(const JsonValue& root) {
    std::vector<std::pair<std::string, std::string>> stated;
    for (const std::string part : {"price", "operation"}) {
        const JsonValue* keys = root.find(part);
        if (keys == nullptr || !keys->is(JsonValue::Kind::Object)) {
            continue;
        }
        for (const JsonValue& key : keys->members()) {
            stated.emplace_back(part + "." + key.name(), key.text().value_or(key.shown()));
        }
    }
    const JsonValue* workload = root.find("workload");
    const JsonValue* tokens = workload == nullptr || !workload->is(JsonValue::Kind::Object)
                                  ? nullptr
                                  : workload->find("tokens");
    if (tokens != nullptr) {
        stated.emplace_back("workload.tokens", tokens->text().value_or(tokens->shown()));
    }
    return stated;
}

}  // namespace

Result<ComparedSide> answeredSide(const Question& question,
                                  const Workbench& bench,
                                  std::string name,
                                  std::string source) {
    FABRICAST_ASSIGN(LoadedScenario loaded,
                     loadScenario(question.root, bench.profiles(), question.folders));
    ComparedSide side{.name = std::move(name),
                      .source = std::move(source),
                      .scenario = std::move(loaded.scenario),
                      .budget = budgetOf(question.root),
                      .assumed = std::move(loaded.assumed)};
    Result<MemoryBreakdown> memory = memoryOfAllStages(side.scenario);
    if (!memory) {
        return tl::unexpected(located(std::move(memory).error(), question.root));
    }
    side.memory = *std::move(memory);
    FABRICAST_ASSIGN(const TimingProfiles* timing, bench.timing());
    Printed printed{.step = false};
    if (Result<StepEstimate> step = estimateStep(side.scenario, *timing)) {
        side.step = *std::move(step);
        addNotes(loaded.measured, side.assumed);
        FABRICAST_ASSIGN(const BudgetFacts facts,
                         loadBudget(question.root, bench.profiles(), question.folders));
        side.cost = costOf(side.scenario, costedStep(side.scenario, *side.step), facts);
        printed.budget = facts;
    } else {
        side.whyNoStep = step.error().why;
    }
    printed.step = side.step.has_value();
    FABRICAST_ASSIGN(const std::vector<std::string> own,
                     ownMeasurementNotes(std::span(&side.scenario, 1), figuresOf(printed), bench));
    addNotes(own, side.assumed);
    return side;
}

}  // namespace fabricast
