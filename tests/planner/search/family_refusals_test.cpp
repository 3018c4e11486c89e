#include "planner/search/family_refusals.h"

#include "tests/planner/search/search_example.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace fabricast {
namespace {

const auto kNone = [](const Error&) { return false; };

bool takes(CandidateScenarios& scenarios, const Candidate& candidate) {
    return scenarios.allowed(candidate).has_value();
}

TEST(FamilyRefusals, AreThoseOfEachLayout) {
    const SearchTask task =
        taskOf({.model = "mixtral-8x7b", .batch = 16}, {"megatron", "torchtitan", "deepspeed"});
    const SearchSpace space = enumerateLayouts(task).value();
    CandidateScenarios scenarios(task, space);
    FamilyRefusals refusals(space, scenarios);
    for (std::uint32_t family = 0; family < space.families.size(); ++family) {
        const std::vector<Candidate> mine = space.candidatesOf(family);
        const bool any =
            std::ranges::any_of(mine, [&](const Candidate& one) { return takes(scenarios, one); });
        std::string why = "asked before";
        EXPECT_EQ(refusals.takesAny(family, why, kNone), any) << family;
        for (const Candidate& one : mine) {
            const bool refused = refusals.refuses({.family = family, .recompute = one.recompute});
            EXPECT_FALSE(refused && takes(scenarios, one)) << family;
        }
    }
}

TEST(FamilyRefusals, OfAModelTakeFewQuestions) {
    SearchTask task = taskOf({.gpus = 64, .batch = 64}, {"torchtitan"});
    task.base.workload.sequence = 2 * task.base.model.maxPositions;  // longer than it is made for
    Stack layoutByLayout = *task.stacks.front().stack;
    layoutByLayout.checkRun = nullptr;
    task.stacks.front().stack = &layoutByLayout;
    const SearchSpace space = enumerateLayouts(task).value();
    CandidateScenarios scenarios(task, space);
    FamilyRefusals refusals(space, scenarios);
    std::string why;
    for (std::uint32_t family = 0; family < space.families.size(); ++family) {
        EXPECT_FALSE(refusals.takesAny(family, why, kNone));
    }
    const auto layouts = static_cast<std::int64_t>(allOf(space).size());
    EXPECT_LT(refusals.asked(), layouts / 10);
}

// What no layout changes is no layout's fault: none is enumerated.
TEST(FamilyRefusals, OfTheWholeRunTakeNone) {
    SearchTask task = taskOf({.gpus = 64, .batch = 64}, {"torchtitan"});
    task.base.workload.sequence = 2 * task.base.model.maxPositions;
    const SearchSpace space = enumerateLayouts(task).value();
    EXPECT_TRUE(space.families.empty());
    ASSERT_EQ(space.refused.size(), 1U);
    EXPECT_NE(space.refused.front().why.find("exceeds attention RoPE maximum"), std::string::npos);
}

}  // namespace
}  // namespace fabricast
