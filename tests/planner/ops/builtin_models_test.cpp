#include "planner/models/model_file.h"
#include "planner/ops/parameters.h"
#include "planner/text/text_files.h"
#include "tests/support/case_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace fabricast {
namespace {

const std::string kCases = FABRICAST_SOURCE_DIR "/tests/cases/";
const std::filesystem::path kModels = FABRICAST_SOURCE_DIR "/hardware_profiles/models";

/// Every shipped model by its name.
std::map<std::string, ModelProfile> shippedModels() {
    std::map<std::string, ModelProfile> models;
    for (const auto& entry : std::filesystem::directory_iterator(kModels)) {
        const Result<std::string> text = readTextFile(entry.path().string());
        const Result<ModelProfile> profile = parseModelProfile(*text, entry.path().string());
        EXPECT_TRUE(profile) << profile.error().text();
        if (profile) {
            EXPECT_EQ(profile->model.name, entry.path().stem().string());
            EXPECT_FALSE(profile->source.empty()) << profile->model.name;
            models[profile->model.name] = *profile;
        }
    }
    return models;
}

TEST(BuiltinModels, AllRead) {
    EXPECT_GE(shippedModels().size(), 150U);
}

TEST(BuiltinModels, NamesAndAliasesAreOnePerModelAndLowerCase) {
    std::set<std::string> seen;
    for (const auto& [name, profile] : shippedModels()) {
        std::vector<std::string> names = profile.aliases;
        names.push_back(name);
        for (const std::string& one : names) {
            EXPECT_TRUE(seen.insert(one).second) << one;
            EXPECT_TRUE(std::none_of(one.begin(), one.end(), [](char letter) {
                return letter >= 'A' && letter <= 'Z';
            })) << one;
        }
    }
}

TEST(BuiltinModels, CountIsThePublishersWhereHeSaysIt) {
    int published = 0;
    for (const auto& [name, profile] : shippedModels()) {
        if (profile.publishedParameters) {
            EXPECT_EQ(countParameters(profile.model).total, *profile.publishedParameters) << name;
            EXPECT_FALSE(profile.publishedSource.empty()) << name;
            ++published;
        }
    }
    EXPECT_GE(published, 55);
}

TEST(BuiltinModels, CountIsWhatTransformersBuildsOrTheFormulaSays) {
    const auto models = shippedModels();
    const CsvTable table = CsvTable::read(kCases + "builtin_models.csv");
    ASSERT_GE(table.rows(), 145U);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        ASSERT_TRUE(models.contains(table.text(row, "name"))) << table.text(row, "name");
        const ParameterCount count = countParameters(models.at(table.text(row, "name")).model);
        EXPECT_EQ(count.total, table.integer(row, "total")) << table.text(row, "name");
        EXPECT_EQ(count.active, table.integer(row, "active")) << table.text(row, "name");
        EXPECT_EQ(count.embedding, table.integer(row, "embedding")) << table.text(row, "name");
        EXPECT_EQ(count.head, table.integer(row, "lm_head")) << table.text(row, "name");
    }
}

TEST(BuiltinModels, CountRoundsToThePublishedSize) {
    const auto models = shippedModels();
    const CsvTable table = CsvTable::read(kCases + "published_sizes.csv");
    ASSERT_GE(table.rows(), 20U);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        ASSERT_TRUE(models.contains(table.text(row, "name"))) << table.text(row, "name");
        const auto total =
            static_cast<double>(countParameters(models.at(table.text(row, "name")).model).total);
        EXPECT_NEAR(total / 1e9, table.number(row, "billions"), table.number(row, "tolerance"))
            << table.text(row, "name");
    }
}

}  // namespace
}  // namespace fabricast
