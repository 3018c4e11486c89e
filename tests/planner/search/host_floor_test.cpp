#include "planner/search/lower_bounds.h"
#include "tests/planner/search/search_example.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

namespace fabricast {
namespace {

using namespace literals;

/// A search of layouts whose weights and states wait on hosts, or of all.
bool isUnknown(std::int64_t layers, bool offloads, std::optional<Bytes> there) {
    SearchTask task = taskOf({.layers = layers}, {"deepspeed"});
    task.base.cluster.node.hostMemory = {.value = there};
    if (offloads) {
        task.rules.fixed.layout.offload = Offload::ParametersCpu;
        task.rules.fixed.said.insert("offload");
    }
    const SearchSpace space = enumerateLayouts(task).value();
    CandidateScenarios scenarios(task, space);
    return allNeedUnknownHost(task, space, scenarios);
}

TEST(HostFloor, IsAboveWhatAnyNodeHas) {
    EXPECT_TRUE(isUnknown(32, true, std::nullopt));    // 3.5 GB at the least
    EXPECT_FALSE(isUnknown(4, true, std::nullopt));    // a small model fits any host
    EXPECT_FALSE(isUnknown(32, true, 16_GiB));         // it is known
    EXPECT_FALSE(isUnknown(32, false, std::nullopt));  // some leave it alone
}

}  // namespace
}  // namespace fabricast
