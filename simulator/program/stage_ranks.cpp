#include "simulator/program/stage_ranks.h"

#include "planner/base/check.h"

#include <algorithm>

namespace fabricast {
namespace {

/// Where a rank is among those of its stage.
struct Place {
    std::size_t stage = 0;
    std::uint32_t member = 0;
};

}  // namespace

StageRanks StageRanks::classes(const Layout& layout) {
    StageRanks ranks;
    for (std::int64_t stage = 0; stage < layout.pp; ++stage) {
        ranks.actors_.push_back({static_cast<ActorIndex>(stage)});
    }
    for (auto& byStage : ranks.groups_) {
        byStage.resize(ranks.actors_.size());
    }
    return ranks;
}

StageRanks StageRanks::withSlowReplica(const Layout& layout) {
    StageRanks ranks = classes(layout);
    if (layout.dp == 1) {
        return ranks;
    }
    const auto kind = std::ranges::find(kKinds, GroupKind::DataContext) - kKinds.begin();
    for (std::size_t stage = 0; stage < ranks.actors_.size(); ++stage) {
        ranks.actors_[stage].insert(ranks.actors_[stage].begin(),
                                    static_cast<ActorIndex>(ranks.actors_.size() + stage));
        ranks.groups_[static_cast<std::size_t>(kind)][stage].push_back({0, 1});
    }
    return ranks;
}

void StageRanks::slow(std::size_t stage, double factor) {
    slow_.resize(actors_.size(), 1.0);
    // Slow GPUs of one stage wait for each other, not one after the other.
    slow_.at(stage) = std::max(slow_.at(stage), factor);
}

StageRanks StageRanks::all(const Layout& layout, const RankOrder& order) {
    StageRanks ranks;
    ranks.actors_.resize(static_cast<std::size_t>(layout.pp));
    std::vector<Place> places(static_cast<std::size_t>(layout.world()));
    for (const RankGroup& pipeline : rankGroups(layout, order, GroupKind::Pipeline)) {
        for (std::size_t stage = 0; stage < pipeline.size(); ++stage) {
            const auto rank = static_cast<ActorIndex>(pipeline[stage].index());
            places[rank] = {stage, static_cast<std::uint32_t>(ranks.actors_[stage].size())};
            ranks.actors_[stage].push_back(rank);
        }
    }
    for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
        ranks.groups_[kind].resize(ranks.actors_.size());
        for (const RankGroup& group : rankGroups(layout, order, kKinds[kind])) {
            Members members;
            for (const RankId rank : group) {
                members.push_back(places[static_cast<std::size_t>(rank.index())].member);
            }
            if (members.size() > 1) {
                const auto first = static_cast<std::size_t>(group.front().index());
                ranks.groups_[kind][places[first].stage].push_back(std::move(members));
            }
        }
    }
    return ranks;
}

ActorIndex StageRanks::actors() const {
    std::size_t count = 0;
    for (const std::vector<ActorIndex>& stage : actors_) {
        count += stage.size();
    }
    return static_cast<ActorIndex>(count);
}

const std::vector<StageRanks::Members>& StageRanks::groups(std::size_t stage,
                                                           GroupKind kind) const {
    const auto found = std::ranges::find(kKinds, kind);
    FABRICAST_CHECK(found != kKinds.end());
    return groups_[static_cast<std::size_t>(found - kKinds.begin())][stage];
}

}  // namespace fabricast
