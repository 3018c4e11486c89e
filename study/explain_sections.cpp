#include "planner/report/cost_report.h"
#include "planner/report/explanation_report.h"
#include "planner/report/time_report.h"
#include "study/explain.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace fabricast {
namespace {

/// What follows from the step's time, not from its memory.
bool isStepKey(std::string_view key) {
    return isTimeKey(key) || isCostKey(key);
}

std::vector<std::string> whyKeysOf(const std::vector<std::string>& asked) {
    std::vector<std::string> keys;
    for (const std::string& one : asked) {
        std::ranges::move(whyKeys(one), std::back_inserter(keys));
    }
    return keys;
}

/// The formula of one name: of calls of the step where the memory has nothing of that name.
Result<Report> formulaOf(const std::string& name,
                         const Explanation& answer,
                         const Question& question,
                         const Workbench& bench,
                         const Watch& watch) {
    Result<Report> formula = explanationWhy(answer, name);
    if (formula || answer.step) {
        return formula;
    }
    const Result<Explanation> more = explain(question, {.step = true}, bench, watch);
    Result<Report> calls = more ? explanationWhy(*more, name) : formula;
    return calls ? calls : formula;
}

}  // namespace

Section SectionsAsk::shown() const {
    const std::vector<std::string> keys = whyKeysOf(why);
    const auto allAre = [&keys](bool (*isOne)(std::string_view)) {
        return !keys.empty() && std::ranges::all_of(keys, isOne);
    };
    const Section asked = allAre(&isCostKey)   ? Section::Cost
                          : allAre(&isStepKey) ? Section::Time
                                               : Section::Memory;
    return section.value_or(asked);
}

bool SectionsAsk::shows(Section one) const {
    const bool onlySensitivity = sensitivity && !section;
    return !onlySensitivity && (shown() == one || shown() == Section::All);
}

ExplainAsk SectionsAsk::parts() const {
    const std::vector<std::string> keys = whyKeysOf(why);
    const bool cost = shows(Section::Cost) || std::ranges::any_of(keys, &isCostKey);
    return {.memory = shows(Section::Memory) || !std::ranges::all_of(keys, &isStepKey),
            .step = shows(Section::Time) || shows(Section::Comm) ||
                    std::ranges::any_of(keys, &isStepKey),
            .faster = shows(Section::Time),
            .cost = cost,
            .sensitivity = sensitivity,
            .rulesOfThumb = !why.empty()};
}

ExplanationView SectionsAsk::view(bool everyFormula) const {
    return {.memory = shows(Section::Memory),
            .time = shows(Section::Time),
            .comm = shows(Section::Comm),
            .cost = shows(Section::Cost),
            .formulas = everyFormula};
}

Result<Explanation> explainSections(const Question& question,
                                    const SectionsAsk& asked,
                                    const Workbench& bench,
                                    const Watch& watch) {
    const ExplainAsk ask = asked.parts();
    Result<Explanation> answer = explain(question, ask, bench, watch);
    const bool isUnmodelled = !answer && answer.error().code == Error::Code::Unsupported;
    if (isUnmodelled && ask.memory && ask.step && !asked.why.empty() && !asked.section) {
        for (const ExplainAsk& part :
             {ExplainAsk{.memory = true, .rulesOfThumb = true},
              ExplainAsk{.memory = false, .step = true, .cost = ask.cost, .rulesOfThumb = true}}) {
            if (Result<Explanation> one = explain(question, part, bench, watch)) {
                return one;
            }
        }
    }
    if (answer || answer.error().code != Error::Code::Unsupported || !ask.memory) {
        return answer;
    }
    if (explain(question, {.memory = false, .step = true}, bench, watch)) {
        std::string& hint = answer.error().hint;
        hint += (hint.empty() ? "" : "; ") + std::string("--section time, which is modelled");
    }
    return answer;
}

Result<Report> formulasOf(const SectionsAsk& ask,
                          const Explanation& answer,
                          const Question& question,
                          const Workbench& bench,
                          const Watch& watch) {
    Report formulas;
    for (const std::string& name : ask.why) {
        FABRICAST_ASSIGN(const Report formula, formulaOf(name, answer, question, bench, watch));
        formulas.add(formula);
    }
    return formulas;
}

}  // namespace fabricast
