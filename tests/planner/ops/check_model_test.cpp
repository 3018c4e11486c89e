#include "planner/base/checked.h"
#include "planner/ops/parameters.h"
#include "planner/spec/check_settings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

namespace fabricast {
namespace {

ModelSpec sound() {
    ModelSpec model;
    model.layers = 2;
    model.hidden = 64;
    model.vocab = 100;
    model.attention = {.heads = 4, .kvHeads = 2, .headDim = 16};
    model.mlp.width = 128;
    return model;
}

TEST(CheckModel, RefusesWhatNobodyCouldBuild) {
    ASSERT_TRUE(checkModel(sound(), "m"));
    const std::vector<std::function<void(ModelSpec&)>> faults{
        [](ModelSpec& model) { model.layers = 0; },
        [](ModelSpec& model) { model.layers = kMostModelLayers + 1; },
        [](ModelSpec& model) { model.hidden = -1; },
        [](ModelSpec& model) { model.vocab = 0; },
        [](ModelSpec& model) { model.mlp.width = 0; },
        [](ModelSpec& model) { model.attention.kvHeads = 3; },
        [](ModelSpec& model) { model.attention.headDim = 0; },
        [](ModelSpec& model) { model.attention.kind = AttentionKind::Latent; },
        [](ModelSpec& model) { model.normsPerLayer = 5; },
        [](ModelSpec& model) { model.window = {8}; },
        [](ModelSpec& model) {
            model.sparse = {true, false, true};
        },
        [](ModelSpec& model) {
            model.sparse = {false, true};
        },
        [](ModelSpec& model) { model.moe = MoeSpec{.experts = 4, .topK = 5, .expertWidth = 8}; },
        [](ModelSpec& model) { model.moe = MoeSpec{.experts = 4, .topK = 1, .expertWidth = 0}; },
        [](ModelSpec& model) { model.hidden = model.vocab = kMostModelWidth; },
        [](ModelSpec& model) { model.learnedPositions = kMostModelWidth + 1; }};
    for (std::size_t i = 0; i < faults.size(); ++i) {
        ModelSpec model = sound();
        faults[i](model);
        const Result<void> checked = checkModel(model, "here");
        ASSERT_FALSE(checked) << i;
        EXPECT_EQ(checked.error().where, "here");
    }
}

/// Sizes over nine decades: whatever is accepted can be counted in 64 bits.
TEST(CheckModel, AcceptedModelsCannotOverflow) {
    std::mt19937_64 random(20260701);
    const auto size = [&](double decades) {
        return static_cast<std::int64_t>(
            std::pow(10.0, decades * static_cast<double>(random() % 1000) / 1000));
    };
    int accepted = 0;
    for (int round = 0; round < 5000; ++round) {
        ModelSpec model;
        model.layers = size(4);
        model.hidden = size(9);
        model.vocab = size(9);
        model.tiedEmbeddings = random() % 2 == 0;
        model.attention = {.heads = size(3), .headDim = size(5), .qkvBias = true, .outBias = true};
        model.attention.kvHeads = model.attention.heads;
        model.mlp.width = size(9);
        model.learnedPositions = size(9);
        model.mtpDepth = size(1);
        if (random() % 2 == 0) {
            model.moe = MoeSpec{.experts = size(6), .topK = 1, .expertWidth = size(8)};
            model.sparse.assign(static_cast<std::size_t>(model.layers), true);
        }
        if (!checkModel(model, "m")) {
            continue;
        }
        ++accepted;
        const auto add = [](const std::vector<Parameter>& list) {
            Checked sum;
            for (const Parameter& item : list) {
                sum += Checked(item.copies) * item.rows * (item.cols == 0 ? 1 : item.cols);
            }
            return sum;
        };
        const Checked total = add(embeddingParameters(model)) + add(headParameters(model)) +
                              Checked(model.layers) * add(layerParameters(model, 0));
        const Result<std::int64_t> exact = total.result("m", "parameters");
        ASSERT_TRUE(exact);
        EXPECT_EQ(countParameters(model).total, *exact);
        EXPECT_LE(static_cast<double>(*exact), kMostModelParameters);
        EXPECT_LE(static_cast<double>(countParameters(model).mtp), kMostModelParameters);
    }
    EXPECT_GT(accepted, 200);
}

}  // namespace
}  // namespace fabricast
