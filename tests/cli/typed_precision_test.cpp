#include "cli/run_program.h"
#include "planner/load/scenario_defaults.h"
#include "planner/stack/stack.h"
#include "planner/text/json_document.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {
namespace {

using Words = std::vector<std::string>;

struct MemoryAndTime {
    double bytes = 0;
    double seconds = 0;
};

/// Nothing where it is refused.
std::optional<MemoryAndTime> answered(Words words, const Words& more) {
    words.insert(words.begin(), {"explain", "--section", "all", "--no-fail", "-f", "json"});
    words.insert(words.end(), more.begin(), more.end());
    const ProgramOutput output = runProgram(words, {});
    if (output.code != ExitCode::Ok) {
        EXPECT_TRUE(output.err.starts_with("error: ")) << output.err;
        return std::nullopt;
    }
    const JsonValue root = parseJson(output.out, "out").value();
    const auto valueOf = [&root](const char* part, const char* key) {
        return root.find(part)->find(key)->find("value")->number(0, 1e18).value();
    };
    return MemoryAndTime{valueOf("memory", "peak_bytes"), valueOf("time", "step_s")};
}

/// A precision that is typed is forecast, or refused by name: under no stack is it a word in the
/// header alone. fp16 is as wide and as fast as bf16.
TEST(TypedPrecision, ChangesTheForecastOfEveryStackThatTakesIt) {
    for (const Words& tuning : {Words{}, Words{"--tuning", "lora"}, Words{"--tuning", "qlora"}}) {
        for (const Stack& one : allStacks()) {
            const std::string stack(one.name);
            const Words asked = {"-m", "llama-3.1-8b", "-c", "dgx-b200", "--stack", stack};
            const auto usual = answered(asked, tuning);
            for (const std::string_view precision : precisionNames()) {
                Words typed = tuning;
                typed.insert(typed.end(), {"--precision", std::string(precision)});
                if (!usual || precision == "bf16" || precision == "fp16") {
                    continue;
                }
                if (const auto changed = answered(asked, typed)) {
                    constexpr double kSome = 0.02;  // adapters in 16 bits take a little less
                    EXPECT_TRUE(changed->bytes != usual->bytes ||
                                std::abs(changed->seconds / usual->seconds - 1.0) > kSome)
                        << stack << " " << precision << " " << tuning.size();
                }
            }
        }
    }
}

TEST(TypedPrecision, IsRefusedByTheNameOfWhatDeepSpeedCallsIt) {
    const ProgramOutput output = runProgram({"explain",
                                             "-m",
                                             "llama-3.1-8b",
                                             "-c",
                                             "dgx-h100",
                                             "--stack",
                                             "deepspeed",
                                             "--precision",
                                             "pure_bf16"},
                                            {});
    EXPECT_EQ(output.code, ExitCode::BadInput);
    EXPECT_EQ(output.out, "");
    EXPECT_NE(output.err.find("bf16_master_weights_and_grads"), std::string::npos) << output.err;
    EXPECT_NE(output.err.find("try: --precision bf16, or --stack fsdp2"), std::string::npos)
        << output.err;
}

}  // namespace
}  // namespace fabricast
