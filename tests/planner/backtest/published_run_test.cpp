#include "planner/backtest/backtest_runs.h"
#include "planner/backtest/forecast_run.h"
#include "planner/backtest/run_groups.h"
#include "planner/backtest/run_readings.h"
#include "planner/load/load_question.h"
#include "planner/ops/parameters.h"
#include "planner/text/text_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

const std::string kHeader =
    "id,model,layers,hidden,ffn,heads,kv_heads,vocab,seq,gpus,gpus_per_node,gpu,stack,dp,tp,pp,"
    "micro_batch,global_batch,precision,measured_step_s\n";

Result<std::vector<PublishedRun>> runsOf(const std::string& rows) {
    FABRICAST_ASSIGN(const CsvText table, parseCsv(kHeader + rows, "runs.csv"));
    return readRuns(table);
}

TEST(PublishedRun, BadCellsAreNamedByLineAndColumn) {
    const auto runs = runsOf(
        "a-1,llama,thirty,4096,,,,,,,,h100,fsdp2,,,,,,,\n"
        "a-2,llama,32,4096,,,,,,,,h100,fsdp2,,,,,,,1e13\n"
        "a-3,llama,32,4096,,,,,,,,h100,fsdp2,,,,,,,5\n");
    ASSERT_TRUE(runs) << runs.error().text();
    EXPECT_EQ(runs->at(0).unreadable.value().where, "runs.csv:2, column layers");
    EXPECT_EQ(runs->at(1).unreadable.value().where, "runs.csv:3, column measured_step_s");
    EXPECT_FALSE(runs->at(2).unreadable);
}

/// A row of a table whose last columns have this name and these cells.
Result<std::vector<PublishedRun>> runsWith(const std::string& columns, const std::string& cells) {
    FABRICAST_ASSIGN(
        const CsvText table,
        parseCsv(
            "id,model,layers,hidden,ffn,heads,kv_heads,vocab,seq,gpus,gpus_per_node,gpu,stack,"
            "dp,tp,micro_batch,global_batch," +
                columns +
                "\na-1,Llama3 8B,32,4096,14336,32,8,128256,8192,8,8,h100_sxm,megatron-core,4,2,"
                "1,64," +
                cells + "\n",
            "runs.csv"));
    return readRuns(table);
}

TEST(PublishedRun, ASubsetIsReadInEitherCaseAndCountsWhereItIsNotRead) {
    EXPECT_TRUE(runsWith("tier,core", "a,Y")->front().counts);
    EXPECT_FALSE(runsWith("tier,core", "C,y")->front().counts);
    EXPECT_FALSE(runsWith("tier,core", "A,n")->front().counts);
    EXPECT_FALSE(runsWith("tier,core", "A,")->front().counts);
    for (const auto& [cells, column] :
         {std::pair("A,yes", "column core"), std::pair("Z,y", "column tier")}) {
        const auto runs = runsWith("tier,core", cells);
        EXPECT_TRUE(runs->front().counts) << cells;
        EXPECT_NE(runs->front().unreadable.value().where.find(column), std::string::npos) << cells;
    }
}

TEST(PublishedRun, AFileWithoutGpusIsRefused) {
    const auto table = parseCsv("id,model,stack\n", "runs.csv");
    ASSERT_TRUE(table);
    const auto runs = readRuns(*table);
    ASSERT_FALSE(runs);
    EXPECT_NE(runs.error().why.find("'gpu'"), std::string::npos);
}

class Forecasts : public testing::Test {
protected:
    static void SetUpTestSuite() {
        profiles = new ProfileStore(ProfileStore::builtIn());
        catalog = new RunCatalog(RunCatalog::open(*profiles).value());
        timing = new TimingProfiles(loadTiming(*profiles).value());
    }
    static RunForecast of(const std::string& row) {
        static std::vector<PublishedRun> runs;
        runs = runsOf(row).value();
        return forecastRun(runs.front(), *catalog, *timing);
    }
    static const ProfileStore* profiles;
    static const RunCatalog* catalog;
    static const TimingProfiles* timing;
};
const ProfileStore* Forecasts::profiles = nullptr;
const RunCatalog* Forecasts::catalog = nullptr;
const TimingProfiles* Forecasts::timing = nullptr;

TEST_F(Forecasts, TakesTheBuiltInModelOfTheShape) {
    const auto runs = runsOf(
        "a-1,Llama3 8B,32,4096,14336,32,8,128256,8192,8,8,h100_sxm,fsdp2,8,1,1,1,64,bf16,5\n");
    ASSERT_TRUE(runs);
    const auto scenario = runScenario(runs->front(), *catalog);
    ASSERT_TRUE(scenario) << scenario.error().text();
    EXPECT_EQ(scenario->scenario.model.attention.kvHeads, 8);
    EXPECT_EQ(scenario->scenario.cluster.node.gpu.name, "h100-sxm5-80gb");
    EXPECT_EQ(scenario->scenario.layout.shard, Shard::Fsdp);
}

/// The stated size tells a model of two matrices in the MLP from a built-in one of three that has
/// the same widths, and a table of positions is as long as the sequence.
TEST_F(Forecasts, TakesTheKindOfMlpThatTheStatedSizeHas) {
    const auto modelOf = [](const std::string& shape, const std::string& size) {
        const std::string columns = "model,layers,hidden,ffn,heads,vocab,seq";
        const CsvText table =
            parseCsv("id,gpu,stack,gpus,micro_batch,global_batch,params_b," + columns +
                         "\na-1,h100,fsdp2,8,1,64," + size + "," + shape + "\n",
                     "runs.csv")
                .value();
        return catalog->modelOf(readRuns(table).value().front()).value();
    };
    const std::string shape = "GPT-h2048-l16,16,2048,8192,16,,1024";
    EXPECT_EQ(modelOf(shape, "0.9127").mlp.kind, MlpKind::Plain);
    EXPECT_EQ(modelOf(shape, "1.48").mlp.kind, MlpKind::Gated);
    const ModelSpec mosaic = modelOf("MPT-3b,32,2560,10240,20,50368,65536", "2.81437");
    EXPECT_NEAR(static_cast<double>(countParameters(mosaic).total), 2.81437e9, 5e6);
}

/// Each table that a source may leave out, and what it rounds, is taken for the size of the model.
TEST_F(Forecasts, DoubtASizeThatTheModelCannotHave) {
    const auto doubts = [](const std::string& size) {
        const auto runs = runsWith("params_b", size).value();
        return doubtsOf(runs, *catalog).size();
    };
    for (const char* const size : {"8.03", "8", "7", "6.98"}) {
        EXPECT_EQ(doubts(size), 0U) << size;
    }
    for (const char* const size : {"3", "6.7", "8.6", "10", "405"}) {
        EXPECT_EQ(doubts(size), 1U) << size;
    }
}

TEST_F(Forecasts, RefusesARowThatSaysTooLittle) {
    const RunForecast forecast =
        of("a-1,Llama3 8B,32,4096,14336,32,8,128256,8192,8,8,h100_sxm,fsdp2,8,1,1,,64,bf16,5\n");
    EXPECT_FALSE(forecast.step);
    EXPECT_EQ(forecast.why, "micro_batch: the cell is empty");
}

TEST_F(Forecasts, ReadsAStackInAnyCaseAndListsThem) {
    const std::string row =
        "a-1,Llama3 8B,32,4096,14336,32,8,128256,8192,8,8,h100_sxm,FSDP2,8,1,1,1,64,bf16,5\n";
    EXPECT_EQ(of(row).why, "");
    std::string other = row;
    other.replace(other.find("FSDP2"), 5, "zorro");
    EXPECT_NE(of(other).why.find("torchtitan"), std::string::npos) << of(other).why;
}

TEST_F(Forecasts, RefusesWordsThatItWouldTakeForTheDefault) {
    for (const char* column : {"intra", "shard", "sp", "cp_kind", "optimizer"}) {
        const auto forecast = [column](const std::string& word) {
            return runScenario(runsWith(column, word).value().front(), *catalog);
        };
        EXPECT_TRUE(forecast("")) << column;
        const auto refused = forecast("zorro");
        ASSERT_FALSE(refused) << column;
        EXPECT_EQ(refused.error().where, column);
    }
}

TEST_F(Forecasts, MemoryThatTheGpuHasNotIsNotCompared) {
    const auto row = [](const std::string& gib) {
        const auto runs = runsWith("measured_mem_gib,memory_kind", gib + ",reserved").value();
        return backtestRows(runs, *catalog, *timing, {}).front();
    };
    EXPECT_TRUE(row("61").predictedGib);
    EXPECT_FALSE(row("61000").predictedGib);
    EXPECT_TRUE(row("61000").memoryWhy.starts_with("measured_mem_gib: more than the 80 GB"))
        << row("61000").memoryWhy;
    EXPECT_TRUE(row("61000").predictedStep);
}

TEST_F(Forecasts, RefusesNodesThatAreNotWholeAndRatesThatNoNetworkHas) {
    const auto whereOf = [](const std::string& gpusPerNode, const std::string& rate) {
        auto runs = runsWith("nic_gbps_per_gpu", rate).value();
        runs.front().gpusPerNode = std::stoll(gpusPerNode);
        const auto read = runScenario(runs.front(), *catalog);
        return read ? std::string() : read.error().where;
    };
    EXPECT_EQ(whereOf("8", "400"), "");
    EXPECT_EQ(whereOf("4", ""), "");
    EXPECT_EQ(whereOf("3", "400"), "gpus_per_node");
    EXPECT_EQ(whereOf("8", "400000"), "nic_gbps_per_gpu");
}

TEST_F(Forecasts, RefusesARowThatContradictsItself) {
    const auto why = [](const std::string& columns, const std::string& cells) {
        const auto runs = runsWith(columns, cells).value();
        return forecastRun(runs.front(), *catalog, *timing).why;
    };
    // 64 sequences of 8,192 tokens on 8 GPUs: 65,536 tokens of a GPU in a step.
    const std::string both = "measured_step_s,measured_tokens_s_gpu";
    EXPECT_EQ(why(both, "6.5536,10000"), "");
    EXPECT_EQ(why(both, "6.6,10000"), "");
    EXPECT_TRUE(why(both, "6553.6,10000").starts_with("measured_step_s: the row says"));
    EXPECT_TRUE(why(both, "6.5536,80000").starts_with("measured_step_s: the row says"));
    EXPECT_EQ(why("grad_accum", "16"), "");
    EXPECT_TRUE(why("grad_accum", "7").starts_with("grad_accum: 7, but"));
}

TEST_F(Forecasts, RefusesAStepThatNoGpuCouldRun) {
    const RunForecast forecast =
        of("a-1,Llama3 8B,32,4096,14336,32,8,128256,8192,8,8,h100_sxm,fsdp2,8,1,1,1,64,bf16,0.1\n");
    EXPECT_FALSE(forecast.step);
    EXPECT_TRUE(forecast.why.starts_with("measured_step_s: a step this short")) << forecast.why;
}

std::vector<PublishedRun> publishedRuns() {
    const std::string path = FABRICAST_SOURCE_DIR "/tests/cases/published/runs.csv";
    return readTextFile(path)
        .and_then([&](const std::string& text) { return parseCsv(text, path); })
        .and_then([](const CsvText& table) { return readRuns(table); })
        .value();
}

/// The balanced subset of complete published runs: the errors of forecasts.
TEST_F(Forecasts, OfPublishedRunsStayNearWhatWasMeasured) {
    std::vector<double> errors;
    std::size_t asked = 0;
    std::size_t turn = 0;
    for (const PublishedRun& run : publishedRuns()) {
        const bool counts = run.core && (run.tier == "A" || run.tier == "B") && run.stepSeconds;
        if (!counts || ++turn % 4 != 0) {  // every fourth keeps the test short
            continue;
        }
        ++asked;
        const RunForecast forecast = forecastRun(run, *catalog, *timing);
        if (const auto error = forecast.stepError()) {
            errors.push_back(std::abs(*error));
        }
    }
    ASSERT_GT(asked, 100U);
    EXPECT_GE(static_cast<double>(errors.size()), 0.95 * static_cast<double>(asked));
    std::sort(errors.begin(), errors.end());
    EXPECT_LT(errors[errors.size() / 2], 0.12);
}

/// What was measured had room. Nanotron is no stack that is supported.
TEST_F(Forecasts, OfPublishedRunsSayThatTheyFit) {
    std::vector<PublishedRun> asked;
    std::size_t turn = 0;
    for (const PublishedRun& run : publishedRuns()) {
        if (run.known && run.stack != "nanotron" && run.stepSeconds && ++turn % 3 == 0) {
            asked.push_back(run);
        }
    }
    Backtest backtest{.file = "runs.csv",
                      .rows = backtestRows(asked, *catalog, *timing, {.everyRow = true})};
    summariseRows(backtest);
    const auto& verdicts = backtest.all.verdicts;
    const auto count = [&](Verdict verdict) { return verdicts[static_cast<std::size_t>(verdict)]; };
    const std::size_t told = std::accumulate(verdicts.begin(), verdicts.end(), std::size_t{0});
    ASSERT_GT(told, 150U);
    EXPECT_LE(50 * count(Verdict::DoesNotFit), told);
    EXPECT_LE(10 * (count(Verdict::Unlikely) + count(Verdict::DoesNotFit)), told);
}

}  // namespace
}  // namespace fabricast
