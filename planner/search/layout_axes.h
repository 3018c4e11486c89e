#pragma once
#include "planner/search/layout_rules.h"
#include "planner/spec/scenario.h"
#include "planner/stack/stack.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// Tokens of a sequence that a context parallel rank has at least; of more than two ranks each has
/// enough to fill its kernels, so that the exchange of keys and values pays.
inline constexpr std::int64_t kLeastTokensOfRank = 256;
inline constexpr std::int64_t kFillingTokensOfRank = 2048;
/// Model chunks of a pipeline rank at most.
inline constexpr std::int64_t kMostChunksOfRank = 16;

/// These are the values that each axis of a layout may have under one stack: each step takes a
/// layout and says how it can go on.
class LayoutAxes {
public:
    LayoutAxes(const Scenario& base, const Stack& stack, const LayoutRules& rules)
        : base_(base), stack_(stack), rules_(rules) {}

    /// tp, sp, pp, cp, cp_kind and dp, whose product is the number of GPUs.
    [[nodiscard]] std::vector<Layout> ranks() const;
    /// shard, shard_size and offload. One rank alone has one sharding, and none beside it where
    /// what it trains adapters of is quantised, or where the stack then keeps states of other
    /// types.
    [[nodiscard]] std::vector<Layout> states(const Layout& ranks, bool quantized) const;
    /// ep, etp, and placement where it is held.
    [[nodiscard]] std::vector<Layout> experts(const Layout& states) const;
    /// Whether the layout may have its pipeline inside dp too, and that is another run.
    [[nodiscard]] bool swaps(const Layout& layout) const;
    /// schedule and vpp.
    [[nodiscard]] std::vector<Layout> orders(const Layout& experts) const;
    [[nodiscard]] std::vector<std::int64_t> microBatches(const Layout& layout) const;
    [[nodiscard]] std::vector<RecomputeSettings> recomputes(const Settings& usual) const;

private:
    [[nodiscard]] bool takeCopies(Layout& layout) const;
    [[nodiscard]] bool keepsOwnStates(const Layout& ranks) const;
    void addOffloads(Layout layout, std::vector<Layout>& found) const;
    void addContext(Layout layout, std::vector<Layout>& found) const;
    [[nodiscard]] RankPlacement usualPlacement() const;
    [[nodiscard]] std::int64_t mostJoined() const;
    [[nodiscard]] std::vector<std::int64_t> chunks(std::int64_t ranks) const;

    const Scenario& base_;
    const Stack& stack_;
    const LayoutRules& rules_;
};

}  // namespace fabricast
