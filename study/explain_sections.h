#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/report/explanation_report.h"
#include "study/explain.h"
#include "study/question.h"
#include "study/workbench.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

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
