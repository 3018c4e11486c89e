#include "tests/support/program_answer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace fabricast {
namespace {

struct OptimizerCase {
    const char* name;
    std::int64_t bytes;
};

class MegatronOptimizer : public testing::TestWithParam<OptimizerCase> {};

constexpr std::int64_t kParameters = 8'030'261'248;  // Llama 3.1 8B
constexpr std::int64_t kOutside = 1'050'939'392;     // its two tables and all norms

// Without the distributed optimizer Float16OptimizerWithFloat16Params keeps 32-bit parameters, and
// the optimizer its own moments of them: none, one, or Adam's two, which Muon leaves to what is no
// matrix of a layer.
TEST_P(MegatronOptimizer, KeepsItsOwnMoments) {
    const ProgramOutput output =
        ran(std::string("explain -m llama-3.1-8b -c dgx-h100 --stack megatron --seq 2048 "
                        "--layout shard=none --global-batch 8 --no-fail -f json --optimizer ") +
            GetParam().name);
    ASSERT_EQ(output.code, ExitCode::Ok) << output.err;
    const JsonValue answer = jsonOf(output.out);
    const JsonValue& stage = answer.find("memory")->find("stages")->items().front();
    EXPECT_EQ(stage.find("optimizer_bytes")->integer({0, 1'000'000'000'000}), GetParam().bytes);
}

INSTANTIATE_TEST_SUITE_P(,
                         MegatronOptimizer,
                         testing::Values(OptimizerCase{"sgd", 4 * kParameters},
                                         OptimizerCase{"sgd_momentum", 8 * kParameters},
                                         OptimizerCase{"lion", 8 * kParameters},
                                         OptimizerCase{"muon", 8 * kParameters + 4 * kOutside},
                                         OptimizerCase{"adamw", 12 * kParameters}),
                         [](const auto& row) { return std::string(row.param.name); });

// The setting and the layout are two names of one thing.
TEST(MegatronShards, FollowTheDistributedOptimizer) {
    const std::string question =
        "explain -m llama-3.2-1b -c dgx-h100 --stack megatron --seq 2048 --global-batch 16 --set "
        "settings.megatron.distributed_optimizer=";
    const ProgramOutput whole = ran(question + "false --layout tp=2");
    EXPECT_NE(whole.out.find("dp=4,tp=2,shard=none"), std::string::npos) << whole.out;
    const std::string typed = ran(question + "false --layout tp=2,shard=none").out;
    EXPECT_EQ(typed.substr(0, typed.find("\nnext:")),
              whole.out.substr(0, whole.out.find("\nnext:")));
    const ProgramOutput divided = ran(question + "false --layout tp=2,shard=zero1");
    EXPECT_EQ(divided.code, ExitCode::BadInput);
    EXPECT_NE(divided.err.find("false divides no states, and layout.shard is zero1"),
              std::string::npos)
        << divided.err;
    const ProgramOutput kept = ran(question + "true --layout shard=none");
    EXPECT_NE(kept.err.find("true divides the states, and layout.shard is none"), std::string::npos)
        << kept.err;
}

TEST(MegatronShards, AreSearchedAsTheSettingSays) {
    const ProgramOutput plans =
        ran("plan -m llama-3.2-1b -c dgx-h100 --stack megatron --seq 2048 --global-batch 16 --set "
            "settings.megatron.distributed_optimizer=false");
    EXPECT_NE(plans.out.find("shard=none"), std::string::npos) << plans.out;
    EXPECT_EQ(plans.out.find("shard=zero1"), std::string::npos) << plans.out;
}

}  // namespace
}  // namespace fabricast
