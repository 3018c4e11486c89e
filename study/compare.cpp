#include "study/compare.h"

#include "planner/budget/cost_of.h"
#include "planner/load/load_budget.h"
#include "planner/load/load_scenario.h"
#include "planner/memory/memory_of_stages.h"
#include "study/compare_sides.h"

#include <cstddef>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr std::size_t kMostSides = 8;

std::string letterOf(std::size_t side) {
    return {static_cast<char>('A' + side)};
}

/// What a question states about money and operation, which no scenario holds.
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
    return stated;
}

Result<ComparedSide> sideOf(const Question& question,
                            const Workbench& bench,
                            std::size_t place,
                            std::string source) {
    FABRICAST_ASSIGN(LoadedScenario loaded,
                     loadScenario(question.root, bench.profiles(), question.folders));
    ComparedSide side{.name = letterOf(place),
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
    if (Result<StepEstimate> step = estimateStep(side.scenario, *timing)) {
        side.step = *std::move(step);
        side.step->notes.insert(
            side.step->notes.end(), loaded.measured.begin(), loaded.measured.end());
        FABRICAST_ASSIGN(const BudgetFacts facts,
                         loadBudget(question.root, bench.profiles(), question.folders));
        side.cost = costOf(side.scenario, costedStep(side.scenario, *side.step), facts);
    } else {
        side.whyNoStep = step.error().why;
    }
    return side;
}

/// A batch that followed from the layout of the first side stays what it was.
Result<Question> changedBy(const Question& first,
                           const ComparedSide& answer,
                           const ChangedSide& change) {
    std::vector<Edit> edits = heldBatch(first, answer.scenario.workload.globalBatch);
    edits.insert(edits.end(), change.edits.begin(), change.edits.end());
    return with(first, edits);
}

Result<std::vector<ComparedSide>> sidesOf(std::span<const Question> questions,
                                          const CompareAsk& ask,
                                          const Workbench& bench,
                                          const Watch& watch) {
    const std::size_t count = questions.size() + ask.changes.size();
    if (count < 2 || count > kMostSides) {
        return fail(Error::Code::BadInput,
                    "compare",
                    count < 2 ? "only one side given"
                              : "more than " + std::to_string(kMostSides) + " sides",
                    "two scenario files, or one and --with layout.recompute=full");
    }
    std::vector<ComparedSide> sides;
    const auto add = [&](const Question& question, std::string source) -> Result<void> {
        FABRICAST_TRY(watch.check());
        FABRICAST_ASSIGN(ComparedSide side,
                         sideOf(question, bench, sides.size(), std::move(source)));
        sides.push_back(std::move(side));
        return {};
    };
    for (const Question& question : questions) {
        FABRICAST_TRY(add(question, question.file.empty() ? "as typed" : question.file));
    }
    for (const ChangedSide& change : ask.changes) {
        FABRICAST_ASSIGN(const Question changed,
                         changedBy(questions.front(), sides.front(), change));
        FABRICAST_TRY(add(changed, "A with " + change.name));
    }
    return sides;
}

Result<std::size_t> baselineOf(const std::string& typed, const std::vector<ComparedSide>& sides) {
    for (std::size_t place = 0; place < sides.size(); ++place) {
        if (sides[place].name == typed || sides[place].source == typed) {
            return place;
        }
    }
    return fail(Error::Code::BadInput,
                "--baseline",
                "unknown side \"" + typed + "\"",
                "A to " + sides.back().name + ", in the order given");
}

}  // namespace

Result<ChangedSide> changedSide(const std::string& typed, const std::string& origin) {
    ChangedSide side{.name = typed, .edits = {}};
    std::istringstream words(typed);
    for (std::string word; words >> word;) {
        FABRICAST_ASSIGN(Edit edit, assignment(word, origin));
        side.edits.push_back(std::move(edit));
    }
    return side;
}

Result<Comparison> compare(std::span<const Question> questions,
                           const CompareAsk& ask,
                           const Workbench& bench,
                           const Watch& watch) {
    FABRICAST_ASSIGN(std::vector<ComparedSide> sides, sidesOf(questions, ask, bench, watch));
    FABRICAST_ASSIGN(const std::size_t baseline, baselineOf(ask.baseline, sides));
    return compareSides(std::move(sides), baseline);
}

}  // namespace fabricast
