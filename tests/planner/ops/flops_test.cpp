#include "planner/ops/flops.h"

#include "planner/models/model_file.h"
#include "planner/text/text_files.h"
#include "tests/support/case_table.h"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>

namespace fabricast {
namespace {

ModelSpec shipped(const std::string& name) {
    const std::string path = FABRICAST_SOURCE_DIR "/hardware_profiles/models/" + name + ".json";
    return *parseModel(*readTextFile(path), path);
}

FlopsConvention conventionNamed(const std::string& name) {
    for (const FlopsConventionText& text : flopsConventions()) {
        if (text.name == name) {
            return text.convention;
        }
    }
    throw std::runtime_error("no convention " + name);
}

double perToken(const ModelSpec& model, std::int64_t sequence, FlopsConvention convention) {
    return flopsPerToken(model, sequence, convention)->count();
}

TEST(Flops, PerTokenIsWhatEachConventionSays) {
    const std::map<std::string, FlopsRecomputed> recomputed{
        {"nothing", FlopsRecomputed::Nothing},
        {"attention_core", FlopsRecomputed::AttentionCore},
        {"everything", FlopsRecomputed::Everything}};
    const CsvTable table = CsvTable::read(FABRICAST_SOURCE_DIR "/tests/cases/flops_per_token.csv");
    ASSERT_GE(table.rows(), 20U);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        SCOPED_TRACE(table.text(row, "model") + " " + table.text(row, "convention"));
        const Result<Flops> flops = flopsPerToken(shipped(table.text(row, "model")),
                                                  table.integer(row, "sequence"),
                                                  conventionNamed(table.text(row, "convention")),
                                                  recomputed.at(table.text(row, "recomputed")));
        ASSERT_TRUE(flops) << flops.error().text();
        const double expected = table.number(row, "expected");
        EXPECT_NEAR(flops->count(), expected, expected * table.number(row, "relative_tolerance"));
    }
}

TEST(Flops, PredictionLayersAndTheirLogitsCount) {
    ModelSpec model = shipped("deepseek-v3");
    model.mtpDepth = 0;
    EXPECT_NEAR(perToken(model, 4096, FlopsConvention::Megatron), 2.5045e11, 5e6);
}

TEST(Flops, OurCountIsMegatronsButForTheDiagonal) {
    const ModelSpec model = shipped("llama-3.1-8b");
    // Token i sees i positions, itself included: (s+1)/2 on average, in Megatron s/2.
    const double diagonal = 6.0 * 32 * 32 * 128;
    EXPECT_DOUBLE_EQ(perToken(model, 8192, FlopsConvention::Matmul),
                     perToken(model, 8192, FlopsConvention::Megatron) + diagonal);
}

TEST(Flops, WindowsCutTheScores) {
    EXPECT_DOUBLE_EQ(meanTokensSeen(4, 0), 2.5);
    EXPECT_DOUBLE_EQ(meanTokensSeen(4, 2), 1.75);  // 1, 2, 2, 2
    EXPECT_DOUBLE_EQ(meanTokensSeen(4, 4), 2.5);
    const ModelSpec model = shipped("gpt-oss-20b");
    EXPECT_LT(perToken(model, 8192, FlopsConvention::Matmul),
              perToken(model, 8192, FlopsConvention::Megatron));
}

TEST(Flops, ConventionsRefuseModelsTheyHaveNoFormulaFor) {
    const Result<Flops> gqa =
        flopsPerToken(shipped("llama-3-8b"), 8192, FlopsConvention::Megatron2021);
    ASSERT_FALSE(gqa);
    EXPECT_EQ(gqa.error().code, Error::Code::Unsupported);
    EXPECT_FALSE(flopsPerToken(shipped("deepseek-v3"), 4096, FlopsConvention::Nemo));
    EXPECT_FALSE(flopsPerToken(
        shipped("llama-3-8b"), 8192, FlopsConvention::SixN, FlopsRecomputed::Everything));
}

TEST(Flops, FoundryCountsCheckpointingAsOneMoreForward) {
    const ModelSpec model = shipped("llm-foundry-mpt-7b");
    const double once = perToken(model, 2048, FlopsConvention::LlmFoundry);
    EXPECT_DOUBLE_EQ(
        flopsPerToken(model, 2048, FlopsConvention::LlmFoundry, FlopsRecomputed::Everything)
            ->count(),
        once * 4 / 3);
}

}  // namespace
}  // namespace fabricast
