#include "planner/spec/activation_offload.h"

#include "tests/support/case_table.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

std::string listed(const std::vector<std::int64_t>& numbers) {
    std::string text;
    for (const std::int64_t number : numbers) {
        text += (text.empty() ? "" : " ") + std::to_string(number);
    }
    return text;
}

TEST(OffloadedLayers, MoveWhenTransformerEngineMovesThem) {
    for (const CaseRow& row : readCases("offloaded_layers.csv")) {
        const std::vector<std::int64_t> windows =
            offloadWindows(std::stoll(row.at("layers")), std::stoll(row.at("offloaded")));
        const std::string what = row.at("offloaded") + " of " + row.at("layers");
        EXPECT_EQ(listed(windows), row.at("freed_after")) << what;
        EXPECT_EQ(listed(windows), row.at("fetched_before")) << what;
        std::vector<std::int64_t> begins = windows;  // each when the one before is freed
        begins.pop_back();
        begins.insert(begins.begin(), 0);
        EXPECT_EQ(listed(begins), row.at("copied_after")) << what;
    }
}

TEST(OffloadedLayers, AreAllButOneWhereNobodySaysHowMany) {
    Scenario scenario;
    scenario.model.layers = 32;
    scenario.settings.engine = Engine::Megatron;
    EXPECT_EQ(offloadedLayers(scenario), 0);
    scenario.layout.offload = Offload::Activations;
    EXPECT_EQ(offloadedLayers(scenario), 31);
    scenario.settings.megatron.offloadedLayers = 8;
    EXPECT_EQ(offloadedLayers(scenario), 8);
    scenario.settings.engine = Engine::Fsdp2;  // save_on_cpu
    EXPECT_EQ(offloadedLayers(scenario), 0);
}

}  // namespace
}  // namespace fabricast
