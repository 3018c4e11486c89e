#include "study/explain.h"
#include "study/plan.h"
#include "study/requirements.h"
#include "study/saved_questions.h"
#include "study/templates.h"

#include <filesystem>

namespace fabricast {
namespace {

Result<void> checkAnswered(const Question& question, const Workbench& bench, const Watch& watch) {
    if (!says(question, "stack") && !says(question, "layout")) {
        FABRICAST_ASSIGN(const PlanReport found, plan(question, {}, bench, watch));
        return checkAnyLayout(found, question, bench);
    }
    Result<Explanation> answer = explain(question, {}, bench, watch);
    if (!answer &&
        answer.error().code == Error::Code::Unsupported) {  // its memory; perhaps not its time
        answer = explain(question, {.memory = false, .step = true}, bench, watch);
    }
    FABRICAST_TRY(answer);
    return {};
}

}  // namespace

Result<std::string> newScenario(const std::string& path,
                                const Question& question,
                                const Workbench& bench,
                                const Watch& watch) {
    FABRICAST_TRY(requirementsIn(question));
    FABRICAST_TRY(checkAnswered(question, bench, watch));
    const std::string folder = std::filesystem::path(path).parent_path().string();
    FABRICAST_ASSIGN(const Question saved, savedIn(folder, question, bench.profiles()));
    std::string text = scenarioTemplate(saved.root);
    FABRICAST_TRY(parseQuestion(text, path, {.file = folder, .typed = question.folders.typed}));
    return text;
}

}  // namespace fabricast
