#include "planner/stack/step_collectives.h"

#include "planner/spec/names.h"
#include "planner/stack/stack.h"
#include "tests/support/case_table.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace step_collectives_test {

using Pairs = std::map<std::string, std::string>;

Layout layoutOf(const Pairs& typed) {
    Layout layout;
    layout.dp = std::stoll(typed.at("dp"));
    layout.shard = fromName<Shard>(typed.at("shard")).value();
    layout.shardSize = typed.contains("shard_size") ? std::stoll(typed.at("shard_size")) : 0;
    return layout;
}

Settings settingsOf(const std::string& stack, const Layout& layout, const Pairs& typed) {
    Settings settings = findStack(stack).value()->defaults(layout, Tuning::Full);
    if (typed.contains("reduce")) {
        settings.precision.reduce = fromName<Dtype>(typed.at("reduce")).value();
    }
    if (typed.contains("gradients")) {
        settings.precision.gradients = fromName<Dtype>(typed.at("gradients")).value();
    }
    if (typed.contains("sync")) {
        settings.torch.sync = typed.at("sync") == "last" ? GradientSync::LastMicroBatch
                                                         : GradientSync::EachMicroBatch;
    }
    if (typed.contains("reshard")) {
        settings.torch.reshard = typed.at("reshard") == "always"  ? Reshard::Always
                                 : typed.at("reshard") == "never" ? Reshard::Never
                                                                  : Reshard::Default;
    }
    settings.torch.shardGradOp = settings.torch.shardGradOp || typed.contains("grad_op");
    if (typed.contains("max_reuse")) {
        settings.deepspeed.maxReuse = std::stoll(typed.at("max_reuse"));
    }
    return settings;
}

struct Moved {
    double allGather = 0;
    double reduceScatter = 0;
    double allReduce = 0;
    double copies = 0;
};

Moved movedBy(const std::vector<StepCollective>& list,
              const RankParameters& parameters,
              std::int64_t microBatches) {
    Moved moved;
    for (const StepCollective& collective : list) {
        const double elements = elementsPerStep(collective, parameters, microBatches);
        if (collective.group == GroupKind::Replicate) {
            moved.copies += elements;
        } else if (collective.op == Collective::AllGather) {
            moved.allGather += elements;
        } else if (collective.op == Collective::ReduceScatter) {
            moved.reduceScatter += elements;
        } else {
            moved.allReduce += elements;
        }
    }
    return moved;
}

void expectNear(double forecast, const std::string& recorded, const std::string& what) {
    // Uneven shards are padded (up to 4e-5 here), and ZeRO-3 cuts at whole tensors (1e-3).
    const double expected = std::stod(recorded);
    EXPECT_NEAR(forecast, expected, 1e-3 * std::max(expected, 1.0)) << what;
}

TEST(StepCollectives, MoveWhatWasRecorded) {
    const std::vector<CaseRow> rows = readCases("step_collectives.csv");
    ASSERT_GE(rows.size(), 40U);
    for (const CaseRow& row : rows) {
        const Layout layout = layoutOf(splitPairs(row.at("layout")));
        const Settings settings =
            settingsOf(row.at("stack"), layout, splitPairs(row.at("settings")));
        const RankParameters parameters{.all = std::stoll(row.at("all")),
                                        .head = std::stoll(row.at("head")),
                                        .ends = std::stoll(row.at("ends"))};
        const auto list = stepCollectives(settings, layout, parameters);
        const Moved moved = movedBy(list, parameters, std::stoll(row.at("micro_batches")));
        const std::string what =
            row.at("stack") + " " + row.at("layout") + " " + row.at("settings");
        expectNear(moved.allGather, row.at("all_gather"), what);
        expectNear(moved.reduceScatter, row.at("reduce_scatter"), what);
        expectNear(moved.allReduce, row.at("all_reduce"), what);
        expectNear(moved.copies, row.at("copies"), what);
        for (const StepCollective& collective : list) {
            if (collective.carried == Carried::Gradients) {
                EXPECT_EQ(nameOf(collective.dtype), row.at("wire")) << what;
            }
        }
    }
}

// A pipeline under torchtitan gathers and reduces once, whatever its micro-batches.
TEST(StepCollectives, PipelinesReduceOnce) {
    const Layout layout{.dp = 4, .pp = 4, .shard = Shard::Fsdp};
    const Settings settings = findStack("torchtitan").value()->defaults(layout, Tuning::Full);
    const RankParameters parameters{.all = 1000, .head = 100, .ends = 200};
    const Moved moved = movedBy(stepCollectives(settings, layout, parameters), parameters, 16);
    EXPECT_EQ(moved.allGather, 1000);
    EXPECT_EQ(moved.reduceScatter, 1000);
}

// Megatron-FSDP scatters inside its shards in every micro-batch, and reduces over its outer ranks
// in the last: read in param_and_grad_buffer.py of Megatron-Core 0.16.1 and Megatron-FSDP 0.6.1.
TEST(StepCollectives, MegatronFsdpReducesOverOuterRanksOnce) {
    const Layout layout{.dp = 16, .shard = Shard::Hsdp, .shardSize = 8};
    const Settings settings = findStack("megatron-fsdp").value()->defaults(layout, Tuning::Full);
    const RankParameters parameters{.all = 1000, .head = 100, .ends = 200};
    const Moved moved = movedBy(stepCollectives(settings, layout, parameters), parameters, 16);
    EXPECT_EQ(moved.reduceScatter, 16000);
    EXPECT_EQ(moved.copies, 125);
}

// With experts apart, both of Megatron's chained optimizers gather everything.
TEST(StepCollectives, MegatronGathersTwiceWithSeparateExperts) {
    const Layout layout{.dp = 8, .ep = 8, .shard = Shard::Zero1};
    const Settings settings = findStack("megatron").value()->defaults(layout, Tuning::Full);
    const RankParameters parameters{.all = 1000};
    const Moved moved = movedBy(stepCollectives(settings, layout, parameters), parameters, 4);
    EXPECT_EQ(moved.allGather, 2000);
    EXPECT_EQ(moved.reduceScatter, 1000);
}

}  // namespace step_collectives_test
}  // namespace fabricast
