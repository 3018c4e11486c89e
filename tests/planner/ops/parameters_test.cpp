#include "planner/ops/parameters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace fabricast {
namespace {

ModelSpec llama(std::int64_t layers,
                std::int64_t hidden,
                std::int64_t heads,
                std::int64_t kvHeads) {
    ModelSpec model;
    model.layers = layers;
    model.hidden = hidden;
    model.attention = {.heads = heads, .kvHeads = kvHeads, .headDim = hidden / heads};
    return model;
}

ModelSpec llama3With8B() {
    ModelSpec model = llama(32, 4096, 32, 8);
    model.vocab = 128256;
    model.mlp.width = 14336;
    return model;
}

ModelSpec gpt2Small() {
    ModelSpec model = llama(12, 768, 12, 12);
    model.vocab = 50257;
    model.attention.qkvBias = model.attention.outBias = model.attention.fusedQkv = true;
    model.mlp = {.kind = MlpKind::Plain, .width = 3072, .bias = true};
    model.norm = NormKind::Layer;
    model.normOrder = NormOrder::BeforeEach;
    model.position = PositionKind::Learned;
    model.learnedPositions = 1024;
    model.tiedEmbeddings = true;
    return model;
}

ModelSpec deepseekV3() {
    ModelSpec model = llama(61, 7168, 128, 128);
    model.vocab = 129280;
    model.attention = {.kind = AttentionKind::Latent,
                       .heads = 128,
                       .kvHeads = 128,
                       .qLoraRank = 1536,
                       .kvLoraRank = 512,
                       .qkNopeDim = 128,
                       .qkRopeDim = 64,
                       .vHeadDim = 128};
    model.mlp.width = 18432;
    model.moe = MoeSpec{.experts = 256,
                        .topK = 8,
                        .expertWidth = 2048,
                        .correctionBias = true,
                        .sharedWidth = 2048,
                        .sigmoidScore = true};
    model.sparse.assign(61, true);
    std::fill_n(model.sparse.begin(), 3, false);
    model.mtpDepth = 1;
    return model;
}

std::vector<std::string> names(const std::vector<Parameter>& parameters) {
    std::vector<std::string> list;
    for (const Parameter& parameter : parameters) {
        list.push_back(parameter.name);
    }
    return list;
}

Split splitOf(const std::vector<Parameter>& parameters, const std::string& name) {
    const auto found = std::find_if(parameters.begin(),
                                    parameters.end(),
                                    [&](const Parameter& item) { return item.name == name; });
    EXPECT_NE(found, parameters.end()) << name;
    return found == parameters.end() ? Split::Expert : found->split;
}

TEST(Parameters, DenseModelIsThePublishedSize) {
    const ParameterCount count = countParameters(llama3With8B());
    EXPECT_EQ(count.total, 8'030'261'248);
    EXPECT_EQ(count.active, count.total);
    EXPECT_EQ(count.embedding, 525'336'576);
    EXPECT_EQ(count.head, 525'336'576);
    EXPECT_EQ(count.norm, 65 * 4096);
}

TEST(Parameters, TiedModelCountsItsTableOnce) {
    const ParameterCount count = countParameters(gpt2Small());
    EXPECT_EQ(count.total, 124'439'808);
    EXPECT_EQ(count.head, 0);
    EXPECT_EQ(count.position, 1024 * 768);
}

TEST(Parameters, LatentAttentionWithExpertsIsThePublishedSize) {
    const ParameterCount count = countParameters(deepseekV3());
    EXPECT_EQ(count.total, 671'026'404'352);
    EXPECT_EQ(count.active, 37'552'282'624);
    EXPECT_EQ(count.buffers, 58 * 256);
    EXPECT_EQ(count.mtp, 11'610'067'968);
    EXPECT_EQ(count.attention, 61 * 187'107'328LL);
}

TEST(Parameters, GptOfNarayanansFormulaHasNoFinalNorm) {
    ModelSpec model = gpt2Small();
    model.layers = 96;
    model.hidden = 12288;
    model.vocab = 51200;
    model.attention.heads = model.attention.kvHeads = 96;
    model.attention.headDim = 128;
    model.mlp.width = 49152;
    model.learnedPositions = 2048;
    EXPECT_EQ(countParameters(model).total, 174'615'846'912);
    model.finalNorm = false;
    EXPECT_EQ(countParameters(model).total, 174'615'822'336);
}

TEST(Parameters, NarrowTablesHaveAProjectionOnEitherSide) {
    ModelSpec model = gpt2Small();
    model.embeddingWidth = 512;
    model.tiedEmbeddings = false;
    const ParameterCount count = countParameters(model);
    EXPECT_EQ(count.embedding, 50257 * 512);
    EXPECT_EQ(count.head, 50257 * 512);
    EXPECT_EQ(count.projection, 2 * 512 * 768);
}

TEST(Parameters, ComponentsSumToTheTotal) {
    for (const ModelSpec& model : {llama3With8B(), gpt2Small(), deepseekV3()}) {
        const ParameterCount count = countParameters(model);
        EXPECT_EQ(count.total,
                  count.embedding + count.head + count.position + count.projection +
                      count.attention + count.norm + count.mlp + count.router +
                      count.routedExperts + count.sharedExperts);
    }
}

TEST(Parameters, LayerIsInRegistrationOrder) {
    EXPECT_EQ(names(layerParameters(llama3With8B(), 0)),
              (std::vector<std::string>{"q_proj.weight",
                                        "k_proj.weight",
                                        "v_proj.weight",
                                        "o_proj.weight",
                                        "gate_proj.weight",
                                        "up_proj.weight",
                                        "down_proj.weight",
                                        "input_layernorm.weight",
                                        "post_attention_layernorm.weight"}));
    EXPECT_EQ(names(layerParameters(gpt2Small(), 0)),
              (std::vector<std::string>{"input_layernorm.weight",
                                        "input_layernorm.bias",
                                        "qkv_proj.weight",
                                        "qkv_proj.bias",
                                        "o_proj.weight",
                                        "o_proj.bias",
                                        "post_attention_layernorm.weight",
                                        "post_attention_layernorm.bias",
                                        "up_proj.weight",
                                        "up_proj.bias",
                                        "down_proj.weight",
                                        "down_proj.bias"}));
}

TEST(Parameters, TensorParallelismCutsWhatItCan) {
    const std::vector<Parameter> dense = layerParameters(gpt2Small(), 0);
    EXPECT_EQ(splitOf(dense, "qkv_proj.weight"), Split::Column);
    EXPECT_EQ(splitOf(dense, "qkv_proj.bias"), Split::Column);
    EXPECT_EQ(splitOf(dense, "o_proj.weight"), Split::Row);
    EXPECT_EQ(splitOf(dense, "o_proj.bias"), Split::Replicated);
    EXPECT_EQ(splitOf(dense, "down_proj.weight"), Split::Row);
    EXPECT_EQ(splitOf(dense, "input_layernorm.weight"), Split::Replicated);
    EXPECT_EQ(splitOf(embeddingParameters(gpt2Small()), "embed_tokens.weight"), Split::Vocab);

    const std::vector<Parameter> sparse = layerParameters(deepseekV3(), 3);
    EXPECT_EQ(splitOf(sparse, "q_a_proj.weight"), Split::Replicated);
    EXPECT_EQ(splitOf(sparse, "kv_a_proj_with_mqa.weight"), Split::Replicated);
    EXPECT_EQ(splitOf(sparse, "q_b_proj.weight"), Split::Column);
    EXPECT_EQ(splitOf(sparse, "router.weight"), Split::Replicated);
    EXPECT_EQ(splitOf(sparse, "experts.gate_proj.weight"), Split::Expert);
    EXPECT_EQ(splitOf(sparse, "shared_expert.down_proj.weight"), Split::Row);
    EXPECT_EQ(splitOf(headParameters(deepseekV3()), "lm_head.weight"), Split::Vocab);
}

}  // namespace
}  // namespace fabricast
