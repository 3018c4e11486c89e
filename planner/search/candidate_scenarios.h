#pragma once
#include "planner/search/search_space.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace fabricast {

/// This turns candidates into the scenarios they stand for, one after another in the same place:
/// copying a model and a cluster would cost more than a forecast. One per thread.
///     FABRICAST_ASSIGN(const Scenario* scenario, scenarios.of(candidate));
class CandidateScenarios {
public:
    CandidateScenarios(const SearchTask& task, const SearchSpace& space)
        : task_(&task), space_(&space), scratch_(task.base) {}

    /// It lives until the next is asked for.
    Result<const Scenario*> of(const Candidate& candidate);
    /// The same, if its stack takes it.
    Result<const Scenario*> allowed(const Candidate& candidate);
    /// The settings of the stack's layouts of this kind; of equal ones the same object every time.
    Result<const Settings*> usual(std::uint32_t stack, const Layout& layout);

private:
    /// What settings depend on.
    struct Key {
        std::uint32_t stack = 0;
        std::int64_t pp = 1;
        std::int64_t vpp = 1;
        Shard shard = Shard::None;
        bool hasTensor = false;
        bool hasContext = false;
        bool hasExperts = false;
        bool hasData = false;
        bool hasReplicas = false;
        bool sp = false;

        friend bool operator==(const Key&, const Key&) = default;
        struct Hash {
            std::size_t operator()(const Key& key) const;
        };
    };

    const SearchTask* task_;
    const SearchSpace* space_;
    using Shared = std::shared_ptr<const Settings>;
    [[nodiscard]] Shared shared(Settings made);

    std::unordered_map<Key, Shared, Key::Hash> settings_;
    std::vector<Shared> different_;
    Scenario scratch_;
    const Settings* inScratch_ = nullptr;
    std::uint32_t stack_ = ~0U;
    std::uint32_t recompute_ = ~0U;
};

}  // namespace fabricast
