#include "planner/load/scenario_defaults.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

std::string leftOut(const std::string& stack, const ModelSpec& model) {
    return whyLeftOut({}, stack, model, {});
}

ModelSpec ours() {
    ModelSpec model;
    model.family = "ours";
    model.name = "ours";
    model.layers = 2;
    return model;
}

// A stack that is left out is named as the way to a forecast only where typing it gives one.
TEST(LeftOut, OffersAForecastOnlyWhereThereIsOne) {
    ModelSpec biased = ours();
    biased.position = PositionKind::Alibi;
    EXPECT_TRUE(leftOut("megatron", biased).ends_with("(--stack megatron forecasts it)"))
        << leftOut("megatron", biased);

    ModelSpec around = ours();
    around.normPlacement = NormPlacement::Around;
    ModelSpec parallel = ours();
    parallel.parallelResidual = true;
    for (const char* const stack : {"megatron", "megatron-fsdp", "nemo"}) {
        EXPECT_TRUE(leftOut(stack, around).ends_with("MLP, which ours has"))
            << leftOut(stack, around);
        EXPECT_TRUE(leftOut(stack, parallel).ends_with("no parallel residual, which ours has"))
            << leftOut(stack, parallel);
    }
    EXPECT_TRUE(leftOut("torchtitan", around).ends_with("(--stack torchtitan forecasts it)"))
        << leftOut("torchtitan", around);
    EXPECT_EQ(leftOut("fsdp2", around), "");
}

// What emit would refuse is not proposed unasked: llama3 of torchtitan 0.2.2 can be told the sizes
// of another Llama, but not that its embeddings are tied.
TEST(LeftOut, HasNoConfigThatCouldBeWritten) {
    ModelSpec llama = ours();
    llama.family = "llama";
    EXPECT_EQ(leftOut("torchtitan", llama), "");
    llama.tiedEmbeddings = true;
    EXPECT_EQ(leftOut("torchtitan", llama),
              "left out: torchtitan: torchtitan has the code of llama, but no config of ours "
              "(its llama3 does not tie embeddings) (--stack torchtitan forecasts it)");
}

}  // namespace
}  // namespace fabricast
