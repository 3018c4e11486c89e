#include "planner/profiles/profile_store.h"
#include "planner/profiles/read_kernels.h"
#include "planner/text/text_files.h"
#include "probes/fit/csv_rows.h"
#include "probes/fit/fit_attention.h"
#include "probes/fit/fit_gemm.h"
#include "probes/fit/fit_tables.h"
#include "probes/fit/nelder_mead.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

namespace fabricast {
namespace {

const std::string kTables = FABRICAST_SOURCE_DIR "/tests/cases/kernels/measured_";

KernelProfile shipped(const char* gpu) {
    return *ProfileStore::builtIn().gpu(gpu)->kernels;
}

/// A grid of shapes, timed by a fit itself.
std::vector<MeasuredGemm> timedBy(const KernelProfile& kernels, const GemmFit& fit) {
    std::vector<MeasuredGemm> rows;
    for (const std::int64_t m : {128, 512, 1000, 4096, 16384}) {
        for (const std::int64_t n : {512, 1536, 4096, 14336}) {
            for (const std::int64_t k : {512, 2048, 6144, 16384}) {
                MeasuredGemm row;
                row.gemm = {.m = m, .n = n, .k = k};
                row.time = gemmTime(kernels, fit, row.gemm, {.sustained = false});
                rows.push_back(row);
            }
        }
    }
    return rows;
}

TEST(NelderMead, FindsTheValleyOfRosenbrock) {
    const Objective banana = [](std::span<const double> at) {
        return std::pow(1 - at[0], 2) + 100 * std::pow(at[1] - at[0] * at[0], 2);
    };
    const SearchResult found =
        minimise(banana, {-1.2, 1.0}, {.evaluations = 2000, .tolerance = 1e-14});
    EXPECT_NEAR(found.at[0], 1.0, 1e-4);
    EXPECT_NEAR(found.at[1], 1.0, 1e-4);
}

TEST(FitGemm, FindsTheNumbersThatMadeTheTimes) {
    const KernelProfile kernels = shipped("h100-sxm5-80gb");
    const GemmFit truth = *kernels.fit(GemmType::Bf16);
    GemmFit start = truth;
    start.efficiency = 0.6;
    start.prologueDepth = 40;
    start.waveFraction = 0.7;
    start.launch = Seconds(8e-6);
    start.bandwidthEfficiency = 0.6;
    start.joinPower = 2;
    const auto fitted = fitGemm(kernels, start, timedBy(kernels, truth));
    ASSERT_TRUE(fitted) << fitted.error().text();
    // Not every number shows in every shape: the times are what must come back.
    EXPECT_LT(fitted->fit.error.mean, 0.01);
    EXPECT_NEAR(fitted->fit.efficiency / truth.efficiency, 1.0, 0.03);
    EXPECT_NEAR(fitted->fit.launch / truth.launch, 1.0, 0.2);
    EXPECT_EQ(fitted->fit.source, Source::Fitted);
}

TEST(FitGemm, RefusesWhatTheRowsDoNotSay) {
    const KernelProfile kernels = shipped("h100-sxm5-80gb");
    const GemmFit truth = *kernels.fit(GemmType::Bf16);
    std::vector<MeasuredGemm> rows = timedBy(kernels, truth);
    // Times of a machine that does not exist: a hundred times the peak.
    for (MeasuredGemm& row : rows) {
        row.time = row.time * 0.01;
    }
    const auto impossible = fitGemm(kernels, truth, rows);
    ASSERT_FALSE(impossible);
    EXPECT_NE(impossible.error().where.find("efficiency"), std::string::npos)
        << impossible.error().text();
    rows.resize(20);
    const auto few = fitGemm(kernels, truth, rows);
    ASSERT_FALSE(few);
    EXPECT_NE(few.error().why.find("too few"), std::string::npos);
}

TEST(FitGemm, ReadsLayoutFactorsFromPairsOfRows) {
    const Gemm tall{.m = 4096, .n = 4096, .k = 4096};
    std::vector<MeasuredGemm> rows(3);
    rows[0].gemm = rows[1].gemm = rows[2].gemm = tall;
    rows[0].time = Seconds(1e-3);
    rows[1].gemm.layout = GemmLayout::Nt;
    rows[1].time = Seconds(1.1e-3);
    rows[2].gemm.layout = GemmLayout::Nn;
    rows[2].gemm.k = 1024;  // no other of this size
    EXPECT_DOUBLE_EQ(layoutFactor(rows, GemmLayout::Nt), 1.1);
    EXPECT_EQ(layoutFactor(rows, GemmLayout::Nn), 0.0);
}

TEST(CsvRows, SaysWhereATableIsWrong) {
    MeasuredTables tables;
    const auto why = [&](const std::string& text) {
        const Result<void> added = addMeasuredTable(text, "t.csv", tables);
        return added ? "accepted" : added.error().text();
    };
    const std::string head = "gpu,dtype,m,n,k,layout,us,source,notes\n";
    EXPECT_EQ(why(head + "h100,bf16,1,2,3,TN,5,lab,\n"), "accepted");
    EXPECT_TRUE(
        why(head + "h100,bf16,1,2,3,TN,-5,lab,\n").starts_with("t.csv:2: \"us\" is \"-5\""));
    for (const char* const time : {"1e-300", "1e300", "1e-7", "2e16"}) {
        EXPECT_NE(why(head + "h100,bf16,1,2,3,TN," + time + ",lab,\n")
                      .find("t.csv:2: \"us\" is \"" + std::string(time) + "\", which is no time"),
                  std::string::npos)
            << time;
    }
    EXPECT_EQ(why(head + "h100,bf16,1,2,3,TT,5,lab,\n"),
              "t.csv:2: \"layout\" is \"TT\", which is none of TN, NN, NT");
    const std::string attention =
        "gpu,dtype,batch,seq,heads,kv_heads,head_dim,causal,direction,us,source,notes\n";
    EXPECT_EQ(why(attention + "h100,bf16,1,4096,32,8,128,yes,fwd,900,lab,\n"),
              "t.csv:2: \"causal\" is \"yes\", which is none of 1, 0");
    EXPECT_EQ(why(attention + "h100,bf16,1,4096,32,8,128,1,backward,900,lab,\n"),
              "t.csv:2: \"direction\" is \"backward\", which is none of fwd, bwd, fwd+bwd");
    EXPECT_TRUE(why(head + "# note\nh100,bf16,x,2,3,TN,5,lab,\n").starts_with("t.csv:3: \"m\""));
    EXPECT_TRUE(why(head + "h100,bf16\n").starts_with("t.csv:2: has 2 cells"));
    EXPECT_TRUE(why("a,b\n1,2\n").starts_with("t.csv: has the columns of no table"));
    EXPECT_TRUE(why("").starts_with("t.csv: is empty"));
    EXPECT_EQ(why(head + "h100,int4,1,2,3,TN,5,lab,\n"), "accepted");
    EXPECT_EQ(tables.gemms.size(), 1U);
}

// The shipped tables are a part of those the shipped kernels were fitted to.
TEST(FitProgram, FitsTheShippedTablesAsWellAsTheShippedKernels) {
    const std::vector<std::string> arguments = {"--gpu",
                                                "a100-sxm4-80gb",
                                                "--from",
                                                "our lab",
                                                kTables + "gemm.csv",
                                                kTables + "attention.csv"};
    const auto answer = runFit(arguments);
    ASSERT_TRUE(answer) << answer.error().text();
    const Result<JsonValue> json = parseJson(answer->profile, "fit.json");
    ASSERT_TRUE(json) << json.error().text();
    const Result<KernelProfile> kernels = readKernelFit(*json);
    ASSERT_TRUE(kernels) << kernels.error().text();
    const GemmFit* fit = kernels->fit(GemmType::Bf16);
    ASSERT_NE(fit, nullptr);
    EXPECT_LT(fit->error.mean, 0.08) << answer->report;
    EXPECT_GT(fit->error.mean, 0.0);
    EXPECT_NEAR(fit->efficiency, shipped("a100-sxm4-80gb").fit(GemmType::Bf16)->efficiency, 0.05);
    EXPECT_LT(kernels->attention.front().error.mean, 0.08) << answer->report;
    EXPECT_NE(answer->report.find("1e11 to 1e12"), std::string::npos);
    // What was not measured stays, and is marked.
    EXPECT_EQ(kernels->grouped.source, Source::Assumed);
    EXPECT_EQ(kernels->fit(MemoryOp::Norm).efficiency,
              shipped("a100-sxm4-80gb").fit(MemoryOp::Norm).efficiency);
    const auto again = runFit(arguments);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->profile, answer->profile);
}

// As of records: what no such GPU can have run is of another, or of another unit.
TEST(FitProgram, RefusesRowsThatNoSuchGpuCanHaveRun) {
    const auto why = [](const std::string& columns, const std::string& row) {
        const std::string table = tempFolder() + "impossible.csv";
        std::ofstream(table) << columns << "\n" << row << "\n";
        const auto answer = runFit(std::vector<std::string>{"--gpu", "a100-sxm4-80gb", table});
        return answer ? std::string("accepted") : answer.error().text();
    };
    const std::string products = "gpu,dtype,m,n,k,layout,us,source,notes";
    EXPECT_TRUE(why(products, "a100-sxm4-80gb,bf16,8192,8192,8192,TN,3500,lab,")
                    .find("nothing could be fitted") != std::string::npos);
    const std::string fast = why(products, "a100-sxm4-80gb,bf16,8192,8192,8192,TN,350,lab,");
    EXPECT_NE(fast.find("impossible.csv:2: no a100-sxm4-80gb is so fast: 3.14 PFLOP/s in bf16"),
              std::string::npos)
        << fast;
    const std::string passes =
        why("gpu,op,dtype,us,bytes,source,notes", "a100-sxm4-80gb,norm,bf16,100,1e9,lab,");
    EXPECT_NE(passes.find("impossible.csv:2: no a100-sxm4-80gb is so fast: "), std::string::npos)
        << passes;
}

TEST(FitProgram, SaysWhatItNeeds) {
    const auto why = [](const std::vector<std::string>& arguments) {
        const auto answer = runFit(arguments);
        return answer ? std::string("accepted") : answer.error().text();
    };
    EXPECT_TRUE(why({}).starts_with("--gpu: is missing"));
    EXPECT_TRUE(why({"--gpu", "l40s"}).starts_with("TABLE.csv: is missing"));
    EXPECT_TRUE(why({"--gpu"}).starts_with("--gpu: needs a value"));
    EXPECT_TRUE(why({"--gpus", "l40s"}).starts_with("--gpus: is no flag"));
    EXPECT_TRUE(why({"--gpu", "l40-s", "x.csv"}).find("l40s") != std::string::npos);
    EXPECT_TRUE(why({"--gpu", "l40s", "--cached", "x", "x.csv"}).starts_with("--cached"));
    const std::string table = kTables + "gemm.csv";
    // No row of the tables is of this GPU.
    EXPECT_TRUE(why({"--gpu", "h20-96gb", table}).find("nothing could be fitted") !=
                std::string::npos);
}

}  // namespace
}  // namespace fabricast
