#include "planner/stack/state_bytes.h"

#include "planner/spec/names.h"
#include "planner/stack/deepspeed_estimate.h"
#include "planner/stack/stack.h"
#include "tests/support/case_table.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace fabricast {
namespace {

using Pairs = std::map<std::string, std::string>;

template <class T>
void choose(const Pairs& typed, const std::string& key, T& chosen) {
    const auto found = typed.find(key);
    if (found == typed.end()) {
        return;
    }
    if constexpr (std::is_same_v<T, bool>) {
        chosen = found->second == "1";
    } else {
        chosen = fromName<T>(found->second).value();
    }
}

Settings settingsOf(const Stack& stack, const Layout& layout, const Pairs& typed) {
    const Tuning tuning = typed.contains("tuning") ? Tuning::Lora : Tuning::Full;
    Settings settings = stack.defaults(layout, tuning);
    settings.tuning = tuning;
    choose(typed, "parameters", settings.precision.parameters);
    choose(typed, "compute", settings.precision.compute);
    choose(typed, "gradients", settings.precision.gradients);
    choose(typed, "moments", settings.precision.moments);
    choose(typed, "autocast", settings.precision.autocast);
    choose(typed, "master", settings.precision.masterWeights);
    choose(typed, "remainder", settings.precision.masterRemainder);
    choose(typed, "bucket_view", settings.torch.bucketView);
    choose(typed, "optimizer", settings.optimizer.kind);
    choose(typed, "quantization", settings.kernels.quantization);
    choose(typed, "lora_dtype", settings.lora.dtype);
    return settings;
}

BytesPerParameter stateOf(const std::string& name, const Pairs& typedLayout, const Pairs& typed) {
    const Stack& stack = *findStack(name).value();
    Layout layout;
    layout.shard = layoutDefaults(stack, layout).shard;
    choose(typedLayout, "shard", layout.shard);
    if (typedLayout.contains("dp")) {
        layout.dp = std::stoll(typedLayout.at("dp"));
    }
    choose(typedLayout, "offload", layout.offload);
    return stateBytes(settingsOf(stack, layout, typed), layout);
}

TEST(StateBytes, PerParameterOfEveryStackAndPrecision) {
    const std::vector<CaseRow> rows = readCases("state_bytes.csv");
    ASSERT_GE(rows.size(), 50U);
    for (const CaseRow& row : rows) {
        const BytesPerParameter state =
            stateOf(row.at("stack"), splitPairs(row.at("layout")), splitPairs(row.at("settings")));
        const std::string what =
            row.at("stack") + " " + row.at("layout") + " " + row.at("settings");
        EXPECT_EQ(state.replicated(), std::stod(row.at("replicated"))) << what;
        EXPECT_EQ(state.sharded(), std::stod(row.at("sharded"))) << what;
        EXPECT_EQ(state.formula(), row.at("formula")) << what;
    }
}

// The ZeRO paper's figure 1: 7.5 billion parameters on 64 GPUs, in GB of 10^9.
TEST(StateBytes, ZeroPaper) {
    const auto gigabytes = [](const char* shard, double parameters, double ranks) {
        return stateOf("deepspeed", {{"shard", shard}}, {}).perRank(ranks) * parameters / 1e9;
    };
    EXPECT_DOUBLE_EQ(gigabytes("none", 7.5e9, 64), 120);
    EXPECT_DOUBLE_EQ(gigabytes("zero1", 7.5e9, 64), 31.40625);
    EXPECT_DOUBLE_EQ(gigabytes("zero2", 7.5e9, 64), 16.640625);
    EXPECT_DOUBLE_EQ(gigabytes("zero3", 7.5e9, 64), 1.875);
    EXPECT_DOUBLE_EQ(gigabytes("zero3", 1e12, 1024), 15.625);
}

// 18 bytes of the 12 L h² weights of a GPT's blocks, over tp x pp, in GiB.
TEST(StateBytes, MegatronsModelSizes) {
    const double perParameter = stateOf("megatron", {{"shard", "none"}}, {}).whole();
    const auto gibibytes = [&](double layers, double hidden, double ranks) {
        return perParameter * 12 * layers * hidden * hidden / ranks / (1LL << 30);
    };
    EXPECT_DOUBLE_EQ(gibibytes(48, 6144, 8), 45.5625);
    EXPECT_DOUBLE_EQ(gibibytes(96, 12288, 8 * 8), 45.5625);
    EXPECT_DOUBLE_EQ(gibibytes(105, 20480, 8 * 35), 31.640625);
    EXPECT_DOUBLE_EQ(gibibytes(128, 25600, 8 * 64), 32.958984375);
}

// 70 billion parameters on 4 GPUs: weights, gradients and optimizer, in GB of 10^9.
TEST(StateBytes, SeventyBillionOnFourGpus) {
    const auto gigabytes = [](const char* stack, const char* shard, const Pairs& typed) {
        return stateOf(stack, {{"shard", shard}}, typed).perRank(4) * 70;
    };
    const Pairs noMaster = {{"master", "0"}};
    const Pairs pure = {{"master", "0"}, {"moments", "bf16"}};
    EXPECT_DOUBLE_EQ(gigabytes("deepspeed", "none", noMaster), 840);
    EXPECT_DOUBLE_EQ(gigabytes("deepspeed", "zero1", noMaster), 420);
    EXPECT_DOUBLE_EQ(gigabytes("deepspeed", "zero2", noMaster), 315);
    EXPECT_DOUBLE_EQ(gigabytes("deepspeed", "zero3", noMaster), 210);
    EXPECT_DOUBLE_EQ(gigabytes("deepspeed", "none", {}), 1120);
    EXPECT_DOUBLE_EQ(gigabytes("deepspeed", "zero1", {}), 490);
    EXPECT_DOUBLE_EQ(gigabytes("deepspeed", "zero2", {}), 385);
    EXPECT_DOUBLE_EQ(gigabytes("deepspeed", "zero3", {}), 280);
    EXPECT_DOUBLE_EQ(gigabytes("megatron", "none", {}), 1260);
    EXPECT_DOUBLE_EQ(gigabytes("megatron", "zero1", {}), 630);
    EXPECT_DOUBLE_EQ(gigabytes("deepspeed", "none", pure), 560);
    EXPECT_DOUBLE_EQ(gigabytes("deepspeed", "zero1", pure), 350);
    EXPECT_DOUBLE_EQ(gigabytes("deepspeed", "zero2", pure), 245);
    EXPECT_DOUBLE_EQ(gigabytes("deepspeed", "zero3", pure), 140);
}

TEST(DeepspeedEstimate, IsWhatItsEstimatorsReturn) {
    const std::vector<CaseRow> rows = readCases("deepspeed_estimates.csv");
    ASSERT_EQ(rows.size(), 24U);
    for (const CaseRow& row : rows) {
        const auto integer = [&](const char* key) { return std::stoll(row.at(key)); };
        const DeepspeedQuestion question{.parameters = integer("parameters"),
                                         .largestLayer = integer("largest_layer"),
                                         .gpusPerNode = integer("gpus_per_node"),
                                         .nodes = integer("nodes"),
                                         .offloadOptimizer = integer("offload_optimizer") == 1,
                                         .offloadParameters = integer("offload_parameters") == 1,
                                         .zeroInit = integer("zero_init") == 1};
        const bool two = row.at("stage") == "2";
        const auto estimate =
            two ? deepspeedEstimateStage2(question) : deepspeedEstimateStage3(question);
        ASSERT_TRUE(estimate.has_value());
        EXPECT_EQ(estimate->host.count(), integer("host"));
        EXPECT_EQ(estimate->gpu.count(), integer("gpu"));
        EXPECT_EQ(estimate->largestLayer.count(), integer("layer"));
    }
}

TEST(DeepspeedEstimate, RefusesWhatItCannotCount) {
    EXPECT_FALSE(deepspeedEstimateStage3({.parameters = 1LL << 62}).has_value());
    EXPECT_FALSE(deepspeedEstimateStage2({.parameters = 1, .gpusPerNode = 0}).has_value());
}

}  // namespace
}  // namespace fabricast
