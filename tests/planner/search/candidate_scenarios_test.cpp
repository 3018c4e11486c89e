#include "planner/search/candidate_scenarios.h"

#include "tests/planner/search/search_example.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace fabricast {
namespace {

std::vector<std::string> allNames() {
    std::vector<std::string> names;
    for (const Stack& stack : allStacks()) {
        names.emplace_back(stack.name);
    }
    return names;
}

class CandidatesOf : public testing::TestWithParam<const char*> {};

// Settings are kept for each kind of layout, and follow from the layout all the same: the attention
// of Accelerate's context parallelism is PyTorch's, which masks ALiBi's.
TEST_P(CandidatesOf, EveryStackHaveTheSettingsOfTheirLayout) {
    const SearchTask task = taskOf({.model = GetParam(), .gpus = 16}, allNames());
    const SearchSpace space = enumerateLayouts(task).value();
    CandidateScenarios scenarios(task, space);
    for (std::uint32_t family = 0; family < space.families.size(); ++family) {
        const Candidate candidate{.family = family};
        const auto scenario = scenarios.of(candidate);
        const auto settings =
            task.stacks[space.families[family].stack].settingsFor(space.layoutOf(candidate));
        ASSERT_EQ(scenario.has_value(), settings.has_value());
        if (settings) {
            Settings expected = *settings;
            expected.recompute = (*scenario)->settings.recompute;
            ASSERT_EQ((*scenario)->settings, expected)
                << (*scenario)->stack << " family " << family;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Models,
                         CandidatesOf,
                         testing::Values("mpt-7b", "llama-3.1-8b", "qwen3-30b-a3b", "deepseek-v3"),
                         [](const auto& model) {
                             std::string name = model.param;
                             std::ranges::replace_if(
                                 name, [](char c) { return c == '-' || c == '.'; }, '_');
                             return name;
                         });

}  // namespace
}  // namespace fabricast
