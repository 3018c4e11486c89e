#pragma once
#include "planner/search/search_space.h"

#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace fabricast {

/// How the layers of the model are dealt to the chunks of pipelines, each worked out once.
class LayerSplits {
public:
    explicit LayerSplits(const ModelSpec& model);

    /// Layers of every chunk, in the order in which a microbatch visits them.
    Result<const std::vector<std::int64_t>*> of(std::uint32_t stack, const Scenario& scenario);
    /// Layers with experts among the `count` from `first` on.
    [[nodiscard]] std::int64_t sparse(std::int64_t first, std::int64_t count) const {
        return sparseBefore_[static_cast<std::size_t>(first + count)] -
               sparseBefore_[static_cast<std::size_t>(first)];
    }
    /// Ranks one of which is the fullest as a rule, some of them twice: the first two, the first
    /// behind the dense layers and the last. `layers`: as dealt by this.
    std::array<std::int64_t, 4> fullestRanks(const Layout& layout,
                                             const std::vector<std::int64_t>& layers);

private:
    using Key = std::tuple<std::uint32_t, std::int64_t, std::int64_t>;

    std::int64_t mostSparse(const Layout& layout, const std::vector<std::int64_t>& layers);

    std::vector<std::int64_t> sparseBefore_;
    std::map<Key, std::vector<std::int64_t>> splits_;
    /// By how the layers are dealt.
    std::map<std::pair<const std::vector<std::int64_t>*, ScheduleKind>, std::int64_t> mostSparse_;
};

}  // namespace fabricast
