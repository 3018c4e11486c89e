#include "planner/memory/device/free_list.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>
#include <tuple>
#include <vector>

namespace fabricast {
namespace {

/// The same as a sorted list of all blocks.
TEST(FreeList, TakesTheSmallestThatFitsAndOfEqualsTheLowest) {
    std::mt19937 random(3);
    const auto below = [&random](std::int64_t most) {
        return static_cast<std::int64_t>(random()) % most;
    };
    for (const std::int64_t sizes : {3, 40, 5000, 1000000}) {
        FreeList list;
        std::vector<HeapBlock> blocks;
        std::set<std::tuple<std::int64_t, std::int64_t, HeapBlock::Place>> all;
        for (std::int64_t step = 0; step < 4000; ++step) {
            const std::int64_t bytes = 512 * (1 + below(sizes));
            if (below(5) < 2) {
                const std::int64_t address = (step * 7919) % 4001 * 4096;
                const auto place = static_cast<HeapBlock::Place>(blocks.size());
                blocks.push_back({.address = address, .bytes = bytes});
                list.add(blocks, place);
                all.emplace(bytes, address, place);
                continue;
            }
            const auto fit = all.lower_bound({bytes, 0, 0});
            const HeapBlock::Place place = list.fit(blocks, bytes);
            ASSERT_EQ(place != HeapBlock::kNowhere, fit != all.end());
            if (fit != all.end()) {
                EXPECT_EQ(place, std::get<HeapBlock::Place>(*fit));
                list.remove(blocks, place);
                all.erase(fit);
            }
        }
    }
}

}  // namespace
}  // namespace fabricast
