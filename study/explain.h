#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/report/explanation_report.h"
#include "planner/result/explanation.h"
#include "study/question.h"
#include "study/workbench.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// Which parts of an explanation are wanted.
struct ExplainAsk {
    bool memory = true;
    bool step = false;
    bool faster = false;       ///< a change that makes the step shorter; needs the step
    bool cost = false;         ///< needs the step
    bool sensitivity = false;  ///< needs the step
    bool rulesOfThumb =
        false;  ///< what formulas show beyond the sections: see addStateTerms, productTimes
};

/// All that is asked about one layout.
///     FABRICAST_ASSIGN(const Explanation answer, explain(question, {.step = true}, bench, {}));
Result<Explanation> explain(const Question& question,
                            const ExplainAsk& ask,
                            const Workbench& bench,
                            const Watch& watch);

/// What of a layout is explained: a section, formulas by their names, or what a faster part brings.
enum class Section : std::uint8_t { Memory, Time, Comm, Cost, All };
struct SectionsAsk {
    std::optional<Section> section{};  ///< empty: what the formulas are about, else memory
    std::vector<std::string> why{};    ///< names of numbers
    bool sensitivity = false;

    [[nodiscard]] Section shown() const;
    [[nodiscard]] bool shows(Section one) const;
    [[nodiscard]] ExplainAsk parts() const;
    [[nodiscard]] ExplanationView view(bool everyFormula) const;
};

/// The explanation. Where the memory alone is not modelled, its error says what is. A name that is
/// of memory and of the step is answered by what there is.
Result<Explanation> explainSections(const Question& question,
                                    const SectionsAsk& ask,
                                    const Workbench& bench,
                                    const Watch& watch);

/// The formulas of the names that were asked for, of calls of the step where the memory has nothing
/// of a name.
Result<Report> formulasOf(const SectionsAsk& ask,
                          const Explanation& answer,
                          const Question& question,
                          const Workbench& bench,
                          const Watch& watch);

}  // namespace fabricast
