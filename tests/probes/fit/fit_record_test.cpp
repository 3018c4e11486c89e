#include "probes/fit/fit_record.h"

#include "planner/compute/gemm_time.h"
#include "planner/text/text_files.h"
#include "probes/fit/fit_kernels.h"
#include "probes/fit/fit_tables.h"
#include "probes/fit/left_out.h"
#include "probes/fit/record_tables.h"
#include "tests/probes/fit/record_lines.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace fabricast {
namespace {

/// A GPU like the H200 that reaches less, and whose launches cost more.
KernelProfile madeUpGpu(const ProfileStore& store) {
    KernelProfile kernels = *store.gpu("h200")->kernels;
    GemmFit& fit = *kernels.gemm[static_cast<std::size_t>(GemmType::Bf16)];
    fit.efficiency *= 0.8;
    fit.launch = Seconds(9e-6);
    return kernels;
}

std::vector<Gemm> grid(const std::vector<std::int64_t>& sizes) {
    std::vector<Gemm> gemms;
    for (const std::int64_t m : sizes) {
        for (const std::int64_t n : sizes) {
            for (const std::int64_t k : sizes) {
                gemms.push_back({.m = m, .n = n, .k = k});
            }
        }
    }
    return gemms;
}

/// Their lines, as that GPU times them; every twentieth is wildly off, and none above the peak.
std::string gemmLines(const KernelProfile& kernels, const std::vector<Gemm>& gemms, bool wild) {
    std::string lines;
    std::size_t number = 0;
    for (const Gemm& gemm : gemms) {
        const double factor = wild && ++number % 20 == 7 ? (number % 40 < 20 ? 6.0 : 0.2) : 1.0;
        const double seconds =
            gemmTime(kernels, *kernels.fit(GemmType::Bf16), gemm, {.sustained = false}).count();
        constexpr double kPeak = 989e12;
        const double least = wild ? gemm.flops().count() / kPeak : 0.0;
        lines += lineOf("gemm dtype=bf16 layout=tn m=" + std::to_string(gemm.m) +
                            " n=" + std::to_string(gemm.n) + " k=" + std::to_string(gemm.k),
                        std::max(seconds * factor, least));
    }
    return lines;
}

/// The worst error of a written profile on shapes, against the GPU that was measured.
double worstError(const ProfileStore& store, const KernelProfile& truth) {
    const KernelProfile fitted = *store.gpu("h200")->kernels;
    double worst = 0.0;
    for (const Gemm& gemm : grid({1024, 3000, 8192})) {
        const double expected =
            gemmTime(truth, *truth.fit(GemmType::Bf16), gemm, {.sustained = false}).count();
        const double found =
            gemmTime(fitted, *fitted.fit(GemmType::Bf16), gemm, {.sustained = false}).count();
        worst = std::max(worst, std::abs(found / expected - 1));
    }
    return worst;
}

TEST(FitRecord, WildSamplesDoNotMoveTheFit) {
    const ProfileStore builtIn = ProfileStore::builtIn();
    const KernelProfile truth = madeUpGpu(builtIn);
    const auto fitted =
        fitRecord(builtIn,
                  recordOf(gemmLines(truth, grid({512, 1024, 2048, 4096, 6144, 16384}), true)),
                  {.name = "ours"});
    ASSERT_TRUE(fitted) << fitted.error().text();
    EXPECT_EQ(fitted->gpu, "h200-sxm-141gb");
    ASSERT_EQ(fitted->files.size(), 1U);
    EXPECT_EQ(fitted->files[0].path, "kernels/h200-sxm-141gb.json");
    EXPECT_NE(fitted->report.find("not measured, as before: attention, backward"),
              std::string::npos)
        << fitted->report;
    const TemporaryFolder folder("fabricast_fit_wild");
    const auto written = writeProfile(fitted->files, folder.path(), {});
    ASSERT_TRUE(written) << written.error().text();
    const auto store = ProfileStore::open(std::vector<std::string>{folder.path()});
    ASSERT_TRUE(store) << store.error().text();
    EXPECT_GT(worstError(builtIn, truth), 0.1);
    EXPECT_LT(worstError(*store, truth), 0.03) << fitted->report;
    EXPECT_NE(fitted->files[0].text.find(
                  "fabricast-probe-cuda, 2026-11-22, driver 580.95.05, cuda_runtime 13.0"),
              std::string::npos);
}

TEST(FitRecord, AFewProductsScaleWhatIsKnown) {
    const ProfileStore builtIn = ProfileStore::builtIn();
    const KernelProfile truth = madeUpGpu(builtIn);
    const auto fitted =
        fitRecord(builtIn, recordOf(gemmLines(truth, grid({2048, 8192}), false)), {.name = "ours"});
    ASSERT_TRUE(fitted) << fitted.error().text();
    const TemporaryFolder folder("fabricast_fit_few");
    ASSERT_TRUE(writeProfile(fitted->files, folder.path(), {}));
    const auto store = ProfileStore::open(std::vector<std::string>{folder.path()});
    ASSERT_TRUE(store);
    EXPECT_LT(worstError(*store, truth), 0.05) << fitted->report;
}

// Groups are judged by the host's own dense products: where those are not believed they are
// neither.
TEST(FitRecord, NothingIsFittedBesideWhatIsRefused) {
    const ProfileStore builtIn = ProfileStore::builtIn();
    const KernelProfile truth = madeUpGpu(builtIn);
    std::string groups;
    for (const std::int64_t tokens : {2048, 4096, 8192, 16384}) {
        for (const std::int64_t n : {2048, 4096, 8192}) {
            const GroupedGemm group{.experts = 8,
                                    .rowsPerExpert = static_cast<double>(tokens) / 8,
                                    .inputs = 4096,
                                    .outputs = n,
                                    .balanced = true};
            groups += lineOf("grouped_gemm dtype=bf16 experts=8 k=4096 n=" + std::to_string(n) +
                                 " tokens=" + std::to_string(tokens),
                             groupedGemmTime(truth, group, {.sustained = false}).count(),
                             R"("words":{"algorithm":"4 streams of cublaslt 66"},)");
        }
    }
    KernelProfile absurd = truth;
    absurd.gemm[static_cast<std::size_t>(GemmType::Bf16)]->efficiency *= 0.01;
    const auto gemms = grid({512, 1024, 2048, 4096, 8192});
    const auto found = fitRecord(builtIn, recordOf(gemmLines(absurd, gemms, false) + groups), {});
    const std::string said = found ? found->report : found.error().text();
    EXPECT_NE(said.find("gemm.bf16: not fitted"), std::string::npos) << said;
    EXPECT_NE(
        said.find("grouped: not fitted: its times are judged beside gemm.bf16, which was not"),
        std::string::npos)
        << said;
}

/// A line of a record that is refused, and words of the reason.
struct RefusedPoint {
    const char* point;
    double seconds;
    const char* facts;
    const char* why;
};

void expectRefused(std::span<const RefusedPoint> points, const char* said) {
    const ProfileStore builtIn = ProfileStore::builtIn();
    for (const RefusedPoint& one : points) {
        const auto fitted = fitRecord(
            builtIn, recordOf(lineOf(one.point, one.seconds, one.facts)), {.name = "ours"});
        ASSERT_FALSE(fitted) << one.point;
        const std::string text = fitted.error().text();
        EXPECT_EQ(text.find("run.jsonl:2"), 0U) << text;
        EXPECT_NE(text.find(said), std::string::npos) << text;
        EXPECT_NE(text.find(one.why), std::string::npos) << text;
    }
}

// Times of another unit, or of a clock that jumped: 1.1 TFLOP take 1.1 ms at the peak of an H200.
TEST(FitRecord, RefusesWhatNoSuchGpuIsSlowEnoughFor) {
    const RefusedPoint cases[] = {
        {"gemm dtype=bf16 layout=tn m=1024 n=1024 k=1024", 5.0, "", "FLOP/s in bf16"},
        {"gemm dtype=bf16 layout=tn m=8192 n=8192 k=8192", 2.0, "", "FLOP/s in bf16"},
        {"attention batch=8 causal=0 dim=128 dtype=bf16 heads=32 kv_heads=8 pass=forward "
         "sequence=1024",
         10.0,
         R"("words":{"algorithm":"cudnn"},)",
         "FLOP/s in bf16"},
        {"memory op=copy bytes=1G", 700.0, R"("facts":{"bytes":1073741824},)", "MB/s"},
    };
    expectRefused(cases, "no h200-sxm-141gb is so slow");
}

// As in a log of nccl-tests: a line that no such GPU can have made is damaged, or of another one.
TEST(FitRecord, RefusesWhatNoSuchGpuReaches) {
    const RefusedPoint cases[] = {
        {"gemm dtype=bf16 layout=tn m=8192 n=8192 k=8192", 0.5e-3, "", "PFLOP/s in bf16"},
        {"gemm dtype=fp16 layout=nt m=8192 n=8192 k=8192", 0.5e-3, "", "PFLOP/s in fp16"},
        {"grouped_gemm dtype=bf16 experts=8 k=4096 n=4096 tokens=16384",
         0.3e-3,
         R"("words":{"algorithm":"4 streams of cublaslt 66"},)",
         "PFLOP/s in bf16"},
        {"attention batch=8 causal=0 dim=128 dtype=bf16 heads=32 kv_heads=8 pass=forward "
         "sequence=8192",
         3e-3,
         R"("words":{"algorithm":"cudnn"},)",
         "PFLOP/s in bf16"},
        {"memory op=copy bytes=1G",
         0.1e-3,
         R"("facts":{"bytes":1073741824},)",
         "TB/s beside what its cache holds"},
    };
    expectRefused(cases, "no h200-sxm-141gb is so fast");
}

TEST(FitRecord, RefusesWhatBeginsLaterOfTheSameDay) {
    const ProfileStore builtIn = ProfileStore::builtIn();
    const auto whyAt = [&](const char* now) {
        const auto fitted = fitRecord(builtIn,
                                      recordOf(lineOf("memory op=copy bytes=1G", 1e-3)),
                                      {.name = "ours", .today = "2026-11-22", .now = now});
        return fitted ? std::string() : fitted.error().why;
    };
    EXPECT_EQ(whyAt("2026-11-22T18:59:59Z"),
              "was measured at 2026-11-22T19:00:00Z, which is in the future");
    EXPECT_EQ(whyAt("2026-11-22T19:00:00Z").find("future"), std::string::npos);
}

TEST(FitRecord, RefusesADayBeforeTheFirstCuda) {
    std::string head = kHead;
    head.replace(head.find("2026-11-22"), 10, "1969-01-01");
    const auto fitted = fitRecord(ProfileStore::builtIn(),
                                  recordOf(lineOf("memory op=copy bytes=1G", 1e-3), head),
                                  {.name = "ours"});
    ASSERT_FALSE(fitted);
    EXPECT_EQ(fitted.error().why, "was measured on 1969-01-01, which is before the first CUDA");
}

TEST(FitRecord, SaysOfAKernelWhatItWasAndIs) {
    const ProfileStore builtIn = ProfileStore::builtIn();
    std::string lines;
    for (const std::int64_t bytes : {1 << 28, 1 << 29, 1 << 30}) {
        for (const std::int64_t times : {1, 3}) {
            lines += lineOf("memory op=copy bytes=" + std::to_string(bytes * times),
                            2e-6 + static_cast<double>(bytes * times) / 3.6e12,
                            "\"facts\":{\"bytes\":" + std::to_string(bytes * times) + "},");
        }
    }
    const auto fitted = fitRecord(builtIn, recordOf(lines), {.name = "ours"});
    ASSERT_TRUE(fitted) << fitted.error().text();
    const std::string begin =
        "kernels of h200-sxm-141gb: 6 points\n"
        "memory.copy: 6 points\n"
        "  efficiency 0.866 -> 0.75, launch_us 3.82 -> 2\n"
        "  bytes         points  mean error  9 in 10 below     bias\n"
        "  all                6       0.0 %          0.0 %  ";
    EXPECT_EQ(fitted->report.substr(0, begin.size()), begin);
    EXPECT_NE(fitted->report.find("not measured, as before: gemm, attention, backward, grouped, "
                                  "layout (h200-sxm-141gb)\n"),
              std::string::npos);
}

/// Records and tables of the same times end in the same numbers.
TEST(FitRecord, FitsWhatTheTablesOfOthersFit) {
    const std::string table =
        *readTextFile(FABRICAST_SOURCE_DIR "/tests/cases/kernels/measured_gemm.csv");
    MeasuredTables tables;
    ASSERT_TRUE(addMeasuredTable(table, "gemm.csv", tables));
    std::erase_if(tables.gemms, [](const MeasuredGemm& row) {
        return row.gpu != "h200_sxm" || row.gemm.type != GemmType::Bf16 ||
               row.gemm.layout != GemmLayout::Tn || row.gemm.accumulateFp32;
    });
    ASSERT_GE(tables.gemms.size(), 40U);
    std::string lines;
    std::map<std::string, std::size_t> seen;
    std::vector<MeasuredGemm> once;
    for (const MeasuredGemm& row : tables.gemms) {
        const std::string point = "gemm dtype=bf16 layout=tn m=" + std::to_string(row.gemm.m) +
                                  " n=" + std::to_string(row.gemm.n) +
                                  " k=" + std::to_string(row.gemm.k);
        if (seen[point]++ == 0) {
            lines += lineOf(point, row.time.count());
            once.push_back(row);
        }
    }
    tables.gemms = once;
    const ProfileStore builtIn = ProfileStore::builtIn();
    const auto ofTable = fitKernels(*builtIn.gpu("h200")->kernels, tables, {});
    const auto ofRecord = fitRecord(builtIn, recordOf(lines), {.name = "ours"});
    ASSERT_TRUE(ofTable && ofRecord);
    const TemporaryFolder folder("fabricast_fit_tables");
    ASSERT_TRUE(writeProfile(ofRecord->files, folder.path(), {}));
    const auto store = ProfileStore::open(std::vector<std::string>{folder.path()});
    const GemmFit fromTable = *ofTable->kernels.fit(GemmType::Bf16);
    const GemmFit record = *store->gpu("h200")->kernels->fit(GemmType::Bf16);
    EXPECT_NEAR(record.efficiency, fromTable.efficiency, 1e-3 * fromTable.efficiency);
    EXPECT_NEAR(record.launch.count(), fromTable.launch.count(), 1e-3 * fromTable.launch.count());
    EXPECT_NEAR(record.error.mean, fromTable.error.mean, 1e-3 * fromTable.error.mean);
    EXPECT_LT(record.error.mean, 0.08);
}

TEST(FitRecord, MemoryAndAdamAreFittedBeyondTheCache) {
    std::string lines;
    for (const double bytes : {1e6, 1e7, 2e8, 4e8, 8e8, 1.6e9, 3.2e9, 6.4e9}) {
        // Three quarters of the bandwidth; in the cache, five times that.
        const double seconds = 2e-6 + bytes / (bytes < 1e8 ? 18e12 : 3.6e12);
        const std::string facts = "\"facts\":{\"bytes\":" + std::to_string(bytes) + "},";
        const std::string size = std::to_string(static_cast<std::int64_t>(bytes));
        lines += lineOf("memory op=copy bytes=" + size, seconds, facts);
        lines += lineOf("adam form=flat parameters=" + size, seconds * 2, facts);
    }
    lines += lineOf("transfer bytes=1000000000 kind=h2d", 0.1, R"("facts":{"bytes":1e9},)");
    const ProfileStore builtIn = ProfileStore::builtIn();
    const auto fitted = fitRecord(builtIn, recordOf(lines), {.name = "ours"});
    ASSERT_TRUE(fitted) << fitted.error().text();
    const TemporaryFolder folder("fabricast_fit_memory");
    ASSERT_TRUE(writeProfile(fitted->files, folder.path(), {}));
    const auto store = ProfileStore::open(std::vector<std::string>{folder.path()});
    const KernelProfile kernels = *store->gpu("h200")->kernels;
    EXPECT_NEAR(kernels.fit(MemoryOp::Copy).efficiency, 0.75, 0.01) << fitted->report;
    EXPECT_NEAR(kernels.fit(MemoryOp::Optimizer).efficiency, 0.375, 0.01);
    EXPECT_NE(fitted->report.find("node: not fitted: --machine says whose"), std::string::npos)
        << fitted->report;
}

TEST(FitRecord, AttentionThatCudnnRefusedIsNoneOfCudnns) {
    const std::string point =
        "attention pass=backward dtype=bf16 batch=1 heads=32 kv_heads=8 sequence=4096 dim=128 "
        "causal=1";
    const auto tables = [&](const std::string& algorithm) {
        const auto made = recordTables(
            recordOf(lineOf(point, 1e-3, R"("words":{"algorithm":")" + algorithm + R"("},)"))
                .points);
        EXPECT_TRUE(made) << made.error().text();
        return made ? *made : RecordTables{};
    };
    EXPECT_EQ(tables("cudnn").tables.attentions.size(), 1U);
    for (const char* refused :
         {"written out (backward: cuDNN: CUDNN_STATUS_NOT_SUPPORTED)", "written out (no cuDNN)"}) {
        EXPECT_TRUE(tables(refused).tables.attentions.empty()) << refused;
        EXPECT_EQ(tables(refused).leftOut.size(), 1U) << refused;
    }
}

TEST(FitRecord, ExpertsOnOneStreamAreNotThoseOnSeveral) {
    const std::string point = "grouped_gemm dtype=bf16 experts=8 tokens=8192 n=4096 k=4096";
    const auto rows = [&](const std::string& how, const std::string& algorithm) {
        const auto made = recordTables(
            recordOf(lineOf(point + how, 1e-3, R"("words":{"algorithm":")" + algorithm + R"("},)"))
                .points);
        EXPECT_TRUE(made) << made.error().text();
        return made ? made->tables.experts.size() : 9;
    };
    EXPECT_EQ(rows("", "4 streams of cublaslt 66"), 1U);
    EXPECT_EQ(rows(" how=streams", "4 streams of cublaslt 66"), 1U);
    EXPECT_EQ(rows("", "loop of cublaslt 66"), 0U);
    EXPECT_EQ(rows(" how=loop", "loop of cublaslt 66"), 0U);
    EXPECT_EQ(rows(" how=grouped", "cublas grouped"), 0U);
}

TEST(FitRecord, CollectivesNeedTheirMachine) {
    const std::string head = R"({"schema":"fabricast.measurements/1","machine":{"nccl":"2.28.9"},)"
                             R"("program":"fabricast-probe-nccl","begun":"2026-11-22T19:00:00Z"})"
                             "\n";
    const MergedMeasurements record =
        recordOf(lineOf("all_reduce bytes=1M nodes=1 ranks=8", 3e-5) +
                     lineOf("all_reduce bytes=64M nodes=1 ranks=8", 3e-4),
                 head);
    const ProfileStore builtIn = ProfileStore::builtIn();
    const auto nowhere = fitRecord(builtIn, record, {.name = "ours"});
    ASSERT_FALSE(nowhere);
    EXPECT_EQ(nowhere.error().where, "--machine");
    EXPECT_FALSE(fitRecord(builtIn, record, {.name = "ours", .machine = "no-such"}));
    const auto fitted = fitRecord(builtIn, record, {.name = "ours", .machine = "dgx-h100"});
    ASSERT_TRUE(fitted) << fitted.error().text();
    ASSERT_EQ(fitted->files.size(), 1U);
    EXPECT_EQ(fitted->files[0].path, "collectives/measured-ours.json");
    const TemporaryFolder folder("fabricast_fit_collectives");
    const auto written = writeProfile(fitted->files, folder.path(), {});
    EXPECT_TRUE(written) << written.error().text();
    const MergedMeasurements damaged =
        recordOf(lineOf("all_reduce bytes=1M nodes=1 ranks=8", 3.0) +
                     lineOf("all_reduce bytes=64M nodes=1 ranks=8", 3e-4),
                 head);
    const auto refused = fitRecord(builtIn, damaged, {.name = "ours", .machine = "dgx-h100"});
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().why.find("tenfold"), std::string::npos) << refused.error().text();
}

/// Records of other programs say nothing of when collectives were measured.
TEST(FitRecord, CollectivesHaveTheirOwnDay) {
    const auto record = [](const std::string& program, const std::string& day, const auto& lines) {
        return *parseMeasurements(
            R"({"schema":"fabricast.measurements/1","machine":{},"program":")" + program +
                R"(","begun":")" + day + "T10:00:00Z\"}\n" + lines,
            program + ".jsonl");
    };
    const auto joined = mergeMeasurements(
        {record("nccl-tests", "2026-11-12", lineOf("all_reduce bytes=1M nodes=1 ranks=8", 3e-5)),
         record("fabricast-probe-host", "2026-11-28", lineOf("memory op=copy threads=2", 3e-5))});
    ASSERT_TRUE(joined) << joined.error().text();
    const auto fitted =
        fitRecord(ProfileStore::builtIn(), *joined, {.name = "ours", .machine = "dgx-h100"});
    ASSERT_TRUE(fitted) << fitted.error().text();
    const std::string& text = fitted->files[0].text;
    EXPECT_NE(text.find("\"date\": \"2026-11-12\""), std::string::npos) << text;
    EXPECT_NE(text.find("\"from\": \"nccl-tests, 2026-11-12\""), std::string::npos) << text;
    EXPECT_EQ(text.find("2026-11-28"), std::string::npos) << text;
}

TEST(FitRecord, SaysWhatItCannotDo) {
    const ProfileStore builtIn = ProfileStore::builtIn();
    const auto few = fitRecord(
        builtIn, recordOf(lineOf("gemm dtype=bf16 m=8192 n=8192 k=8192", 1e-3)), {.name = "ours"});
    ASSERT_FALSE(few);
    EXPECT_NE(few.error().why.find("1 points are too few"), std::string::npos)
        << few.error().text();
    const auto strange =
        fitRecord(builtIn, recordOf(lineOf("gemm dtype=int8 m=1 n=1 k=1", 1e-3)), {.name = "ours"});
    ASSERT_FALSE(strange);
    EXPECT_EQ(strange.error().text(),
              "run.jsonl:2:1: 'gemm dtype=int8 k=1 m=1 n=1': dtype=int8 is none that can be fitted "
              "(bf16, fp16, tf32, fp32 or fp8)");
    const std::string other =
        R"({"schema":"fabricast.measurements/1","machine":{"gpu":"NVIDIA Z9"}})"
        "\n";
    const auto unknown = fitRecord(
        builtIn, recordOf(lineOf("gemm dtype=bf16 m=8192 n=8192 k=8192", 1e-3), other), {});
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().where, "--gpu");
}

TEST(FitRecord, TakesNoUnknownGpuForThatOfTheMachine) {
    const auto errorOf = [](const std::string& gpu) {
        const std::string head = R"({"schema":"fabricast.measurements/1","machine":{"gpu":")" +
                                 gpu +
                                 R"("},"program":"fabricast-probe-nccl"})"
                                 "\n";
        const auto fitted =
            fitRecord(ProfileStore::builtIn(),
                      recordOf(lineOf("all_reduce bytes=1M nodes=1 ranks=8", 3e-5) +
                                   lineOf("all_reduce bytes=64M nodes=1 ranks=8", 3e-4),
                               head),
                      {.name = "ours", .machine = "dgx-h100"});
        return fitted ? "" : fitted.error().text();
    };
    EXPECT_EQ(errorOf("NVIDIA H100 80GB HBM3"), "");
    EXPECT_NE(
        errorOf("NVIDIA Zoltrax 9").find("is no GPU of a profile, and dgx-h100 has h100-sxm5"),
        std::string::npos)
        << errorOf("NVIDIA Zoltrax 9");
}

TEST(FitRecord, SaysWhatWouldBeFitted) {
    const std::string head =
        R"({"schema":"fabricast.measurements/1","machine":{"gpu":"NVIDIA H100 80GB HBM3"},)"
        R"("program":"fabricast-probe-nccl"})"
        "\n";
    const auto hintOf = [&](const std::string& lines, const std::string& name) {
        const auto fitted = fitRecord(
            ProfileStore::builtIn(), recordOf(lines, head), {.name = name, .machine = "dgx-h100"});
        return fitted ? "" : fitted.error().text();
    };
    EXPECT_NE(hintOf("", "ours").find("a record with points"), std::string::npos);
    EXPECT_NE(hintOf(lineOf("all_reduce bytes=1M nodes=1 ranks=1", 3e-5), "ours")
                  .find("a record of two ranks or more"),
              std::string::npos);
    const std::string eight = lineOf("all_reduce bytes=1M nodes=1 ranks=8", 3e-5) +
                              lineOf("all_reduce bytes=64M nodes=1 ranks=8", 3e-4);
    EXPECT_EQ(hintOf(eight, "ours"), "");
    EXPECT_EQ(hintOf(eight, "h100-sxm"),
              "--name: \"h100-sxm\" makes measured-h100-sxm, which is built in and would be hidden "
              "(--name our-h100-sxm)");
}

TEST(FitRecord, TheSameRecordGivesTheSameBytesAgain) {
    const ProfileStore builtIn = ProfileStore::builtIn();
    const TemporaryFolder folder("fabricast_fit_again");
    const std::string file = tempFolder() + "fabricast_fit_again.jsonl";
    std::ofstream(file) << kHead << gemmLines(madeUpGpu(builtIn), grid({2048, 8192}), false);
    const std::string place = folder.path() + "/kernels/h200-sxm-141gb.json";
    std::string first;
    for (const std::vector<std::string>& more :
         {std::vector<std::string>(), {}, {"--profile-dir", folder.path()}}) {
        std::vector<std::string> words = {"record", file, "--name", "ours", "--out", folder.path()};
        words.insert(words.end(), more.begin(), more.end());
        const auto answer = runFit(words);
        ASSERT_TRUE(answer) << answer.error().text();
        std::ifstream in(place);
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        EXPECT_NE(text.find("\"fp8_gemm\""), std::string::npos) << "what is built in stays";
        first = first.empty() ? text : first;
        EXPECT_EQ(text, first);
    }
}

TEST(FitRecord, TheProgramWritesAFolder) {
    const ProfileStore builtIn = ProfileStore::builtIn();
    const TemporaryFolder folder("fabricast_fit_program");
    const std::string file = tempFolder() + "fabricast_fit_program.jsonl";
    std::ofstream(file) << kHead << gemmLines(madeUpGpu(builtIn), grid({2048, 8192}), false);
    const auto answer =
        runFit(std::vector<std::string>{"record", file, "--name", "ours", "--out", folder.path()});
    ASSERT_TRUE(answer) << answer.error().text();
    EXPECT_TRUE(std::filesystem::exists(folder.path() + "/kernels/h200-sxm-141gb.json"));
    const auto why = [](const std::vector<std::string>& arguments) {
        const auto refused = runFit(arguments);
        return refused ? "accepted" : refused.error().text();
    };
    // A profile that somebody wrote is not replaced unasked.
    std::vector<std::string> again = {"record", file, "--name", "ours", "--out", folder.path()};
    EXPECT_EQ(why(again), "accepted");
    const std::string place = folder.path() + "/kernels/h200-sxm-141gb.json";
    std::ofstream(place) << "my notes";
    EXPECT_NE(why(again).find("not valid JSON"), std::string::npos) << why(again);
    std::ofstream(place) << R"({"schema": "fabricast.kernel/1", "name": "h200-sxm-141gb",
                                "title": "mine", "donor": "h100-sxm5-80gb",
                                "extra_error": {"value": 0.1, "source": "assumed",
                                                "note": "a guess"}})";
    EXPECT_NE(why(again).find("was not made by a measurement"), std::string::npos) << why(again);
    again.emplace_back("--force");
    EXPECT_EQ(why(again), "accepted");
    EXPECT_EQ(why({"record", file, "--name", "ours"}),
              "--out: is missing (fabricast-fit record run.jsonl --name ours --machine dgx-h100 "
              "--out measured)");
    EXPECT_EQ(why({"record", file, "--name", "Our Own", "--out", "x"}),
              "--name: 'Our Own' is no name of a profile (--name our-own)");
    EXPECT_EQ(why({"record", file, "--name", "../x", "--out", "x"}),
              "--name: '../x' is no name of a profile (--name x)");
    EXPECT_EQ(why({"record", file, "--name", "--/..", "--out", "x"}),
              "--name: '--/..' is no name of a profile (--name our-h100)");
    EXPECT_TRUE(why({"record", file, "--speed", "9"}).starts_with("--speed: is no flag of record"));
    EXPECT_TRUE(why({"record", file, "--speed"}).starts_with("--speed: is no flag of record"));
    EXPECT_TRUE(why({"record", file, "--name"}).starts_with("--name: needs a value"));
    const auto onto =
        runFit(std::vector<std::string>{"record", file, "--name", "o", "--out", file});
    ASSERT_FALSE(onto);
    EXPECT_EQ(onto.error().code, Error::Code::Environment);
    EXPECT_EQ(onto.error().hint, "--out and a folder that takes new files, with room");
    const std::string link = file + ".link";
    std::filesystem::remove(link);
    std::filesystem::create_symlink("not-there", link);
    EXPECT_EQ(why({"record", file, "--name", "o", "--out", link}),
              "--out: " + link + " is a link to " +
                  (std::filesystem::path(file).parent_path() / "not-there").string() +
                  ", which is not there (mkdir -p " +
                  (std::filesystem::path(file).parent_path() / "not-there").string() + ")");
}

/// Forward products of fp8 add up fast; a record of before the two were told apart is taken as it
/// is.
TEST(RecordTables, TakesFastAccumulationWhereBothWereMeasured) {
    const std::string slow = lineOf("gemm dtype=fp8 k=8192 layout=tn m=8192 n=8192", 9e-4);
    const std::string fast =
        lineOf("gemm dtype=fp8 fast_accum=1 k=8192 layout=tn m=8192 n=8192", 8e-4);
    const auto both = recordTables(recordOf(slow + fast).points);
    ASSERT_TRUE(both);
    ASSERT_EQ(both->tables.gemms.size(), 1U);
    EXPECT_EQ(both->tables.gemms.front().time.count(), 8e-4);
    ASSERT_EQ(both->leftOut.size(), 1U);
    EXPECT_NE(both->leftOut.front().find("fast_accum=1 was measured too"), std::string::npos);
    EXPECT_EQ(recordTables(recordOf(slow).points)->tables.gemms.size(), 1U);
}

}  // namespace
}  // namespace fabricast
