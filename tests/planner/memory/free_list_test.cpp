#include "planner/memory/device/free_list.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <utility>
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
        std::set<std::pair<std::int64_t, std::int64_t>> all;  // bytes, address
        for (std::int64_t step = 0; step < 4000; ++step) {
            const std::int64_t bytes = 512 * (1 + below(sizes));
            const auto fit = all.lower_bound({bytes, 0});
            if (below(5) < 2) {
                const std::int64_t address = (step * 7919) % 4001 * 4096;
                list.add({.bytes = bytes, .address = address, .place = static_cast<int>(step)});
                all.emplace(bytes, address);
            } else if (below(2) == 0) {
                const auto known = list.fit(bytes);
                const auto larger = known ? list.larger(*known) : std::nullopt;
                const auto beyond = all.lower_bound({(known ? known->bytes : 0) + 1, 0});
                ASSERT_EQ(larger.has_value(), known && beyond != all.end());
                if (larger) {
                    EXPECT_EQ(std::pair(larger->bytes, larger->address), *beyond);
                }
                const auto taken = list.takeFit(bytes);
                ASSERT_EQ(taken != FreeList::kNowhere, fit != all.end());
                ASSERT_EQ(known.has_value(), fit != all.end());
                if (known) {
                    EXPECT_EQ(known->place, taken);
                    EXPECT_EQ(std::pair(known->bytes, known->address), *fit);
                    all.erase(fit);
                }
            } else if (fit != all.end()) {
                list.remove({.bytes = fit->first, .address = fit->second});
                all.erase(fit);
            }
        }
    }
}

}  // namespace
}  // namespace fabricast
