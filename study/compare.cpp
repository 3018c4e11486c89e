#include "study/compare.h"

#include "study/answered_side.h"
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
                         answeredSide(question, bench, letterOf(sides.size()), std::move(source)));
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
