#pragma once
#include "gui/jobs/latest_job.h"
#include "planner/base/result.h"
#include "planner/result/explanation.h"
#include "planner/result/plan_report.h"
#include "study/question.h"
#include "study/workbench.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace fabricast {

/// What a search has found: first one plan, then better ones a few times a second, then the best;
/// and where it was asked for, after a pause, the whole front.
struct FoundPlans {
    Result<std::shared_ptr<const PlanReport>> report;
    bool isAll = false;
    double seconds = 0.0;
    std::size_t best = 0;    ///< the plans that a search lists, in its order; 0: all
    bool isWidened = false;  ///< the front is still searched, and comes next
};

/// How much is searched.
enum class SearchWidth : std::uint8_t { Best, Front };

/// Searches the plans of a question; `take` is called in the window's thread.
LatestJob::Work planWork(Question question,
                         const Workbench& bench,
                         SearchWidth width,
                         std::function<void(FoundPlans)> take);

/// All that is known of one layout: first memory, step and cost, then what would be faster.
struct FoundExplanation {
    Result<std::shared_ptr<const Explanation>> explanation;
    bool isAll = false;  ///< what would be faster has been sought
};
LatestJob::Work explainWork(Question question,
                            const Workbench& bench,
                            std::function<void(FoundExplanation)> take);

}  // namespace fabricast
