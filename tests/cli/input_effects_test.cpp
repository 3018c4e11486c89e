#include "tests/support/program_answer.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace fabricast {
namespace input_effects_test {

struct Inputs {
    std::set<std::string> read;
    std::set<std::string> unread;
};

Inputs inputsOf(const std::string& line) {
    const ProgramOutput output = ran(line + " -f json --no-fail");
    Inputs inputs;
    const JsonValue answer = jsonOf(output.out);
    const JsonValue* rows = answer.find("inputs");
    EXPECT_NE(rows, nullptr) << output.err;
    if (rows != nullptr) {
        for (const JsonValue& row : rows->items()) {
            const bool hasEffect = row.find("has_effect")->boolean().value_or(false);
            (hasEffect ? inputs.read : inputs.unread).insert(textOf(row, "key"));
        }
    }
    return inputs;
}

/// Stacks differ in the kernels of experts, which a dense model has none of, and in the library of
/// optimizers in 8 bits.
TEST(InputEffects, SettingsOfWhatTheRunDoesNotHaveAreNotListed) {
    const std::string line =
        "compare -m llama-3.1-8b -c dgx-h100 --seq 8192 --stack fsdp2,megatron,deepspeed";
    const Inputs inputs = inputsOf(line);
    for (const char* const key : {"settings.kernels.experts", "settings.optimizer.library"}) {
        EXPECT_TRUE(inputs.unread.contains(key)) << key;
    }
    for (const char* const key : {"stack",
                                  "layout.shard",
                                  "settings.kernels.norm",
                                  "settings.precision.parameters",
                                  "settings.optimizer.kernel"}) {
        EXPECT_TRUE(inputs.read.contains(key)) << key;
    }
    const std::string text = ran(line, {"--no-fail"}).out;
    EXPECT_NE(text.find("differ without effect here: "), std::string::npos) << text;
    EXPECT_EQ(text.find("\nsettings.kernels.experts"), std::string::npos) << text;
}

TEST(InputEffects, WhatIsTypedWithoutEffectIsSaid) {
    const std::string line = "compare -m llama-3.2-1b -c dgx-h100 --stack fsdp2 --with ";
    EXPECT_TRUE(inputsOf(line + "settings.deepspeed.overlap_comm=true")
                    .unread.contains("settings.deepspeed.overlap_comm"));
    EXPECT_TRUE(inputsOf(line + "layout.recompute=full").unread.empty());
    EXPECT_TRUE(
        inputsOf(line + "settings.kernels.compile=true").read.contains("settings.kernels.compile"));
}

}  // namespace input_effects_test
}  // namespace fabricast
