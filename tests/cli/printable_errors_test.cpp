#include "cli/run_program.h"
#include "planner/text/text_file.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace fabricast {
namespace {

TEST(Errors, AreWrittenAsPrintableText) {
    const ProgramOutput answer = runProgram({"model", "\x1b[31m\xff"}, {});
    EXPECT_EQ(answer.err.find('\x1b'), std::string::npos) << answer.err;
    EXPECT_NE(answer.err.find("\\x1b[31m\\xff"), std::string::npos) << answer.err;
}

// A line of its own would be a command to whatever reads the log.
TEST(Names, OfFilesAndFoldersStayOnTheirLine) {
    const std::string folder = tempFolder() + "name\n::error::model";
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/config.json")
        << R"({"model_type": "llama", "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 4,
               "num_attention_heads": 16, "vocab_size": 32000})";
    std::ofstream(folder + "/run\n::error::file.json")
        << R"({"model": "config.json", "cluster": "dgx-h100", "stack": "ddp",
               "workload": {"sequence": 1024, "global_batch": 8}, "require": ["mfu >= 0.99"]})";
    for (const std::string command : {"explain", "plan", "check"}) {
        const ProgramOutput output = runProgram({command, folder + "/run\n::error::file.json"}, {});
        EXPECT_NE(output.out.find("name\\x0a::error::model"), std::string::npos)
            << output.out << output.err;
        EXPECT_EQ((output.out + output.err).find("\n::error::"), std::string::npos)
            << command << output.out;
    }
}

TEST(Names, AreEscapedInReportsToo) {
    const std::string file = tempFolder() + "escapes.sh";
    std::ofstream(file)
        << "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 4 --hi\x1b[31mdden-size 3\n";
    for (const std::string form : {"text", "md", "csv", "github"}) {
        const std::string report = tempFolder() + "escapes." + form;
        runProgram({"lint", file, "--report", form + "=" + report}, {});
        const std::string text = readTextFile(report).value_or("");
        EXPECT_FALSE(text.empty()) << form;
        EXPECT_EQ(text.find('\x1b'), std::string::npos) << form << text;
    }
}

}  // namespace
}  // namespace fabricast
