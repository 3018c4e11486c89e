#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/result/memory_breakdown.h"
#include "planner/spec/scenario.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace fabricast {

/// Memory of layouts of one model on one kind of node under one stack, each walked once. Several
/// threads may ask.
///     const auto memory = memories.ofFullestStage(scenario, limit, watch);
class LayoutMemories {
public:
    /// As memoryOfFullestStage.
    Result<MemoryBreakdown> ofFullestStage(const Scenario& scenario,
                                           Bytes most,
                                           const Watch& watch);
    [[nodiscard]] std::size_t size() const { return walks_; }

private:
    /// A walk stops at the first stage that passes its limit.
    struct Walked {
        Settings settings;
        Bytes most;
        MemoryBreakdown memory;

        [[nodiscard]] bool answers(const Scenario& scenario, Bytes asked) const {
            const bool isWhole = memory.peak.value <= most;
            return settings == scenario.settings && (isWhole || asked <= most);
        }
    };
    /// And how many microbatches a step has, as far as a walk sees them.
    using Key = std::pair<Layout, std::int64_t>;

    std::map<Key, std::vector<Walked>> found_;
    std::size_t walks_ = 0;
    std::unique_ptr<std::mutex> lock_ = std::make_unique<std::mutex>();
};

}  // namespace fabricast
