#include "planner/profiles/possible_collective.h"

#include "planner/profiles/profile_store.h"
#include "planner/profiles/verify_profiles.h"
#include "tests/support/case_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace fabricast {
namespace {

CollectiveKind kindIn(const CaseRow& row) {
    const auto* const found = std::ranges::find(kCollectiveNames, row.at("collective"));
    EXPECT_NE(found, kCollectiveNames.end()) << row.at("collective");
    return static_cast<CollectiveKind>(found - kCollectiveNames.begin());
}

std::string whyTooFast(const CaseRow& row, const ProfileStore& profiles) {
    const auto machine = profiles.cluster(row.at("machine"));
    EXPECT_TRUE(machine) << row.at("machine");
    return tooFastBecause({.kind = kindIn(row),
                           .ranks = std::stoll(row.at("ranks")),
                           .nodes = std::stoll(row.at("nodes")),
                           .bytes = std::stod(row.at("bytes")),
                           .time = Seconds(std::stod(row.at("microseconds")) * 1e-6)},
                          *machine);
}

TEST(PossibleCollective, TakesAsLongAsTheLinksBetweenItsRanks) {
    const ProfileStore profiles = ProfileStore::builtIn();
    for (const CaseRow& row : readCases("possible_collectives.csv")) {
        const std::string why = whyTooFast(row, profiles);
        const std::string& expected = row.at("why");
        EXPECT_EQ(why.empty(), expected.empty()) << row.at("machine") << ": " << why;
        EXPECT_NE(why.find(expected), std::string::npos) << why;
    }
}

// What was published of real machines is as fast as they are.
TEST(PossibleCollective, HoldsForAllThatIsBuiltIn) {
    const auto all = ProfileStore::builtIn().measuredCollectives();
    ASSERT_TRUE(all);
    for (const MeasuredCollectives& measured : *all) {
        for (const std::string& why : contradictionsOf(measured)) {
            ADD_FAILURE() << measured.name << ": " << why;
        }
    }
}

}  // namespace
}  // namespace fabricast
