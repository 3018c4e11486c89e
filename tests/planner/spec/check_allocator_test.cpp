#include "planner/spec/check_settings.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace fabricast {
namespace {

/// The key that is refused, or nothing.
std::string refusedKey(const Settings& settings) {
    const auto checked = checkAllocator(settings);
    return checked ? "" : checked.error().where;
}

TEST(CheckAllocator, RefusesWhatPyTorchRefuses) {
    Settings settings;
    EXPECT_EQ(refusedKey(settings), "");
    for (const std::int64_t megabytes : {1, 19}) {
        settings.maxSplitMb = megabytes;
        EXPECT_EQ(refusedKey(settings), "settings.max_split_size_mb") << megabytes;
    }
    settings.maxSplitMb = 20;
    EXPECT_EQ(refusedKey(settings), "");
    for (const std::int64_t divisions : {3, 12}) {
        settings.roundupDivisions = divisions;
        EXPECT_EQ(refusedKey(settings), "settings.roundup_power2_divisions") << divisions;
    }
    for (const std::int64_t divisions : {0, 1, 2, 16}) {
        settings.roundupDivisions = divisions;
        EXPECT_EQ(refusedKey(settings), "") << divisions;
    }
}

}  // namespace
}  // namespace fabricast
