#include "planner/profiles/model_spelling.h"

#include "planner/profiles/profile_store.h"
#include "tests/support/case_table.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace fabricast {
namespace {

TEST(ModelSpelling, OneArchitectureHasOneStem) {
    EXPECT_EQ(modelStem("meta-llama/Llama-3.1-8B-Instruct"), modelStem("llama3.1:8b"));
    EXPECT_EQ(modelStem("Qwen3-235B-A22B-Instruct-2507"), modelStem("qwen3_235b_a22b"));
    EXPECT_EQ(modelStem("gemma-3-4b-it"), modelStem("gemma3-4b-pt"));
    EXPECT_EQ(modelStem("deepseek-ai/DeepSeek-V3-0324"), modelStem("deepseek-v3"));
    EXPECT_EQ(modelStem("jina-20240806"), modelStem("jina"));
    EXPECT_EQ(modelStem("x-250115"), modelStem("x"));
    for (const char* const date : {"2025-01-31", "2025-01", "2024-02-29", "2025.01.31", "0229"}) {
        EXPECT_EQ(modelStem(std::string("llama-3.1-8b-") + date), modelStem("llama-3.1-8b"));
    }
    for (const char* const word : {"9999",
                                   "2513",
                                   "0231999",
                                   "1332",
                                   "20249901",
                                   "250140",
                                   "20250230",
                                   "250229",
                                   "0230",
                                   "2025-02-30",
                                   "2025-13",
                                   "2025"}) {
        EXPECT_NE(modelStem(std::string("qwen3-8b-") + word), modelStem("qwen3-8b")) << word;
    }
    EXPECT_NE(modelStem("llama-3.1-8b"), modelStem("llama-3-8b"));
    EXPECT_EQ(modelStem("llama-3.1-8b-"), "");
    EXPECT_EQ(modelStem("meta-llama/"), "");
    EXPECT_NE(modelStem("qwen2.5-7b"), modelStem("qwen2-57b"));
    EXPECT_NE(modelStem("mixtral-8x7b"), modelStem("mixtral-8x22b"));
}

/// Else a spelling could mean two models.
TEST(ModelSpelling, BuiltInModelsHaveStemsOfTheirOwn) {
    std::map<std::string, std::string> names;
    const ProfileStore store = ProfileStore::builtIn();
    for (const ProfileFile& file : store.files(ProfileKind::Model)) {
        if (!file.name.ends_with("-instruct")) {
            const auto [at, isNew] = names.emplace(modelStem(file.name), file.name);
            EXPECT_TRUE(isNew) << file.name << " and " << at->second;
        }
    }
}

/// As people paste them: with the organisation, what it was tuned for, its date, how it is stored.
TEST(ModelSpelling, NamesOfTheHubAreKnown) {
    const ProfileStore store = ProfileStore::builtIn();
    const CsvTable table = CsvTable::read(FABRICAST_SOURCE_DIR "/tests/cases/model_names.csv");
    ASSERT_GT(table.rows(), 100U);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const Result<ProfileFile> found = store.model(table.text(row, "hub"), "model");
        ASSERT_TRUE(found) << found.error().text();
        EXPECT_EQ(found->name, table.text(row, "name")) << table.text(row, "hub");
    }
}

TEST(ModelSpelling, WordsAreFoundInAnyOrder) {
    EXPECT_TRUE(hasWordsOf("llama-3.1-70b", "llama-70b"));
    EXPECT_FALSE(hasWordsOf("llama-3.1-70b", "llama-8b"));
    EXPECT_FALSE(hasWordsOf("llama-3.1-70b", ""));
}

}  // namespace
}  // namespace fabricast
