#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/result/explanation.h"
#include "study/question.h"
#include "study/workbench.h"

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

}  // namespace fabricast
