#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"
#include "tests/support/well_formed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace fabricast {
namespace {

const std::string kRun = " -m llama-3.1-8b -c dgx-h100 --seq 8192 --no-fail ";

struct PageCase {
    std::string name;
    std::string line;
    std::vector<std::string> holds;  ///< what the page has of the answer
};

std::vector<PageCase> pageCases() {
    return {
        {"plan",
         "plan --pareto --global-batch 16" + kRun,
         {"Speed and memory of each layout", "<h2>Next</h2>", "Pareto front"}},
        {"explain",
         "explain --stack fsdp2 --section all" + kRun,
         {"Memory at its peak", "limit 79.19 GiB", "time goes, s", "COMMUNICATION", "COST"}},
        {"why", "explain --stack fsdp2 --why time.gemm" + kRun, {"forward of a layer"}},
        {"compare",
         "compare --stack fsdp2 --with layout.recompute=full" + kRun,
         {"from A to B, GiB of the most loaded GPU", "activations"}},
        {"simulate",
         "simulate --stack megatron --layout pp=4,tp=2" + kRun,
         {"The step over time", "critical path"}},
        {"advise", "advise --global-batch 16" + kRun, {"way to train", "ADVICE"}},
        {"check",
         "check --stack fsdp2 --require mfu>=0.99" + kRun,
         {"badge bad\">FAIL", "mfu&gt;=0.99"}},
        {"backtest",
         std::string("backtest ") + FABRICAST_SOURCE_DIR + "/tests/cases/published/few_runs.csv",
         {"forecast against measured"}}};
}

class ReportPage : public testing::TestWithParam<PageCase> {};

TEST_P(ReportPage, IsOneWellFormedFileWithTheAnswer) {
    const ProgramOutput output = ran(GetParam().line, {"-f", "html"});
    ASSERT_EQ(output.code, ExitCode::Ok) << output.err;
    std::vector<std::string> elements;
    EXPECT_EQ(xmlTrouble(output.out, &elements), "");
    EXPECT_EQ(std::ranges::count(elements, "h1"), 1);
    EXPECT_EQ(std::ranges::count(elements, "script"), 0);
    for (const std::string& text : GetParam().holds) {
        EXPECT_NE(output.out.find(text), std::string::npos) << text;
    }
}

INSTANTIATE_TEST_SUITE_P(Commands, ReportPage, testing::ValuesIn(pageCases()), [](const auto& one) {
    return one.param.name;
});

TEST(ReportPage, ShowsAModelsNameAsText) {
    const std::string folder = tempFolder() + "<script>alert(1)<b>";
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/config.json")
        << R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 1024,
 "intermediate_size": 4096, "num_hidden_layers": 4, "num_attention_heads": 16,
 "num_key_value_heads": 16, "vocab_size": 32000, "_name_or_path": "<script>alert(2)</script>"})";
    const ProgramOutput output = ran("explain -c dgx-h100 --stack fsdp2 -f html", {"-m", folder});
    ASSERT_EQ(output.code, ExitCode::Ok) << output.err;
    std::vector<std::string> elements;
    EXPECT_EQ(xmlTrouble(output.out, &elements), "");
    EXPECT_EQ(std::ranges::count(elements, "script"), 0);
    EXPECT_NE(output.out.find("&lt;script&gt;alert("), std::string::npos);
}

TEST(ReportPage, IsRefusedWhereACommandHasNone) {
    const ProgramOutput output = ran("model llama-3.1-8b -f html");
    EXPECT_EQ(output.code, ExitCode::BadInput);
    EXPECT_NE(output.err.find("plan, size, explain, compare"), std::string::npos) << output.err;
    EXPECT_EQ(ran("explain --stack fsdp2 -f pdf" + kRun).code, ExitCode::BadInput);
}

/// PATH is this folder alone.
class PdfPage : public testing::Test {
protected:
    void SetUp() override {
        std::filesystem::create_directories(folder_);
        ::setenv("PATH", folder_.c_str(), 1);
    }
    void TearDown() override {
        ::setenv("PATH", before_.c_str(), 1);
        std::filesystem::remove_all(folder_);
    }
    /// A browser that does this with "$page", a page, and "$pdf", where it has to go.
    void install(const std::string& what) const {
        const std::string path = folder_ + "/chromium";
        std::ofstream(path) << "#!/bin/sh\nfor word; do case $word in --print-to-pdf=*) "
                               "pdf=${word#*=};; file://*) page=${word#file://};; esac; done\n"
                            << what << "\n";
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    }
    [[nodiscard]] ProgramOutput printed() const {
        return ran("explain --stack fsdp2 -f pdf" + kRun, {"-o", out_});
    }

    const std::string before_ = std::getenv("PATH");
    const std::string folder_ = tempFolder() + "programs";
    const std::string out_ = tempFolder() + "report.pdf";
};

TEST_F(PdfPage, SaysWhatToInstallWhereThereIsNoBrowser) {
    const ProgramOutput output = printed();
    EXPECT_EQ(output.code, ExitCode::Environment);
    EXPECT_NE(output.err.find("apt-get install chromium"), std::string::npos) << output.err;
}

TEST_F(PdfPage, IsWhatTheBrowserPrints) {
    install(
        "{ echo %PDF-1.4; while read -r line; do echo \"$line\"; done < \"$page\"; } > \"$pdf\"");
    const ProgramOutput output = printed();
    ASSERT_EQ(output.code, ExitCode::Ok) << output.err;
    std::ifstream file(out_);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    EXPECT_TRUE(bytes.starts_with("%PDF-1.4\n<!DOCTYPE html>")) << bytes.substr(0, 80);
}

TEST_F(PdfPage, IsNotWaitedForOnceItIsStopped) {
    std::filesystem::remove(out_);  // of another test
    const std::string work = folder_ + "/pages";
    std::filesystem::create_directories(work);
    ::setenv("TMPDIR", work.c_str(), 1);
    install("trap '' INT TERM; /bin/sleep 300");
    std::stop_source source;
    Surroundings surroundings;
    surroundings.stop = [&source] { return source.get_token(); };
    const auto begin = std::chrono::steady_clock::now();
    std::jthread later([&] {
        while (std::filesystem::is_empty(work)) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        source.request_stop();
    });
    const ProgramOutput output = runProgram({"explain",
                                             "--stack",
                                             "fsdp2",
                                             "-m",
                                             "llama-3.2-1b",
                                             "-c",
                                             "dgx-h100",
                                             "-f",
                                             "pdf",
                                             "-o",
                                             out_},
                                            surroundings);
    ::unsetenv("TMPDIR");
    EXPECT_EQ(output.code, ExitCode::Interrupted) << output.err;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
    EXPECT_TRUE(std::filesystem::is_empty(work));
    EXPECT_FALSE(std::filesystem::exists(out_));
}

TEST_F(PdfPage, IsAnErrorWhereTheBrowserFails) {
    install("echo no display >&2; exit 3");
    const ProgramOutput output = printed();
    EXPECT_EQ(output.code, ExitCode::Environment);
    EXPECT_NE(output.err.find("no display"), std::string::npos) << output.err;
}

}  // namespace
}  // namespace fabricast
