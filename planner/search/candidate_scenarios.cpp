#include "planner/search/candidate_scenarios.h"

#include <string>
#include <utility>

namespace fabricast {

Result<const Settings*> CandidateScenarios::usual(std::uint32_t stack, const Layout& layout) {
    const Key key{stack,
                  layout.shard,
                  layout.dp > 1,
                  layout.replicas() > 1,
                  layout.pp,
                  layout.vpp,
                  layout.sp};
    if (const auto known = settings_.find(key); known != settings_.end()) {
        return &known->second;
    }
    FABRICAST_ASSIGN(Settings made, task_->stacks[stack].settingsFor(layout));
    return &settings_.emplace(key, std::move(made)).first->second;
}

Result<const Scenario*> CandidateScenarios::of(const Candidate& candidate) {
    const std::uint32_t stack = space_->families[candidate.family].stack;
    scratch_.layout = space_->layoutOf(candidate);
    FABRICAST_ASSIGN(const Settings* settings, usual(stack, scratch_.layout));
    if (settings != inScratch_ || stack != stack_ || candidate.recompute != recompute_) {
        scratch_.stack = std::string(task_->stacks[stack].stack->name);
        scratch_.settings = *settings;
        scratch_.settings.recompute = space_->recomputes[stack][candidate.recompute];
        inScratch_ = settings;
        stack_ = stack;
        recompute_ = candidate.recompute;
    }
    return &scratch_;
}

Result<const Scenario*> CandidateScenarios::allowed(const Candidate& candidate) {
    FABRICAST_ASSIGN(const Scenario* scenario, of(candidate));
    FABRICAST_TRY(task_->stacks[stack_].stack->check(*scenario));
    return scenario;
}

}  // namespace fabricast
