#include "cli/nccl_comparison.h"

#include "cli/run_program.h"
#include "tests/support/golden.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>

namespace fabricast {
namespace {

const std::string kHead = "{\"schema\":\"fabricast.nccl_costs/1\",\"nccl\":\"2.28.9\"}\n";

std::string callOf(const std::string& what, const std::string& times) {
    return "{" + what + ",\"us\":{" + times + "}}\n";
}

/// What NCCL says on eight H100 and on two nodes of them, made up near its model.
std::string dump() {
    return kHead +
           callOf("\"collective\":\"all_reduce\",\"bytes\":1024,\"ranks\":8,\"nodes\":1",
                  "\"tree\":{\"ll\":15.3},\"ring\":{\"ll\":14.98},\"nvls\":{\"simple\":25.1}") +
           callOf("\"collective\":\"all_reduce\",\"bytes\":268435456,\"ranks\":8,\"nodes\":1",
                  "\"ring\":{\"simple\":1350.5},\"nvls\":{\"simple\":700.25}") +
           callOf("\"collective\":\"all_gather\",\"bytes\":1000000,\"ranks\":16,\"nodes\":2",
                  "\"ring\":{\"ll\":99.5,\"ll128\":60.25,\"simple\":90}") +
           callOf("\"collective\":\"all_reduce\",\"bytes\":4096,\"ranks\":2,\"nodes\":2",
                  "\"ring\":{\"ll\":21.5}") +
           callOf("\"collective\":\"reduce\",\"bytes\":64,\"ranks\":8,\"nodes\":1,\"operations\":3",
                  "\"ring\":{\"ll\":30}") +
           callOf("\"collective\":\"reduce\",\"bytes\":64,\"ranks\":16,\"nodes\":1",
                  "\"ring\":{\"ll\":30}") +
           callOf("\"collective\":\"reduce\",\"bytes\":64,\"ranks\":1,\"nodes\":1",
                  "\"ring\":{\"ll\":30}") +
           callOf("\"collective\":\"collective8\",\"bytes\":64,\"ranks\":8,\"nodes\":1",
                  "\"ring\":{\"ll\":30}");
}

std::string written(const std::string& name, const std::string& text) {
    const std::string path = testing::TempDir() + "/" + name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
}

/// Paths differ from run to run.
std::string withoutFolder(std::string text) {
    const std::string folder = testing::TempDir() + "/";
    for (std::size_t at = 0; (at = text.find(folder)) != std::string::npos;) {
        text.erase(at, folder.size());
    }
    return text;
}

TEST(NcclComparison, SetsNcclsOwnEstimatesBesideOurs) {
    const std::string path = written("nccl_costs.jsonl", dump());
    const std::vector<std::string> words = {
        "calibrate", "--from-nccl-tuner", path, path, "--machine", "dgx-h100"};
    const ProgramOutput text = runProgram(words, {});
    EXPECT_EQ(text.code, ExitCode::Ok) << text.err;
    expectGolden("nccl_comparison.txt", withoutFolder(text.out));
    std::vector<std::string> json = words;
    json.insert(json.end(), {"--format", "json"});
    expectGolden("nccl_comparison.json", withoutFolder(runProgram(json, {}).out));
}

TEST(NcclComparison, TheModelIsAskedForTheSameGroup) {
    const auto estimates = parseNcclEstimates(dump(), "costs.jsonl");
    ASSERT_TRUE(estimates);
    const auto comparison = compareNccl(ProfileStore::builtIn(), "dgx-h100", *estimates);
    ASSERT_TRUE(comparison) << comparison.error().text();
    ASSERT_EQ(comparison->rows.size(), 4U);
    EXPECT_EQ(comparison->leftOut.size(), 4U);
    for (const ComparedEstimate& row : comparison->rows) {
        EXPECT_TRUE(std::isfinite(row.model.seconds.count()));
        EXPECT_GT(row.model.seconds.count(), 0.0);
        EXPECT_GT(row.forecast.seconds.count(), 0.0);
        EXPECT_NEAR(
            row.off(), row.model.seconds.count() / row.nccl.choice().time.count() - 1, 1e-12);
    }
    // One rank in each of two nodes has no NVLink to use, and eight in one have no network.
    EXPECT_GT(comparison->rows[3].model.seconds, comparison->rows[0].model.seconds * 1.1);
}

TEST(NcclComparison, MistakesNameTheirFlagOrFile) {
    const std::string good = written("nccl_good.jsonl", dump());
    const auto why = [](std::vector<std::string> words) {
        words.insert(words.begin(), "calibrate");
        const ProgramOutput output = runProgram(words, {});
        EXPECT_EQ(output.code, ExitCode::BadInput) << output.out;
        return withoutFolder(output.err.substr(0, output.err.find('\n')));
    };
    EXPECT_EQ(why({"--from-nccl-tuner", good}),
              "error: --machine: is missing: a dump of NCCL's tuner does not say on which machine");
    EXPECT_EQ(why({"--from-nccl-tuner", good, "--machine", "dgx-h100", "--profile", "x"}),
              "error: --profile: is not for --from-nccl-tuner: NCCL's own estimates are no "
              "measurements, and nothing is made of them");
    EXPECT_EQ(why({"--from-nccl-tuner", good, "--from-record", good}),
              "error: --from-nccl-tuner: compares estimates, and --from-record and "
              "--from-nccl-tests fit measurements");
    EXPECT_EQ(why({"--from-nccl-tuner", good, "--machine", "dgx-h100", "--engine", "nccl"}),
              "error: --engine: is for measuring, and --from-nccl-tuner measures nothing");
    EXPECT_EQ(why({"--from-nccl-tuner", good, "--machine", "no-such"}).substr(0, 18),
              "error: --machine: ");
    const std::string cut = written("nccl_cut.jsonl", dump().substr(0, 200));
    EXPECT_EQ(why({"--from-nccl-tuner", cut, "--machine", "dgx-h100"}).substr(0, 24),
              "error: nccl_cut.jsonl:3:")
        << why({"--from-nccl-tuner", cut, "--machine", "dgx-h100"});
}

}  // namespace
}  // namespace fabricast
