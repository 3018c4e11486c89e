#include "planner/search/candidate_scenarios.h"

#include <algorithm>
#include <string>
#include <utility>

namespace fabricast {

std::size_t CandidateScenarios::Key::Hash::operator()(const Key& key) const {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
    constexpr unsigned kHigh = 29;
    const std::uint64_t kinds = (std::uint64_t{key.stack} << 8U) |
                                (static_cast<std::uint64_t>(key.shard) << 3U) |
                                (key.hasTensor ? 2048U : 0U) | (key.hasContext ? 1024U : 0U) |
                                (key.hasExperts ? 128U : 0U) | (key.hasData ? 4U : 0U) |
                                (key.hasReplicas ? 2U : 0U) | (key.sp ? 1U : 0U);
    std::uint64_t hash = (kinds ^ static_cast<std::uint64_t>(key.pp) << 20U) * kOdd;
    hash = (hash ^ (hash >> kHigh) ^ static_cast<std::uint64_t>(key.vpp)) * kOdd;
    return hash ^ (hash >> kHigh);
}

Result<const Settings*> CandidateScenarios::usual(std::uint32_t stack, const Layout& layout) {
    const Key key{.stack = stack,
                  .pp = layout.pp,
                  .vpp = layout.vpp,
                  .shard = layout.shard,
                  .hasTensor = layout.tp > 1,
                  .hasContext = layout.cp > 1,
                  .hasExperts = layout.ep > 1,
                  .hasData = layout.dp > 1,
                  .hasReplicas = layout.replicas() > 1,
                  .sp = layout.sp};
    if (const auto known = settings_.find(key); known != settings_.end()) {
        return known->second.get();
    }
    FABRICAST_ASSIGN(Settings made, task_->stacks[stack].settingsFor(layout));
    return settings_.emplace(key, shared(std::move(made))).first->second.get();
}

/// Those of a few kinds of layouts differ, and scenarios of equal ones need no copy.
CandidateScenarios::Shared CandidateScenarios::shared(Settings made) {
    const auto same =
        std::ranges::find_if(different_, [&made](const Shared& one) { return *one == made; });
    return same != different_.end()
               ? *same
               : different_.emplace_back(std::make_shared<const Settings>(std::move(made)));
}

Result<const Scenario*> CandidateScenarios::of(const Candidate& candidate) {
    const std::uint32_t stack = space_->families[candidate.family].stack;
    scratch_.layout = space_->layoutOf(candidate);
    FABRICAST_ASSIGN(const Settings* settings, usual(stack, scratch_.layout));
    const bool isOther = settings != inScratch_ || stack != stack_;
    if (isOther) {
        scratch_.stack = std::string(task_->stacks[stack].stack->name);
        scratch_.settings = *settings;
        inScratch_ = settings;
        stack_ = stack;
    }
    if (isOther || candidate.recompute != recompute_) {
        scratch_.settings.recompute = space_->recomputes[stack][candidate.recompute];
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
