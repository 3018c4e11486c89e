#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/estimate/estimate_step.h"
#include "planner/result/advice.h"
#include "study/advice_task.h"
#include "study/question.h"
#include "study/workbench.h"

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// The answer of each way to train, and which of them is advised.
struct EvaluatedOptions {
    std::vector<AdviceStep> options;
    std::optional<std::size_t> recommended;
    bool stopped = false;  ///< the ways behind these were not evaluated
    bool isCut = false;    ///< ways were not looked at, as those before took too long
};

/// Every family's best layout that surely fits, or else may; then what is advised and why the
/// others are not. When it is stopped, those that are evaluated are the answer.
Result<EvaluatedOptions> evaluateOptions(const AdviceTask& task,
                                         const TimingProfiles& timing,
                                         std::size_t threads,
                                         const Watch& watch = {});

/// What plans are found with.
struct PlanBench {
    const TimingProfiles& timing;
    std::size_t threads = 1;
    const Watch& watch;
    double slowest =
        std::numeric_limits<double>::infinity();  ///< seconds of a step that are of use
};

/// Puts the best layout of one way to train into its step, priced; where none fits the nearest
/// miss, and where there is none at all why.
Result<void> planFamily(const AdviceTask& task,
                        const AdviceFamily& family,
                        const PlanBench& bench,
                        AdviceStep& step);

/// What advice starts from, before it is priced.
struct LoadedAdvice {
    Scenario base;
    std::vector<AdviceFamily> families;  ///< simplest first
    std::vector<std::string> assumed;
};

/// The ways to train: each is a change of the question, with its stack's settings and what the
/// question says over them. Keys of a layout that the question holds are held in every one.
Result<LoadedAdvice> loadAdvice(const Question& question, const Workbench& bench);

/// Whether a step's plan costs no more than this; true without a limit, and if
/// its cost is not known.
bool isAffordable(const AdviceStep& step, const std::optional<Usd>& most);

/// The simplest step that fits and whose time is within the error of a comparison of the fastest;
/// one that surely fits before those that may, and none that fits less surely than `worst`. Fills
/// in each step's answer and why.
std::optional<std::size_t> chooseOption(std::vector<AdviceStep>& steps,
                                        const std::optional<Usd>& most,
                                        Verdict worst = Verdict::Unlikely);

}  // namespace fabricast
