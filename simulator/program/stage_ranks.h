#pragma once
#include "planner/spec/layout.h"
#include "planner/stack/rank_groups.h"
#include "simulator/engine/sim_program.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fabricast {

/// The ranks of every pipeline stage, as actors of a simulation. Ranks of a stage that differ in
/// nothing do the same at the same time, so one represents all of them: an actor for each stage. Or
/// each rank is an actor of its own, and meets the others of its groups.
class StageRanks {
public:
    /// One rank of each stage.
    static StageRanks classes(const Layout& layout);
    /// Every rank; actors are numbered as the stack numbers its ranks.
    static StageRanks all(const Layout& layout, const RankOrder& order);
    /// One rank of each stage in the data-parallel replica with the slow GPUs, and one for all
    /// other replicas, where there are any; they meet where data ranks do. What waits for a slow
    /// GPU inside a pass is as slow: its tensor and context peers, and replicas that share its
    /// experts. Actors of the usual replica come first.
    static StageRanks withSlowReplica(const Layout& layout);

    /// The slowdown of a GPU's kernels in the slow replica.
    void slow(std::size_t stage, double factor);

    using Members = std::vector<std::uint32_t>;  ///< of a stage, from 0

    [[nodiscard]] std::size_t stages() const { return actors_.size(); }
    /// Of each stage as many, in the same order: the i-th members send to each other.
    [[nodiscard]] const std::vector<ActorIndex>& of(std::size_t stage) const {
        return actors_[stage];
    }
    [[nodiscard]] ActorIndex actors() const;
    /// What kernels of a member take, of the usual: the first members are the slow replica.
    [[nodiscard]] double kernelFactor(std::size_t stage, std::size_t member) const {
        return member == 0 && stage < slow_.size() ? slow_[stage] : 1.0;
    }
    /// The groups of several members of a stage that take part in a collective together: tensor,
    /// context, expert, or the data ranks of the dense part. None if one represents all.
    [[nodiscard]] const std::vector<Members>& groups(std::size_t stage, GroupKind kind) const;

private:
    static constexpr std::array kKinds = {
        GroupKind::Tensor, GroupKind::Context, GroupKind::Expert, GroupKind::DataContext};

    std::vector<std::vector<ActorIndex>> actors_;                          ///< by stage
    std::array<std::vector<std::vector<Members>>, kKinds.size()> groups_;  ///< by kind and stage
    std::vector<double> slow_;  ///< by stage; empty: no GPU is
};

}  // namespace fabricast
