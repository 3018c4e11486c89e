#include "planner/search/distinct_plans.h"
#include "tests/support/program_answer.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace fabricast {
namespace price_of_safety_test {

constexpr std::array kAsked = {
    "-m glm-4.5-air -c dgx-b200 -n 4 --seq 8192 --global-batch 256 --precision fp8_blockwise",
    "-m llama-3.2-3b --gpu rtx-3060 --gpus 1 --tuning lora --seq 2048 --global-batch 8",
    "-m qwen2.5-14b --gpu rtx-4090 --gpus 1 --tuning qlora --seq 2048 --global-batch 8",
    "-m qwen2.5-32b --gpu rtx-3090 --gpus 2 --tuning qlora --seq 2048 --global-batch 8",
    "-m gemma-3-12b --gpu rtx-5090 --gpus 2 --tuning lora --seq 2048 --global-batch 8",
    "-m llama-4-scout -c dgx-h200 -n 4 --seq 8192 --global-batch 256",
    "-m deepseek-v2-lite -c dgx-h100 --seq 4096 --global-batch 64",
    "-m llama-3.1-8b -c dgx-h100 --seq 8192 --global-batch 64",
    "-m llama-3.1-8b -c dgx-h100 --seq 8192 --global-batch 64 --objective memory",
    "-m llama-3.2-1b --gpu rtx-3060 --gpus 1 --seq 2048 --global-batch 16",
    "-m llama-3.1-70b -c dgx-h100 -n 4 --seq 8192 --global-batch 128",
    "-m mixtral-8x7b -c dgx-a100 -n 4 --seq 4096 --global-batch 256 --stack megatron"};

std::string layoutOf(const JsonValue& plan) {
    const JsonValue* layout = plan.find("layout");
    std::string text = textOf(plan, "stack");
    if (layout != nullptr) {
        for (const char* key : {"dp", "tp", "pp", "vpp", "cp", "ep", "etp", "micro_batch"}) {
            text += std::string(",") + key + "=" +
                    std::to_string(static_cast<int>(numberOf(*layout, key)));
        }
        for (const char* key : {"shard", "offload", "cp_kind", "schedule"}) {
            text += std::string(",") + key + "=" + textOf(*layout, key);
        }
    }
    return text;
}

double stepOf(const JsonValue& plan) {
    const JsonValue* step = plan.find("step_s");
    return step == nullptr ? -1.0 : step->number(0.0, 1e30).value_or(numberOf(*step, "value"));
}

/// What the words "--allow tight lists it first" promise; and where they are left out, it lists
/// nothing first that is faster.
TEST(PriceOfSafety, IsOfWhatAllowTightListsFirst) {
    int priced = 0;
    for (const std::string asked : kAsked) {
        const JsonValue safe = jsonOf(ran("plan " + asked + " -f json").out);
        const JsonValue tight = jsonOf(ran("plan " + asked + " --allow tight -f json").out);
        const JsonValue* tightPlans = tight.find("plans");
        ASSERT_TRUE(tightPlans != nullptr && !tightPlans->items().empty()) << asked;
        const JsonValue& first = tightPlans->items().front();
        if (const JsonValue* named = safe.find("tighter"); named != nullptr) {
            ++priced;
            EXPECT_EQ(layoutOf(*named), layoutOf(first)) << asked;
        } else if (textOf(safe, "verdict") == "fits" && textOf(safe, "objective") != "memory") {
            EXPECT_GT(stepOf(first) * (1.0 + kAlike),
                      stepOf(safe.find("plans")->items().front()) * (1.0 - 1e-9))
                << asked;
        }
    }
    EXPECT_GE(priced, 6);
}

/// What is unlikely to fit is as far behind where tight plans are allowed as where they are not.
TEST(PriceOfSafety, WhatIsUnlikelyToFitIsNotAllowed) {
    const std::string plan = ran(std::string("plan ") + kAsked[5] + " --allow tight").out;
    EXPECT_TRUE(plan.starts_with("LIKELY FITS")) << plan;
    EXPECT_EQ(plan.find("??"), std::string::npos) << plan;
}

}  // namespace price_of_safety_test
}  // namespace fabricast
