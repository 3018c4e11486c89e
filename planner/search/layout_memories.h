#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/memory/stage_walks.h"
#include "planner/result/memory_breakdown.h"
#include "planner/spec/scenario.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace fabricast {

/// Memory of layouts of one model and sequence, each walked once whatever the cluster. Several
/// threads may ask.
///     const auto memory = memories.ofFullestStage(scenario, limit, watch);
class LayoutMemories {
public:
    /// As memoryOfFullestStage.
    Result<MemoryBreakdown> ofFullestStage(const Scenario& scenario,
                                           Bytes most,
                                           const Watch& watch);
    [[nodiscard]] std::size_t size() const;
    /// Whether it answers from what was walked.
    [[nodiscard]] bool knows(const Scenario& scenario, Bytes most) const;

    /// What a walk depends on besides the settings: the layout, and how many microbatches a step
    /// has, as far as a walk sees them.
    using Key = std::pair<Layout, std::int64_t>;
    static Key keyOf(const Scenario& scenario);

private:
    struct Walked {
        Settings settings;
        StageWalks walks;

        [[nodiscard]] bool answers(const Scenario& scenario, Bytes asked) const {
            return (walks.isWhole() || asked <= walks.most) && settings == scenario.settings;
        }
    };
    [[nodiscard]] const Walked* found(const Key& key, const Scenario& scenario, Bytes room) const;

    std::map<Key, std::vector<Walked>> found_;
    std::size_t walks_ = 0;
    mutable std::mutex lock_;
};

}  // namespace fabricast
