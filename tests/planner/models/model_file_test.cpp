#include "planner/models/model_file.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast {
namespace {

const std::string kShape = R"({"schema": "fabricast.model/1", "name": "toy", "source": "here",
  "aliases": ["toy-1"], "published_parameters": {"value": 5, "source": "there"},
  "shape": {"layers": 4, "hidden": 64, "vocab": 100, "positions": 128, "norm": "layer",
            "norm_placement": "around", "window": [0, 8, 0, 8], "mtp_layers": 1,
            "attention": {"heads": 4, "kv_heads": 2, "head_dim": 32, "qk_norm": "per_head"},
            "mlp": {"kind": "plain", "width": 256, "bias": true},
            "moe": {"experts": 8, "top_k": 2, "expert_width": 32, "first_layer": 1, "every": 2,
                    "shared_width": 64, "sigmoid_score": true}}})";

TEST(ModelFile, SaysAShapeDirectly) {
    const Result<ModelProfile> profile = parseModelProfile(kShape, "models/toy.json");
    ASSERT_TRUE(profile) << profile.error().text();
    EXPECT_EQ(profile->aliases, std::vector<std::string>{"toy-1"});
    EXPECT_EQ(profile->publishedParameters, 5);
    const ModelSpec& model = profile->model;
    EXPECT_EQ(model.name, "toy");
    EXPECT_EQ(model.attention.headDim, 32);
    EXPECT_EQ(model.attention.qkNorm, QkNorm::PerHead);
    EXPECT_EQ(model.norm, NormKind::Layer);
    EXPECT_EQ(model.normsPerLayer, 4);
    EXPECT_EQ(model.mlp.kind, MlpKind::Plain);
    EXPECT_EQ(model.sparse, (std::vector<bool>{false, true, false, true}));
    EXPECT_EQ(model.window, (std::vector<std::int64_t>{0, 8, 0, 8}));
    EXPECT_EQ(model.moe->sharedWidth, 64);
    EXPECT_EQ(model.mtpDepth, 1);
}

TEST(ModelFile, HoldsAHuggingFaceConfig) {
    const Result<ModelProfile> profile = parseModelProfile(
        R"({"schema": "fabricast.model/1", "config": {"model_type": "llama", "hidden_size": 512}})",
        "models/small.json");
    ASSERT_TRUE(profile) << profile.error().text();
    EXPECT_EQ(profile->model.name, "small");
    EXPECT_EQ(profile->model.hidden, 512);
}

TEST(ModelFile, NamesAModelAfterItsFile) {
    const std::string config = R"({"model_type": "gpt2"})";
    EXPECT_EQ(parseModel(config, "a/my-gpt/config.json")->name, "my-gpt");
    EXPECT_EQ(parseModel(config, "a/my-gpt.json")->name, "my-gpt");
    EXPECT_EQ(parseModel(config, "config.json")->name, "config");
    EXPECT_EQ(parseModel(config, "-")->name, "-");
}

std::string edited(const std::string& from, const std::string& to) {
    std::string text = kShape;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

TEST(ModelFile, RefusesWhatItDoesNotUnderstand) {
    const std::vector<std::vector<std::string>> edits{
        {"fabricast.model/1", "fabricast.gpu/1", "toy.json:1:12", "not a model"},
        {"\"layers\": 4", "\"layrs\": 4", "toy.json:3:13", "layers"},
        {"\"layers\": 4", "\"layers\": 0", "toy.json:3:23", "from 1 to 1024"},
        {"[0, 8, 0, 8]", "[0, 8]", "toy.json:3:12", "each of the 4 layers"},
        {"\"per_head\"", "\"per_haed\"", "toy.json:5:81", "per_haed"},
        {", \"head_dim\": 32", ", \"head_dim\": 32.5", "toy.json:5:66", "32.5"},
        {"\"top_k\": 2", "\"top_k\": 9", "toy.json:3:12", "9 of 8"},
        {"\"name\": \"toy\"", "\"name\": \"\"", "toy.json:1:41", "letters"},
        {"\"shape\": {",
         "\"config\": {\"model_type\": \"gpt2\"}, \"shape\": {",
         "toy.json:1:1",
         "either"},
        {"\"source\": \"there\"", "\"from\": \"there\"", "toy.json:2:62", "from"}};
    for (const std::vector<std::string>& edit : edits) {
        const Result<ModelSpec> model = parseModel(edited(edit[0], edit[1]), "toy.json");
        ASSERT_FALSE(model) << edit[1];
        EXPECT_EQ(model.error().where, edit[2]) << model.error().text();
        EXPECT_NE(model.error().text().find(edit[3]), std::string::npos) << model.error().text();
    }
}

}  // namespace
}  // namespace fabricast
