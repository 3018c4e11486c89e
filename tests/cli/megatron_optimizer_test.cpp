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

}  // namespace
}  // namespace fabricast
