#include "planner/text/text_files.h"
#include "tests/programs/real_rows/report_forecast.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace fabricast {
namespace {

const Workbench& bench() {
    static const Workbench opened = *Workbench::open({}, 1);
    return opened;
}

/// A table of one row, of the columns that are given.
struct OneRow {
    explicit OneRow(std::vector<std::pair<std::string, std::string>> cells) {
        std::string names;
        std::string values;
        for (const auto& [name, value] : cells) {
            names += (names.empty() ? "" : ",") + name;
            values += (values.empty() ? "" : ",") + ('"' + value + '"');
        }
        table = *parseCsv(names + "\n" + values + "\n", "row.csv");
    }
    [[nodiscard]] MemoryReport report() const { return {table, table.rows.front()}; }

    CsvText table;
};

std::vector<std::pair<std::string, std::string>> sevenBillion() {
    return {{"stack", "DeepSpeed ZeRO-3"},
            {"model", "Llama2-7B"},
            {"gpu", "A100-80GB"},
            {"gpus", "2"},
            {"layout", "zero3 dp2"},
            {"precision", "bf16"},
            {"tuning", "full"},
            {"seq", "2048"},
            {"micro_batch", "4"}};
}

TEST(MemoryReports, ReadTheWordsOfTheirOwners) {
    const Result<ReportForecast> forecast =
        forecastReport(OneRow(sevenBillion()).report(), bench());
    ASSERT_TRUE(forecast) << forecast.error().text();
    // As `explain --gpu a100-sxm4-80gb --gpus 2 --gpus-per-node 2 -m llama-2-7b --stack deepspeed
    // --layout shard=zero3,micro_batch=4 --seq 2048 --global-batch 8` says.
    EXPECT_NEAR(static_cast<double>(forecast->memory.peak.value.count()) / (1 << 30), 103.2, 0.5);
    EXPECT_EQ(forecast->memory.verdict, Verdict::DoesNotFit);
}

TEST(MemoryReports, AreRefusedByTheCellThatSaysTooLittle) {
    // Seven billion parameters may fit with a shorter sequence, or fewer of them.
    for (const char* column : {"model", "gpu", "gpus", "seq", "micro_batch"}) {
        auto cells = sevenBillion();
        for (auto& [name, value] : cells) {
            value = name == column ? "" : value;
            value = name == "layout" ? "zero3" : value;
        }
        const OneRow row(cells);
        const Result<ReportForecast> forecast = forecastReport(row.report(), bench());
        ASSERT_FALSE(forecast) << column;
        EXPECT_NE(forecast.error().text().find(column), std::string::npos)
            << forecast.error().text();
    }
}

TEST(MemoryReports, AreRefusedWhereTheRunIsNotModelled) {
    const std::pair<const char*, const char*> kChanged[] = {{"stack", "OpenRLHF PPO DeepSpeed"},
                                                            {"model", "LLaVA-1.5-7B"},
                                                            {"tuning", "ppo"},
                                                            {"precision", "int4"},
                                                            {"gpu", "A100"}};
    for (const auto& [column, words] : kChanged) {
        auto cells = sevenBillion();
        for (auto& [name, value] : cells) {
            value = name == column ? words : value;
        }
        const OneRow row(cells);
        EXPECT_FALSE(forecastReport(row.report(), bench())) << column;
    }
}

TEST(MemoryReports, HoldWhereEvenTheLeastDoesNotFit) {
    auto cells = sevenBillion();
    for (auto& [name, value] : cells) {
        value = name == "seq" || name == "micro_batch" ? "" : value;
        value = name == "gpu" ? "A100-40GB" : value;  // 16 bytes for each of 3.4 billion parameters
    }
    const OneRow row(cells);
    const Result<ReportForecast> forecast = forecastReport(row.report(), bench());
    ASSERT_TRUE(forecast) << forecast.error().text();
    EXPECT_EQ(forecast->memory.verdict, Verdict::DoesNotFit);
}

TEST(MemoryReports, AreJudgedByTheStageOfTheirRank) {
    std::vector<Bytes> peaks;
    for (const char* rank : {"rank0", "rank4 (stage 2)", "rank 6"}) {
        const OneRow row({{"stack", "Megatron-LM"},
                          {"model", "Qwen3-30B-A3B"},
                          {"gpu", "GH200-96GB"},
                          {"gpus", "8"},
                          {"layout", "tp1 pp4 ep2 dp2 dist-opt"},
                          {"seq", "4096"},
                          {"micro_batch", "4"},
                          {"global_batch", "96"},
                          {"rank_or_stage", rank}});
        const Result<ReportForecast> forecast = forecastReport(row.report(), bench());
        ASSERT_TRUE(forecast) << forecast.error().text();
        peaks.push_back(forecast->memory.peak.value);
        EXPECT_EQ(forecast->fullest().stage, (rank[4] == ' ' ? 6 : rank[4] - '0') / 2) << rank;
    }
    EXPECT_GT(peaks[0], peaks[1]);  // four microbatches are in flight, and two
}

TEST(MemoryReports, HaveTheLengthThatTheirSoftwareCutTo) {
    auto cells = sevenBillion();
    cells.push_back({"date", "2025-02-25"});
    cells.front().second = "open-r1 SFT (TRL + DeepSpeed)";
    const OneRow thatWeek(cells);
    const Result<ReportForecast> cut = forecastReport(thatWeek.report(), bench());
    cells.back().second = "2025-03-14";
    const OneRow later(cells);
    const Result<ReportForecast> whole = forecastReport(later.report(), bench());
    ASSERT_TRUE(cut && whole);
    EXPECT_LT(cut->fullest().allocated + Bytes(std::int64_t{5} << 30), whole->fullest().allocated);
}

/// The published rows: no more wrong verdicts than these, and each by its name.
TEST(MemoryReports, HaveTheVerdictThatTheirRunsShow) {
    const std::string file = FABRICAST_SOURCE_DIR "/tests/cases/memory/real/reports.csv";
    const CsvText table = *parseCsv(*readTextFile(file), file);
    std::vector<std::string> wrongFits;
    std::vector<std::string> likelyFits;
    std::vector<std::string> wrongMisfits;
    int failed = 0;
    int ran = 0;
    for (const CsvText::Row& row : table.rows) {
        const MemoryReport report(table, row);
        const Result<ReportForecast> forecast = forecastReport(report, bench());
        if (!forecast || !*report.fillsItsGpu()) {
            continue;
        }
        ++(report.ran() ? ran : failed);
        const Verdict verdict = forecast->memory.verdict;
        if (!report.ran() && verdict == Verdict::Fits) {
            wrongFits.push_back(report.text("id"));
        } else if (!report.ran() && verdict == Verdict::Likely) {
            likelyFits.push_back(report.text("id"));
        } else if (report.ran() && verdict >= Verdict::Unlikely) {
            wrongMisfits.push_back(report.text("id"));
        }
    }
    EXPECT_GE(failed, 10);
    EXPECT_GE(ran, 6);
    EXPECT_EQ(wrongFits, std::vector<std::string>());
    // After 8,402 steps of many lengths, whose gaps in the allocator are not forecast.
    EXPECT_EQ(likelyFits, std::vector<std::string>{"oom-0034"});
    EXPECT_EQ(wrongMisfits, std::vector<std::string>());
}

/// By the figures of a message, to the digits that it prints; not a number where one is missing.
double heldBesidePyTorch(const MemoryReport& report) {
    const auto gib = [&](const char* column) {
        return report.number(column).value().value_or(std::nan(""));
    };
    return gib("process_in_use_gib") - gib("allocated_gib") - gib("reserved_unallocated_gib");
}

// What a process holds beside PyTorch's memory grows with the GPU: a T4 has 40 multiprocessors.
TEST(MemoryReports, SayWhatAProcessHoldsOfASmallGpu) {
    const auto text = readTextFile(FABRICAST_SOURCE_DIR "/tests/cases/memory/real/reports.csv");
    const auto table = parseCsv(text.value(), "reports.csv").value();
    std::size_t seen = 0;
    for (const CsvText::Row& row : table.rows) {
        const MemoryReport report(table, row);
        const auto gpu = gpuOf(report);
        const bool isSmall =
            gpu && (gpu->profile == "t4" || gpu->profile == "l4" || gpu->profile == "a10g");
        const double held = heldBesidePyTorch(report);
        if (!isSmall || std::isnan(held) || report.text("gpus") == "8") {
            continue;
        }
        ++seen;
        const RuntimeMemory runtime = ProfileStore::builtIn().runtimeOf(gpu->profile).value();
        const auto sum = [](Bytes a, Bytes b) {
            return static_cast<double>((a + b).count()) / (1 << 30);
        };
        EXPECT_GT(held, sum(*runtime.context.lo, *runtime.kernels.lo) - 0.01) << report.text("id");
        EXPECT_LT(held, sum(*runtime.context.hi, *runtime.kernels.hi) + 0.01) << report.text("id");
        EXPECT_NEAR(held, sum(*runtime.context.value, *runtime.kernels.value), 0.03);
    }
    EXPECT_EQ(seen, 7U);
}

}  // namespace
}  // namespace fabricast
