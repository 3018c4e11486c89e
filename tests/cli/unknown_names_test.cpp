#include "planner/text/text_files.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast {
namespace {

std::string scenario(const std::string& more) {
    static int count = 0;
    const std::string path = tempFolder() + "names_" + std::to_string(++count) + ".json";
    EXPECT_TRUE(writeTextFile(path,
                              "{\"model\": \"llama-3.2-1b\", \"cluster\": \"dgx-h100\",\n"
                              " \"workload\": {\"sequence\": 2048, \"global_batch\": 32},\n " +
                                  more + "}"));
    return path;
}

struct UnknownName {
    std::string scenario;
    std::string place;  ///< line and column
    std::string says;
};

/// Whatever the question is, and whether or not it looks at the name.
TEST(UnknownNames, AreRefusedWithTheirPlaceByEveryQuestion) {
    const std::vector<UnknownName> cases = {
        {R"("stack": "fsdp3")", ":3:11: ", "unknown stack \"fsdp3\""},
        {R"("stack": "fsdp3", "search": {"stacks": ["fsdp2"]})",
         ":3:11: ",
         "unknown stack \"fsdp3\""},
        {R"("search": {"stacks": ["fsdp2", "fsdp3"]})", ":3:33: ", "unknown stack \"fsdp3\""},
        {R"("search": {"stack": "fsdp2"})", ":3:13: ", "unknown key \"stack\""},
        {R"("search": {"allow": ["all"]})", ":3:23: ", "\"all\" cannot be allowed"},
        {R"("search": {"software": "best"})", ":3:25: ", "\"best\""}};
    for (const UnknownName& one : cases) {
        const std::string path = scenario(one.scenario);
        for (const std::string command : {"plan ", "advise ", "explain "}) {
            const ProgramOutput output = ran(command + path);
            EXPECT_EQ(output.code, ExitCode::BadInput) << command << one.scenario << output.out;
            EXPECT_NE(output.err.find(path + one.place), std::string::npos)
                << command << output.err;
            EXPECT_NE(output.err.find(one.says), std::string::npos) << command << output.err;
        }
    }
}

TEST(AdviseCommand, EvaluatesOnlyTheStacksThatAScenarioNames) {
    const std::string path = scenario(R"("search": {"stacks": ["fsdp2", "torchtitan"]})");
    const ProgramOutput output = ran("advise " + path, {"-f", "json"});
    EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
    const JsonValue advice = jsonOf(output.out);
    for (const JsonValue& step : advice.find("steps")->items()) {
        const std::string stack = textOf(step, "stack");
        EXPECT_TRUE(stack.empty() || stack == "fsdp2" || stack == "torchtitan") << stack;
    }
    const std::string key = textOf(*advice.find("recommended"), "key");
    EXPECT_TRUE(key == "fsdp2" || key == "torchtitan") << key;
    const std::string text = ran("advise " + path).out;
    EXPECT_NE(text.find("megatron, pipeline (not among search.stacks)"), std::string::npos) << text;
    EXPECT_NE(text.find("(not among search.stacks)"), std::string::npos) << text;
}

TEST(AdviseCommand, RefusesAStackThatNoWayUses) {
    const std::string path = scenario(R"("search": {"stacks": ["nemo"]})");
    const ProgramOutput output = ran("advise " + path);
    EXPECT_EQ(output.code, ExitCode::BadInput) << output.out;
    EXPECT_NE(output.err.find(path + ":3:"), std::string::npos) << output.err;
    EXPECT_NE(output.err.find("uses \"nemo\""), std::string::npos) << output.err;
}

}  // namespace
}  // namespace fabricast
