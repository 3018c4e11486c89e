#include "planner/models/model_file.h"
#include "tests/planner/estimate/estimate_example.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fabricast {
namespace {

/// An answer is a finite time, or an error with the reason.
void expectAnswer(const Scenario& scenario, const std::string& what) {
    const auto estimate = estimateStep(scenario, exampleTiming());
    if (estimate) {
        EXPECT_TRUE(std::isfinite(estimate->step.value.count())) << what;
        EXPECT_GT(estimate->step.value.count(), 0.0) << what;
    } else {
        EXPECT_FALSE(estimate.error().why.empty()) << what;
    }
}

TEST(EveryProfile, OfAGpuGivesATimeOrAReason) {
    const ProfileStore profiles = ProfileStore::builtIn();
    for (const ProfileFile& file : profiles.files(ProfileKind::Gpu)) {
        Scenario scenario = exampleRun("fsdp2", {.dp = 8, .shard = Shard::Fsdp, .microBatch = 1});
        scenario.model.layers = 2;
        scenario.cluster = profiles.clusterFrom(file.name, 8).value();
        for (const Dtype compute : {Dtype::Bf16, Dtype::Fp16, Dtype::Fp32}) {
            scenario.settings.precision.compute = compute;
            expectAnswer(scenario, file.name);
        }
        for (const Quantization type :
             {Quantization::Fp8Tensorwise, Quantization::MxFp8, Quantization::NvFp4}) {
            scenario.settings.precision.compute = Dtype::Bf16;
            scenario.settings.kernels.quantization = type;
            expectAnswer(scenario, file.name);
        }
    }
}

TEST(EveryProfile, OfAModelGivesATimeOrAReason) {
    const ProfileStore profiles = ProfileStore::builtIn();
    for (const ProfileFile& file : profiles.files(ProfileKind::Model)) {
        const auto profile = parseModelProfile(file.text, file.source);
        ASSERT_TRUE(profile) << file.source;
        for (const char* stack : {"fsdp2", "torchtitan", "megatron", "deepspeed"}) {
            const bool megatron = std::string(stack) == "megatron";
            const Layout layout{.dp = 8,
                                .ep = megatron && profile->model.moe ? 8 : 1,
                                .shard = megatron ? Shard::Zero1 : Shard::Fsdp,
                                .microBatch = 1};
            Scenario scenario = exampleRun(stack, layout);
            scenario.workload.sequence = 1024;
            scenario.model = profile->model;
            scenario.settings =
                defaultSettings(*findStack(stack).value(), scenario.model, scenario.layout);
            expectAnswer(scenario, file.name + " under " + stack);
        }
    }
}

}  // namespace
}  // namespace fabricast
