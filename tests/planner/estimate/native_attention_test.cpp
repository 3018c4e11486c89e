#include "planner/ops/native_attention.h"

#include "planner/estimate/group_time.h"
#include "planner/ops/layer_segment.h"
#include "tests/planner/estimate/estimate_example.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

namespace fabricast {
namespace {

/// Under DDP, whose code is transformers'.
Scenario ofTransformers(AttentionCode code) {
    Scenario scenario = exampleRun("ddp", {.dp = 8, .microBatch = 2});
    scenario.settings.kernels.attentionCode = code;
    return scenario;
}

/// Elements of the first tensor that the operation of this name makes; 0 where there is none.
std::int64_t madeBy(const OpList& list, std::string_view name) {
    const auto found = std::ranges::find(list.ops, name, &Op::name);
    return found == list.ops.end() ? 0 : list.tensor(found->outputs.front()).elements;
}

// sdpa_mask of transformers 5.23 leaves the mask out where the window is longer than the sequence.
TEST(NativeAttention, MasksWindowsThatTheSequenceReaches) {
    Scenario scenario = ofTransformers(AttentionCode::Native);
    const std::int64_t sequence = scenario.workload.sequence;
    scenario.model.window.assign(32, 0);
    scenario.model.window[0] = 1024;
    scenario.model.window[1] = sequence + 1;
    const OpList masked = layerSegment(scenario, 0).value();
    EXPECT_EQ(madeBy(masked, "where"), 2 * sequence * sequence);  // a number a pair and sample
    EXPECT_EQ(madeBy(masked, "repeat_kv"), 2 * sequence * 32 * 128);
    for (const std::int64_t layer : {1, 2}) {
        const OpList plain = layerSegment(scenario, layer).value();
        EXPECT_EQ(madeBy(plain, "where") + madeBy(plain, "repeat_kv"), 0) << layer;
    }
    scenario.settings.kernels.attentionCode = AttentionCode::Flash2;
    EXPECT_EQ(madeBy(layerSegment(scenario, 0).value(), "where"), 0);
}

// FlashAttention skips what a window leaves out, PyTorch's kernels under a mask do not.
TEST(NativeAttention, TakesNoLessTimeForAWindow) {
    const auto attention = [](AttentionCode code, std::int64_t window) {
        Scenario scenario = ofTransformers(code);
        scenario.model.window.assign(32, window);
        return estimated(scenario).parts.of(TimePart::Attention);
    };
    EXPECT_LT(attention(AttentionCode::Flash2, 1024), attention(AttentionCode::Flash2, 0) / 2.0);
    EXPECT_GT(attention(AttentionCode::Native, 1024), attention(AttentionCode::Native, 0) * 2.0);
}

// A kernel that counts where each of its operands lies is not bound by their bytes.
TEST(WrittenAttention, AddsAMaskElementByElement) {
    Scenario scenario = ofTransformers(AttentionCode::Native);
    scenario.settings.kernels.attention = AttentionKernel::Unfused;
    const KernelProfile& kernels = *scenario.cluster.node.gpu.kernels;
    const OpList list = layerSegment(scenario, 0).value();
    const auto seconds = [&](bool broadcasts) {
        for (std::size_t i = 0; i < list.ops.size(); ++i) {
            const Op& op = list.ops[i];
            if (op.name == "add" && broadcasts == (list.tensor(op.inputs[1]).elements <
                                                   list.tensor(op.outputs[0]).elements)) {
                const double elements = static_cast<double>(list.tensor(op.outputs[0]).elements);
                const GroupClock clock(scenario, list, {}, kernels);
                return clock.timeOf({i, i + 1}).forward.device.memory / elements;
            }
        }
        return 0.0;
    };
    EXPECT_GT(seconds(true), 1.5 * seconds(false));
    EXPECT_GT(seconds(false), 0.0);
}

TEST(NativeAttention, KeepsProbabilitiesOfOneHeadForAllQueries) {
    Scenario scenario = ofTransformers(AttentionCode::Native);
    scenario.model.family = "falcon";
    scenario.model.attention.kvHeads = 1;
    const std::int64_t sequence = scenario.workload.sequence;
    const OpList list = layerSegment(scenario, 0).value();
    const auto kept = std::ranges::find(list.ops, "safe_softmax", &Op::name);
    ASSERT_NE(kept, list.ops.end());
    ASSERT_EQ(kept->saved.size(), 1);
    EXPECT_EQ(list.tensor(kept->saved[0]).bytes, 4 * 2 * 32 * sequence * sequence);
    EXPECT_EQ(madeBy(list, "attention"), 0);
    scenario.model.attention.kvHeads = 8;  // the newer code spreads them over the queries
    EXPECT_EQ(madeBy(layerSegment(scenario, 0).value(), "safe_softmax"), 0);
}

}  // namespace
}  // namespace fabricast
