#pragma once
#include "planner/result/changes.h"
#include "planner/result/plan_report.h"
#include "planner/result/run_cost.h"
#include "planner/spec/edit.h"
#include "planner/spec/names.h"
#include "planner/spec/scenario.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// What became of one way to train: taken or as good, or why not.
enum class AdviceAnswer {
    Yes,          ///< fits, and nothing simpler or clearly faster does
    Perhaps,      ///< the same, but memory is close: the allocator decides
    No,           ///< does not fit, costs too much, or another is clearly faster
    NotModelled,  ///< no layout that may fit is modelled
    NotAsked,     ///< not evaluated: one node, a short sequence, or another answer
};

constexpr auto namesOf(AdviceAnswer) {
    return std::to_array<Named<AdviceAnswer>>({{AdviceAnswer::Yes, "yes"},
                                               {AdviceAnswer::Perhaps, "perhaps"},
                                               {AdviceAnswer::No, "no"},
                                               {AdviceAnswer::NotModelled, "not_modelled"},
                                               {AdviceAnswer::NotAsked, "not_asked"}});
}

/// One step of the buyer's decision: a way to train, and the best layout that it has here.
struct AdviceStep {
    std::string key;          ///< "ddp", "hsdp", "megatron"
    std::string question;     ///< "one copy of everything on each GPU?"
    std::string set;          ///< what else has to be typed: "settings.tuning=lora"; may be empty
    std::vector<Edit> edits;  ///< that make the plan: its stack, layout and settings
    AdviceAnswer answer = AdviceAnswer::NotAsked;
    std::string why;
    /// Where nothing fits the nearest miss; its step is empty then.
    std::optional<Plan> plan;
    std::string unmodelled{};  ///< of a miss: "; 184 layouts that may fit are not modelled"
    bool timed = false;        ///< the plan has a step time and a cost
    std::string cutShort{};    ///< why layouts were not looked at; empty: all were
};

/// What the advice would be in another situation: searched again, not read off.
struct AdviceChange {
    std::string change;       ///< "twice the GPUs"
    std::vector<Edit> edits;  ///< that make it; none where no question says it: half the memory
    bool same = false;        ///< the same stack and way to train
    std::string key;          ///< of the step that is advised then; empty: nothing does
    std::optional<Plan> plan;
    bool isCut = false;  ///< not all layouts of all ways were looked at
};

/// This is the answer to "what should I train with?"
struct Advice {
    Scenario question;
    std::vector<AdviceStep> steps;           ///< simplest first
    std::optional<std::size_t> recommended;  ///< of `steps`
    std::vector<AdviceChange> changes;
    /// Where no way has a layout: the batches, or fewer GPUs, that do. Empty where that is not why.
    std::string otherBatch{};
    std::vector<std::string> notLookedAt;  ///< changes, as what comes before took too long
    /// Settings that make something surely fit in the GPUs alone, where what is recommended does
    /// not.
    std::optional<SurerChange> surer;
    CostBasis basis;
    std::optional<Usd> most;  ///< that the run may cost
    bool stopped = false;     ///< ways and changes that come later were not evaluated
    std::vector<std::string> notes;

    /// Some way has a layout, be it one that does not fit or is not modelled.
    [[nodiscard]] bool hasLayouts() const {
        return std::ranges::any_of(steps, [](const AdviceStep& step) {
            return step.plan || step.answer == AdviceAnswer::NotModelled;
        });
    }
};

}  // namespace fabricast
