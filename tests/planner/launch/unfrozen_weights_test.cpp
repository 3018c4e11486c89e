#include "planner/launch/unfrozen_weights.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast {
namespace {

std::string partOf(const std::vector<std::string>& patterns, std::int64_t layers = 32) {
    const std::optional<TrainedPart> part = unfrozenPart(patterns, layers);
    return part ? trainedText(*part) : "none";
}

TEST(UnfrozenWeights, AreReadBackAsTheyAreWritten) {
    for (const std::string part : {"last:1", "last:4", "last:32", "norms"}) {
        EXPECT_EQ(partOf(unfrozenPatterns(*trainedPart(part), 32)), part);
    }
    // The same weights, said in another way.
    EXPECT_EQ(partOf(unfrozenPatterns(*trainedPart("no_embedding"), 32)), "last:32");
}

// As axolotl.utils.freeze reads them: from the first letter on, dots are dots.
TEST(UnfrozenWeights, AreAPartWhereTheyAreExactlyThat) {
    EXPECT_EQ(partOf({"^model.layers.3[01].", "^model.norm", "^lm_head"}), "last:2");
    EXPECT_EQ(partOf({"model.layers.(29|3[0-9])", "model.norm.weight$", "lm_head.weight$"}),
              "last:3");
    EXPECT_EQ(partOf({"model.layers.", "model.norm", "lm_head"}), "last:32");
    EXPECT_EQ(partOf({"model.norm",
                      "model.layers.[0-9]+.[a-z_]+layernorm",
                      "model.layers.[0-9]+.self_attn.[qk]_norm"}),
              "norms");
    EXPECT_EQ(partOf({"model", "lm_head"}), "all");
}

TEST(UnfrozenWeights, OfAnyOtherSetAreNoPart) {
    EXPECT_EQ(partOf({"layers.31"}), "none") << "nothing begins with it";
    EXPECT_EQ(partOf({"^model.layers.31."}), "none") << "the head is frozen";
    EXPECT_EQ(partOf({"^model.layers.3.", "^model.norm", "^lm_head"}), "none") << "a middle layer";
    EXPECT_EQ(partOf({"^model.embed_tokens.weight$[:32000]"}), "none") << "rows of a weight";
    EXPECT_EQ(partOf({"(((model)+)+)+x"}), "none") << "slow to match";
    EXPECT_EQ(partOf({"model.layers.["}), "none");
    EXPECT_EQ(partOf({std::string(1000, 'a')}), "none");
    EXPECT_EQ(partOf(std::vector<std::string>(1000, "model")), "none") << "too many";
    EXPECT_EQ(partOf({}), "none");
}

}  // namespace
}  // namespace fabricast
