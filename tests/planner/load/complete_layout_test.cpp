#include "planner/load/scenario_defaults.h"
#include "planner/request/layout_json.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

Room gpus(std::int64_t count, std::int64_t perNode = 8) {
    return {.gpus = count, .usualGpus = count, .gpusPerNode = perNode};
}

Result<Layout> completed(std::string_view stackName, std::string_view text, const Room& room) {
    FABRICAST_ASSIGN(const Stack* stack, findStack(stackName));
    FABRICAST_ASSIGN(const JsonValue object, layoutObject(text, "--layout"));
    FABRICAST_ASSIGN(const PartialLayout partial, readLayout(object));
    return completeLayout(partial, *stack, room);
}

std::string why(std::string_view text, const Room& room) {
    const auto layout = completed("megatron", text, room);
    return layout ? "" : layout.error().text();
}

TEST(CompleteLayout, DataRanksAreWhatIsLeftOfTheGpus) {
    // 128 GPUs / (8 x 4) = 4 replicas
    const auto layout = completed("megatron", "tp=8,pp=4", gpus(128));
    ASSERT_TRUE(layout) << layout.error().text();
    EXPECT_EQ(layout->dp, 4);
    EXPECT_EQ(layout->microBatch, 1);
    EXPECT_EQ(layout->shard, Shard::Zero1);
    EXPECT_EQ(layout->schedule, ScheduleKind::OneFOneB);
}

TEST(CompleteLayout, NodesFollowFromTheLayoutWhereNobodySaidHowMany) {
    const Room twoNodes{.gpus = {}, .usualGpus = 16, .gpusPerNode = 8};
    EXPECT_EQ(completed("megatron", "tp=8", twoNodes)->dp, 2);
    EXPECT_EQ(completed("megatron", "tp=8,pp=3", twoNodes)->world(), 24);
    EXPECT_EQ(completed("megatron", "tp=3", twoNodes)->world(), 3);
    EXPECT_EQ(completed("megatron", "dp=6", twoNodes)->world(), 6);
}

TEST(CompleteLayout, WhatIsSaidIsKept) {
    const auto layout = completed("megatron", "tp=8,sp=on,shard=none,ep=4,etp=1", gpus(64));
    ASSERT_TRUE(layout) << layout.error().text();
    EXPECT_EQ(layout->shard, Shard::None);
    EXPECT_TRUE(layout->sp);
    EXPECT_EQ(layout->etp, 1);
}

// What a launcher leaves to the user is off where there is nobody to share with.
TEST(CompleteLayout, ALaunchersSingleProcessShardsNothing) {
    for (const char* stack : {"axolotl", "accelerate"}) {
        EXPECT_EQ(completed(stack, "", gpus(1))->shard, Shard::None) << stack;
        EXPECT_EQ(completed(stack, "", gpus(2))->shard, Shard::Fsdp) << stack;
        EXPECT_EQ(completed(stack, "shard=fsdp", gpus(1))->shard, Shard::Fsdp) << stack;
        EXPECT_EQ(completed(stack, "shard=zero3,offload=optimizer_cpu", gpus(1))->shard,
                  Shard::Zero3);
    }
    EXPECT_EQ(completed("fsdp2", "", gpus(1))->shard, Shard::Fsdp);
}

TEST(CompleteLayout, HybridShardingTakesANode) {
    EXPECT_EQ(completed("fsdp2", "shard=hsdp", gpus(64, 8))->shardSize, 8);
    EXPECT_EQ(completed("torchtitan", "shard=hsdp,tp=4", gpus(64, 8))->shardSize, 2);
    EXPECT_EQ(completed("fsdp2", "shard=hsdp", gpus(6, 4))->shardSize, 6);
}

// Who types how many copies of the states there are leaves the ranks of one to the GPUs.
TEST(CompleteLayout, CopiesDivideTheRanks) {
    const auto layout = completed("torchtitan", "tp=2,copies=4", gpus(64));
    ASSERT_TRUE(layout) << layout.error().text();
    EXPECT_EQ(layout->shard, Shard::Hsdp);
    EXPECT_EQ(layout->shardSize, 8);  // 64 / 2 / 4
    EXPECT_EQ(completed("torchtitan", "copies=8", gpus(8))->shard, Shard::None);
    EXPECT_EQ(completed("torchtitan", "cp=2,copies=4", gpus(8))->shardSize, 2);
    EXPECT_EQ(completed("torchtitan", "copies=1", gpus(8))->shard, Shard::Fsdp);
    EXPECT_EQ(completed("torchtitan", "shard=hsdp,copies=1", gpus(8))->shardSize, 8);
    EXPECT_EQ(why("copies=3", gpus(8)),
              "layout.copies: copies 3 does not divide dp x cp = 8 (copies=2)");
    EXPECT_EQ(why("copies=2,shard_size=4", gpus(8)),
              "layout.copies: and shard_size are both given "
              "(one of them: shard_size is dp x cp / copies)");
    EXPECT_EQ(why("shard=zero1,copies=2", gpus(8)),
              "layout.copies: shard=zero1 does not keep 2 copies of the states on 8 ranks "
              "(shard=hsdp)");
    EXPECT_NE(why("copies=0", gpus(8)), "");
}

TEST(CompleteLayout, ContradictionsShowTheArithmetic) {
    EXPECT_EQ(why("tp=8,pp=4,dp=3", gpus(128)),
              "layout.dp: tp 8 x pp 4 x cp 1 x dp 3 = 96, but there are 128 GPUs (dp=4)");
    EXPECT_EQ(why("tp=8,pp=3,dp=3", gpus(128)),
              "layout.dp: tp 8 x pp 3 x cp 1 x dp 3 = 72, but there are 128 GPUs (--gpus 72)");
    EXPECT_EQ(why("tp=8,pp=3", gpus(128)),
              "layout.pp: tp 8 x pp 3 x cp 1 = 24, which does not divide 128 GPUs "
              "(pp=2, or pp=4)");
    Room layered = gpus(144);
    layered.layers = 126;
    EXPECT_EQ(why("pp=126", layered),
              "layout.pp: tp 1 x pp 126 x cp 1 = 126, which does not divide 144 GPUs (pp=72)");
    EXPECT_EQ(why("pp=126,vpp=2", layered),  // 63 ranks have two chunks of a layer
              "layout.pp: tp 1 x pp 126 x cp 1 = 126, which does not divide 144 GPUs (pp=48)");
    EXPECT_EQ(why("tp=7,pp=3", gpus(128)),
              "layout: tp 7 x pp 3 x cp 1 = 21, which does not divide 128 GPUs "
              "(sizes whose product divides 128)");
    EXPECT_EQ(why("tp=16,pp=16", gpus(8)),
              "layout: tp 16 x pp 16 x cp 1 = 256, which does not divide 8 GPUs "
              "(--gpus 256, or sizes whose product divides 8)");
    EXPECT_EQ(why("tp=256", gpus(128)),
              "layout.tp: tp 256 x pp 1 x cp 1 = 256, which does not divide 128 GPUs (tp=128)");
    // Nobody typed dp, and its limit is one of GPUs.
    Room many = gpus(8'000'000);
    many.gpusWhere = "-n";
    EXPECT_EQ(why("", many),
              "-n: 8000000 GPUs are dp 8000000, and dp is at most 1048576 (-n 131072, or more of "
              "tp, pp and cp)");
    EXPECT_EQ(why("tp=8", many), "");
    EXPECT_EQ(why("vpp=2", gpus(8)),
              "layout.vpp: vpp 2 needs a pipeline, and pp is 1 (pp=2, or leave vpp out)");
    EXPECT_EQ(why("ep=3,etp=1", gpus(8)),
              "layout.ep: ep 3 x etp 1 = 3, which does not divide the 8 GPUs of a pipeline stage "
              "(ep=2)");
    EXPECT_EQ(why("tp=2,ep=8", gpus(8)),
              "layout.ep: ep 8 x etp 2 = 16, which does not divide the 8 GPUs of a pipeline stage "
              "(etp=1 (default: tp))");
    EXPECT_EQ(why("shard_size=3", gpus(8)),
              "layout.shard_size: shard_size 3 does not divide dp x cp = 8 "
              "(shard_size=2)");
    EXPECT_EQ(why("schedule=1f1b", gpus(8)),
              "layout.schedule: the schedule 1f1b needs a pipeline, and pp is 1 "
              "(pp=2, or leave schedule out)");
    EXPECT_NE(why("tp=1048576,pp=1048576,cp=1048576,dp=1048576", {}), "");
}

// What is proposed divides what the model has, too.
TEST(CompleteLayout, SizesThatAreProposedDivideTheModel) {
    Room room = gpus(56);
    room.heads = 64;
    room.layers = 80;
    EXPECT_EQ(why("tp=8,pp=4", room),
              "layout.tp: tp 8 x pp 4 x cp 1 = 32, which does not divide 56 GPUs (tp=2)");
    room.gpus = 24;
    EXPECT_EQ(why("tp=8,pp=2", room),
              "layout.tp: tp 8 x pp 2 x cp 1 = 16, which does not divide 24 GPUs (tp=4)");
    room.layers = 5;
    EXPECT_EQ(why("pp=5", room),
              "layout.pp: tp 1 x pp 5 x cp 1 = 5, which does not divide 24 GPUs (pp=4)");
    room.experts = 8;
    EXPECT_EQ(why("ep=5", room),
              "layout.ep: ep 5 x etp 1 = 5, which does not divide the 24 GPUs of a pipeline stage "
              "(ep=4)");
}

TEST(CheckBatch, ABatchIsDealtEvenly) {
    const Layout layout{.dp = 16, .microBatch = 2};
    EXPECT_TRUE(checkBatch(layout, 1504));
    EXPECT_EQ(
        checkBatch(layout, 1500).error().text(),
        "workload.global_batch: 1500 samples are not a multiple of dp 16 x micro_batch 2 = 32 "
        "(--global-batch 1472 or 1504)");
    EXPECT_EQ(checkBatch(layout, 1).error().hint, "--global-batch 32");
    Layout wide;
    wide.dp = 1'000'000;
    EXPECT_EQ(checkBatch(wide, 16'777'216).error().hint, "--global-batch 16000000");
}

}  // namespace
}  // namespace fabricast
