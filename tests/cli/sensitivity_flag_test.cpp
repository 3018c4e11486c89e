#include "cli/run_program.h"
#include "planner/text/json_document.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast {
namespace {

ProgramOutput asked(const std::string& command, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {command,
                                          "-m",
                                          "llama-3.1-8b",
                                          "-c",
                                          "dgx-h100",
                                          "-n",
                                          "2",
                                          "--stack",
                                          "fsdp2",
                                          "--seq",
                                          "8192",
                                          "--global-batch",
                                          "16",
                                          "--sensitivity"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return runProgram(arguments, {});
}

double numberOf(const JsonValue& object, const char* key) {
    const JsonValue* value = object.find(key);
    return value == nullptr ? -1.0 : value->number(-1e18, 1e18).value_or(-1.0);
}

TEST(SensitivityFlag, IsASectionOfExplain) {
    const ProgramOutput text = asked("explain", {});
    EXPECT_EQ(text.code, ExitCode::Ok) << text.err;
    EXPECT_TRUE(text.out.starts_with("LIKELY FITS  SENSITIVITY  ")) << text.out;
    EXPECT_NE(text.out.find("no micro-batch x2: "), std::string::npos);
    EXPECT_NE(asked("explain", {"--section", "time"}).out.find("\nSENSITIVITY  "),
              std::string::npos);
    EXPECT_NE(asked("explain", {"-f", "md"}).out.find("| matrix units |"), std::string::npos);
    EXPECT_TRUE(asked("explain", {"-f", "csv"}).out.starts_with("knob,elasticity,"));
}

TEST(SensitivityFlag, SaysTheSameInJson) {
    const ProgramOutput output = asked("explain", {"-f", "json"});
    const auto root = parseJson(output.out, "out");
    ASSERT_TRUE(root) << output.err;
    const JsonValue& sensitivity = *root->find("sensitivity");
    const double step = numberOf(*sensitivity.find("now"), "step_s");
    for (const JsonValue& knob : sensitivity.find("knobs")->items()) {
        if (knob.find("elasticity")->isNumber()) {
            EXPECT_LE(numberOf(*knob.find("twice"), "step_s"), step);
        }
        EXPECT_EQ(knob.find("searched"), nullptr);
    }
}

TEST(SensitivityFlag, SearchesAgainInPlan) {
    const ProgramOutput output = asked("plan", {"-f", "json"});
    const auto root = parseJson(output.out, "out");
    ASSERT_TRUE(root) << output.err;
    int searched = 0;
    for (const JsonValue& knob : root->find("sensitivity")->find("knobs")->items()) {
        const JsonValue* best = knob.find("searched");
        ASSERT_NE(best, nullptr);
        if (!best->is(JsonValue::Kind::Object)) {
            continue;
        }
        ++searched;
        // The held layout is one of those that are searched, unless it does not fit.
        EXPECT_LE(numberOf(*best, "step_s"), numberOf(*knob.find("twice"), "step_s") * (1 + 1e-9));
    }
    EXPECT_EQ(searched, 9);
    EXPECT_NE(asked("plan", {}).out.find("layout held, and with a new search"), std::string::npos);
}

}  // namespace
}  // namespace fabricast
