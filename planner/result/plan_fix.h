#pragma once
#include "planner/result/sensitivity.h"
#include "planner/spec/edit.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// What a plan is to reach.
enum class TargetMetric { TokensPerSecond, StepSeconds, Mfu, Days };
struct PlanTarget {
    TargetMetric metric = TargetMetric::TokensPerSecond;
    double wanted = 0.0;
};

/// What a change asks of its user.
enum class FixGroup {
    Free,      ///< settings, layouts, software
    Workload,  ///< the training becomes another one
    Buy        ///< more or other hardware
};

/// A change of the question, and the best plan under it.
struct PlanFix {
    FixGroup group = FixGroup::Free;
    std::string change;    ///< for people: "-n 4", "without tp held"
    std::string behind{};  ///< the same, behind the question as typed: "--set cluster.nodes=4"
    std::vector<Edit> edits{};
    std::string typed{};       ///< the edits as arguments: "-n 4", "--set layout.tp=null"
    std::string sideEffect{};  ///< "another batch: other learning rate and convergence"
    bool reaches = false;      ///< every target, and it fits
    Outcome outcome{};
    double tokensPerSecond = 0.0;
    std::optional<double> mfu{};
    std::optional<double> usdPerMtok{};
    std::optional<double> days{};  ///< of the whole run, where its tokens were said
    std::int64_t gpus = 0;
    std::string layout{};
};

/// A target and what was found without any change; nothing where no layout fits.
struct TargetVerdict {
    PlanTarget target;
    std::optional<double> reached;
    bool isMet = false;
    std::string of{};  ///< the peak that a share is of: "989 TFLOP/s bf16"
};

/// This is the answer to "what would have to change?": in each group what reaches the targets
/// first.
struct PlanFixes {
    std::vector<TargetVerdict> targets;
    std::vector<PlanFix> fixes{};  ///< by group, the best of each first
    int tried = 0;

    [[nodiscard]] bool allMet() const {
        return std::ranges::all_of(targets, &TargetVerdict::isMet);
    }
};

}  // namespace fabricast
