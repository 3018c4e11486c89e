#include "tests/hardware_profiles/json_schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> jsonFiles(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".json") {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    return files;
}

/// "gpus" for "gpu"; software has no plural.
std::string folderOf(const std::string& kind) {
    return kind == "software" ? kind : kind + "s";
}

class ProfileSchema : public testing::TestWithParam<std::pair<const char*, std::size_t>> {};

TEST_P(ProfileSchema, AcceptsEveryShippedFile) {
    const auto [kind, atLeast] = GetParam();
    const json schema = schemaOf(kind);
    const std::vector<fs::path> files = jsonFiles(kProfiles / folderOf(kind));
    EXPECT_GE(files.size(), atLeast);
    for (const fs::path& file : files) {
        const json profile = readJson(file);
        EXPECT_EQ(complaints(schema, profile), "") << file;
        EXPECT_EQ(profile.at("name"), file.stem().string());
    }
}

// 24 GPUs, 23 nodes and 28 fabrics are in the fact sheet the files started from; 8 GPUs more are
// named by published runs.
INSTANTIATE_TEST_SUITE_P(Kinds,
                         ProfileSchema,
                         testing::Values(std::pair{"gpu", 32U},
                                         std::pair{"node", 23U},
                                         std::pair{"fabric", 28U},
                                         std::pair{"cluster", 18U},
                                         std::pair{"model", 150U},
                                         std::pair{"kernel", 32U},
                                         std::pair{"collective", 20U},
                                         std::pair{"software", 4U},
                                         std::pair{"interval", 1U},
                                         std::pair{"price", 2U},
                                         std::pair{"site", 2U},
                                         std::pair{"host", 1U},
                                         std::pair{"runtime", 1U}));

TEST(SourcesSchema, AcceptsTheTableOfSources) {
    EXPECT_EQ(complaints(schemaOf("sources"), readJson(kProfiles / "sources.json")), "");
}

TEST(CorrectionSchema, BoundsTheFactors) {
    const json schema = schemaOf("correction");
    json ours = {{"schema", "fabricast.correction/1"},
                 {"name", "ours"},
                 {"title", "Our machine"},
                 {"source", "fitted"},
                 {"from", "ours.csv"},
                 {"gpu", "h100-sxm5-80gb"},
                 {"clock", 0.87},
                 {"network", 1},
                 {"runs", 12},
                 {"median_error", {{"before", 0.13}, {"after", 0.02}}}};
    EXPECT_EQ(complaints(schema, ours), "");
    ours["clock"] = 3;
    EXPECT_NE(complaints(schema, ours), "");
    json second = {
        {"schema", "fabricast.correction/2"},
        {"name", "ours"},
        {"title", "Our machine"},
        {"source", "fitted"},
        {"from", "ours.csv"},
        {"date", "2026-11-20"},
        {"gpu", "h100-sxm5-80gb"},
        {"factors", {{{"factor", "bf16"}, {"speed", 0.87}, {"error", 0.02}, {"runs", 12}}}},
        {"runs", 12},
        {"groups", 4},
        {"median_error", {{"before", 0.13}, {"after", 0.02}}},
        {"intervals", json::array()}};
    EXPECT_EQ(complaints(schema, second), "");
    json third = second;
    third["schema"] = "fabricast.correction/3";
    EXPECT_NE(complaints(schema, third), "");  // no runs to compare with
    third["like"] = json::array();
    EXPECT_EQ(complaints(schema, third), "");
    third["like"].push_back({{"run", "own-1"}});
    EXPECT_NE(complaints(schema, third), "");
    second["factors"][0]["factor"] = "speed";
    EXPECT_NE(complaints(schema, second), "");
}

TEST(ModelSchema, RefusesAShapeWithoutSizes) {
    const json schema = schemaOf("model");
    const json good = readJson(kProfiles / "models" / "grok-1.json");
    ASSERT_EQ(complaints(schema, good), "");
    for (const char* key :
         {"/shape", "/shape/layers", "/shape/attention/heads", "/shape/moe/top_k"}) {
        json bad = good;
        const json::json_pointer at(key);
        bad[at.parent_pointer()].erase(at.back());
        EXPECT_NE(complaints(schema, bad), "") << "without " << key;
    }
    for (const char* key : {"/shape/hiden", "/shape/moe/expert", "/cofnig"}) {
        json bad = good;
        bad[json::json_pointer(key)] = 8;
        EXPECT_NE(complaints(schema, bad), "") << "with " << key;
    }
}

TEST(ProfileSchema, RefusesWhatIsNotAProfile) {
    struct Edit {
        const char* at;
        json value;
    };
    const std::vector<Edit> edits = {{"/memroy", 1},
                                     {"/memory", "80 GB"},
                                     {"/memory/value", 80},
                                     {"/memory/value", "80"},
                                     {"/memory/value", "80 W"},
                                     {"/memory/value", nullptr},   // a source of no value
                                     {"/memory/source", nullptr},  // a value of no source
                                     {"/memory/source", "hearsay"},
                                     {"/memory_bandwidth/value", "3.35 TB"},
                                     {"/multiprocessors/value", "132"},
                                     {"/dense_peak/int3", json::object()},
                                     {"/schema", "fabricast.node/1"},
                                     {"/name", "H100"}};
    const json schema = schemaOf("gpu");
    const json good = readJson(kProfiles / "gpus" / "h100-sxm5-80gb.json");
    ASSERT_EQ(complaints(schema, good), "");
    for (const Edit& edit : edits) {
        json bad = good;
        bad[json::json_pointer(edit.at)] = edit.value;
        EXPECT_NE(complaints(schema, bad), "") << edit.at << " = " << edit.value;
    }
    for (const char* key : {"schema", "name", "memory", "memory_bandwidth", "dense_peak", "link"}) {
        json bad = good;
        bad.erase(key);
        EXPECT_NE(complaints(schema, bad), "") << "without " << key;
    }
}

TEST(TopologySchema, BoundsDevicesAndRates) {
    const json schema = schemaOf("topology");
    const json good =
        readJson(fs::path(FABRICAST_SOURCE_DIR) / "tests/cases/topology/two_boxes.json");
    EXPECT_EQ(complaints(schema, good), "");
    json bad = good;
    bad["links"][0]["bandwidth"] = "64";
    EXPECT_NE(complaints(schema, bad), "");
    bad = good;
    bad["nodes"][0]["gpus"] = 8;
    EXPECT_NE(complaints(schema, bad), "");
}

}  // namespace
}  // namespace fabricast
