#include "cli/run_program.h"
#include "tests/support/golden.h"
#include "tests/support/nccl_dump.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace fabricast {
namespace {

std::string written(const std::string& name, const std::string& text) {
    const std::string path = tempFolder() + "/" + name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
}

/// Paths differ from run to run.
std::string withoutFolder(std::string text) {
    const std::string folder = tempFolder() + "/";
    for (std::size_t at = 0; (at = text.find(folder)) != std::string::npos;) {
        text.erase(at, folder.size());
    }
    return text;
}

TEST(NcclComparison, SetsNcclsOwnEstimatesAgainstOurs) {
    const std::string path = written("nccl_costs.jsonl", ncclDump());
    const std::vector<std::string> words = {
        "calibrate", "--from-nccl-tuner", path, path, "--machine", "dgx-h100"};
    const ProgramOutput text = runProgram(words, {});
    EXPECT_EQ(text.code, ExitCode::Ok) << text.err;
    expectGolden("nccl_comparison.txt", withoutFolder(text.out));
    std::vector<std::string> json = words;
    json.insert(json.end(), {"--format", "json"});
    expectGolden("nccl_comparison.json", withoutFolder(runProgram(json, {}).out));
}

TEST(NcclComparison, MistakesNameTheirFlagOrFile) {
    const std::string good = written("nccl_good.jsonl", ncclDump());
    const auto why = [](std::vector<std::string> words) {
        words.insert(words.begin(), "calibrate");
        const ProgramOutput output = runProgram(words, {});
        EXPECT_EQ(output.code, ExitCode::BadInput) << output.out;
        return withoutFolder(output.err.substr(0, output.err.find('\n')));
    };
    EXPECT_EQ(why({"--from-nccl-tuner", good}),
              "error: --machine: is required: a dump of NCCL's tuner does not name the machine");
    EXPECT_EQ(
        why({"--from-nccl-tuner", good, "--machine", "dgx-h100", "--profile", "x"}),
        "error: --profile: cannot be used with --from-nccl-tuner: NCCL's own estimates are not "
        "measurements, so no profile is made of them");
    EXPECT_EQ(why({"--from-nccl-tuner", good, "--from-record", good}),
              "error: --from-nccl-tuner: compares estimates; --from-record and "
              "--from-nccl-tests fit measurements");
    EXPECT_EQ(why({"--from-nccl-tuner", good, "--machine", "dgx-h100", "--engine", "nccl"}),
              "error: --engine: is for measuring, but --from-nccl-tuner measures nothing");
    EXPECT_EQ(why({"--from-nccl-tuner", good, "--machine", "no-such"}).substr(0, 18),
              "error: --machine: ");
    const std::string cut = written("nccl_cut.jsonl", ncclDump().substr(0, 200));
    EXPECT_EQ(why({"--from-nccl-tuner", cut, "--machine", "dgx-h100"}).substr(0, 24),
              "error: nccl_cut.jsonl:3:")
        << why({"--from-nccl-tuner", cut, "--machine", "dgx-h100"});
}

}  // namespace
}  // namespace fabricast
