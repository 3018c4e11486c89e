#include "tests/support/program_answer.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace surer_change_test {

std::string surerOf(const std::string& command, const char* key) {
    const ProgramOutput output = ran(command + " -f json --no-fail");
    const JsonValue answer = jsonOf(output.out);
    const JsonValue* surer = answer.find("surer");
    return surer == nullptr ? "none" : textOf(*surer, key);
}

/// Without the fused loss everything has to lie in host memory, which is not known.
TEST(SurerChange, PlanAndAdviseNameTheSameSetting) {
    const std::string question =
        " -m gemma-3-27b --gpu rtx-4090 --gpus 1 --tuning qlora --seq 2048 --global-batch 8";
    EXPECT_EQ(surerOf("plan" + question, "set"), "--set settings.kernels.loss=liger");
    for (const char* const key : {"set", "plan"}) {
        EXPECT_EQ(surerOf("plan" + question, key), surerOf("advise" + question, key));
    }
    for (const char* const command : {"plan", "advise"}) {
        const ProgramOutput text = ran(command + question);
        EXPECT_NE(text.out.find("surer: --set settings.kernels.loss=liger: "), std::string::npos)
            << text.out;
    }
}

/// What is named holds: the plan of the changed question surely fits without the host.
TEST(SurerChange, WhatIsNamedSurelyFits) {
    const std::string question =
        " -m gemma-3-27b --gpu rtx-4090 --gpus 1 --tuning qlora --seq 2048 --global-batch 8 ";
    const std::string plan = surerOf("plan" + question, "plan");
    const std::size_t blank = plan.find(' ');
    const ProgramOutput output =
        ran("explain" + question + surerOf("plan" + question, "set") + " --stack " +
            plan.substr(0, blank) + " --layout " + plan.substr(blank + 1) + " -f json");
    EXPECT_EQ(textOf(jsonOf(output.out), "verdict"), "fits") << output.err;
    EXPECT_EQ(plan.find("offload"), std::string::npos) << plan;
}

TEST(SurerChange, NothingIsNamedWhereTheBestPlanSurelyFits) {
    const std::string question = " -m llama-3.2-1b -c dgx-h100 --seq 2048";
    EXPECT_EQ(surerOf("plan" + question, "set"), "none");
    EXPECT_EQ(surerOf("advise" + question, "set"), "none");
}

/// Host memory that is there is sure: what needs more GPUs, or more memory, is no better.
TEST(SurerChange, NothingIsNamedWhereTheHostHasRoom) {
    const std::string question = " -m llama-3.1-8b -c dgx-h100 --seq 8192 --global-batch 64 ";
    for (const char* const objective : {"gpus", "memory"}) {
        EXPECT_EQ(surerOf("plan" + question + "--top 3 --objective " + objective, "set"), "none")
            << objective;
    }
}

/// No setting is needed where the question without offload surely fits.
TEST(SurerChange, ASettingThatChangesNothingIsNotNamed) {
    const std::string question =
        " -m llama-3.1-8b --gpu h100 --gpus 8 --seq 8192 --global-batch 64 --top 1 --objective "
        "gpus ";
    const std::string set = surerOf("plan" + question, "set");
    EXPECT_EQ(set, "--set layout.offload=none");
    const JsonValue held = jsonOf(ran("plan" + question + set + " -f json").out);
    EXPECT_EQ(textOf(held, "verdict"), "fits");
}

}  // namespace surer_change_test
}  // namespace fabricast
