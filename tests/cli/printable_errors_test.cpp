#include "cli/run_program.h"
#include "planner/text/text_files.h"
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

// A page of Markdown shows what it is given: to whoever opens it the name would be a tag.
TEST(Names, AreNoTagsOfMarkdown) {
    const std::string folder = tempFolder() + "<img src=x onerror=alert(1)>![a](b)";
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/config.json")
        << R"({"model_type": "llama", "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 4,
               "num_attention_heads": 16, "vocab_size": 32000})";
    const std::string file = folder + "/run.json";
    std::ofstream(file) << R"({"model": "config.json", "cluster": "dgx-h100", "stack": "ddp",
        "workload": {"sequence": 1024, "global_batch": 8}, "require": ["mfu >= 0.99"]})";
    const std::string report = tempFolder() + "tags.md";
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"model", folder, "-f", "md"},
             {"explain", file, "-f", "md"},
             {"plan", file, "-f", "md"},
             {"check", file, "-f", "md", "--report", "md=" + report}}) {
        const ProgramOutput output = runProgram(words, {});
        const std::string written = readTextFile(report).value_or(output.out);
        for (const std::string& text : {output.out, written}) {
            EXPECT_NE(text.find("img src=x"), std::string::npos) << words.front() << output.err;
            const std::string page = text.substr(0, text.find("\n```\n"));
            EXPECT_EQ(page.find("<img"), std::string::npos) << words.front() << text;
            EXPECT_EQ(page.find("[a](b)"), std::string::npos) << words.front() << text;
        }
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
