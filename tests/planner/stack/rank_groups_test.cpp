#include "planner/stack/rank_groups.h"

#include "planner/stack/stack.h"
#include "tests/support/case_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace fabricast {
namespace {

const std::map<std::string, GroupKind>& kinds() {
    static const std::map<std::string, GroupKind> table = {
        {"tp", GroupKind::Tensor},
        {"cp", GroupKind::Context},
        {"dp", GroupKind::Data},
        {"dp_cp", GroupKind::DataContext},
        {"pp", GroupKind::Pipeline},
        {"tp_cp", GroupKind::TensorContext},
        {"etp", GroupKind::ExpertTensor},
        {"ep", GroupKind::Expert},
        {"etp_ep", GroupKind::ExpertTensorExpert},
        {"edp", GroupKind::ExpertData},
        {"shard", GroupKind::Shard},
        {"replicate", GroupKind::Replicate},
        {"expert_shard", GroupKind::ExpertShard},
        {"expert_replicate", GroupKind::ExpertReplicate},
        {"stage", GroupKind::Stage},
        {"tp_pp", GroupKind::TensorPipeline},
        {"expert_model", GroupKind::ExpertModel},
        {"optimizer_instance", GroupKind::OptimizerInstance},
        {"world", GroupKind::World},
        {"cp_inner", GroupKind::ContextInner},
        {"cp_outer", GroupKind::ContextOuter},
    };
    return table;
}

RankGroup ranksOf(const std::string& text) {
    RankGroup group;
    std::istringstream numbers(text);
    for (std::int64_t rank = 0; numbers >> rank;) {
        group.emplace_back(rank);
    }
    return group;
}

std::vector<RankGroup> groupsOf(const std::string& text) {
    std::vector<RankGroup> groups;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, '|');) {
        groups.push_back(ranksOf(part));
    }
    return groups;
}

Layout layoutOf(const CaseRow& row) {
    Layout layout;
    const auto size = [&](const char* key) {
        return row.contains(key) ? std::stoll(row.at(key)) : 1;
    };
    layout.tp = size("tp");
    layout.pp = size("pp");
    layout.cp = size("cp");
    layout.ep = size("ep");
    layout.etp = size("etp");
    layout.dp =
        row.contains("dp") ? size("dp") : size("world") / (layout.tp * layout.pp * layout.cp);
    layout.shardSize = row.contains("shard_size") ? size("shard_size") : 0;
    return layout;
}

TEST(RankGroups, AreMegatronsInBothOrders) {
    const std::vector<CaseRow> rows = readCases("megatron_rank_groups.csv");
    ASSERT_EQ(rows.size(), 180U);
    for (const CaseRow& row : rows) {
        const RankOrder order{.pipelineInside = row.at("pipeline_inside") == "1"};
        auto groups = rankGroups(layoutOf(row), order, kinds().at(row.at("group")));
        auto expected = groupsOf(row.at("ranks"));
        EXPECT_EQ(groups, expected) << row.at("group") << " of world " << row.at("world");
    }
}

TEST(RankGroups, OfRankZeroAreTorchtitans) {
    for (const CaseRow& row : readCases("torchtitan_rank_groups.csv")) {
        Layout layout = layoutOf(splitPairs(row.at("layout")));
        layout.shard = Shard::Hsdp;
        const GroupKind kind = kinds().at(row.at("group"));
        EXPECT_EQ(rankGroupOf(RankId(0), layout, {}, kind), ranksOf(row.at("ranks")))
            << row.at("group") << " of " << row.at("layout");
    }
}

// DeepSpeed's own example: 16 ranks, ep 2: neighbours are one expert group, gradients of experts go
// over every second rank. With tp 2, expert groups of 4 stride over the lanes.
TEST(RankGroups, DeepspeedKeepsExpertsInsideData) {
    const RankOrder order = rankOrderOf(*findStack("deepspeed").value(), {});
    const Layout flat{.dp = 16, .ep = 2};
    EXPECT_EQ(rankGroups(flat, order, GroupKind::Expert).at(1), ranksOf("2 3"));
    EXPECT_EQ(rankGroups(flat, order, GroupKind::ExpertData).at(0), ranksOf("0 2 4 6 8 10 12 14"));
    const Layout lanes{.dp = 4, .tp = 2, .ep = 4};
    EXPECT_EQ(rankGroups(lanes, order, GroupKind::Expert).at(0), ranksOf("0 2 4 6"));
    EXPECT_EQ(rankGroups(lanes, order, GroupKind::Expert).at(1), ranksOf("1 3 5 7"));
}

// Ulysses groups are contiguous; ZeRO shards over all of dp x cp, so no state is replicated in
// them.
TEST(RankGroups, DeepspeedShardsOverSequenceGroupsToo) {
    const Layout layout{.dp = 4, .cp = 2, .cpKind = CpKind::Ulysses, .shard = Shard::Zero3};
    EXPECT_EQ(rankGroups(layout, {}, GroupKind::Context).at(0), ranksOf("0 1"));
    EXPECT_EQ(rankGroups(layout, {}, GroupKind::Shard).at(0), ranksOf("0 1 2 3 4 5 6 7"));
    EXPECT_EQ(rankGroups(layout, {}, GroupKind::Replicate).size(), 8U);
}

// Axolotl's mesh is [ep, dp_replicate, dp_shard, cp, sp, tp].
TEST(RankGroups, AxolotlPutsExpertsOutermost) {
    const RankOrder order = rankOrderOf(*findStack("axolotl").value(), {});
    EXPECT_EQ(rankGroups({.dp = 8, .ep = 2}, order, GroupKind::Expert).at(0), ranksOf("0 4"));
    EXPECT_EQ(rankGroups({.dp = 8, .ep = 2}, order, GroupKind::ExpertData).at(1),
              ranksOf("4 5 6 7"));
}

// Two instances of the distributed optimizer on 16 ranks: shards inside neighbours, copies across.
TEST(RankGroups, InstancesAreContiguous) {
    const Layout layout{.dp = 8, .tp = 2, .shard = Shard::Zero1, .shardSize = 4};
    EXPECT_EQ(rankGroups(layout, {}, GroupKind::Shard).at(0), ranksOf("0 2 4 6"));
    EXPECT_EQ(rankGroups(layout, {}, GroupKind::Replicate).at(0), ranksOf("0 8"));
}

// Each instance has its ranks of every stage: the norm of its gradients is summed over them.
TEST(RankGroups, AnInstanceSpansAllStages) {
    const Layout layout{.dp = 4, .tp = 2, .pp = 2, .shard = Shard::Zero1, .shardSize = 2};
    const auto instances = rankGroups(layout, {}, GroupKind::OptimizerInstance);
    EXPECT_EQ(instances,
              (std::vector{ranksOf("0 1 2 3 8 9 10 11"), ranksOf("4 5 6 7 12 13 14 15")}));
    EXPECT_EQ(rankGroups(layout, {}, GroupKind::TensorPipeline).at(1), ranksOf("2 3 10 11"));
}

// With tp 4 two context ranks fit a node: they exchange heads, and eight such pairs are a ring.
TEST(RankGroups, HierarchicalContextExchangesHeadsInsideNodes) {
    const Layout layout{.tp = 4, .cp = 16};
    EXPECT_EQ(contextInner(layout), 2);
    EXPECT_EQ(rankGroups(layout, {}, GroupKind::ContextInner).at(0), ranksOf("0 4"));
    EXPECT_EQ(rankGroups(layout, {}, GroupKind::ContextOuter).at(0),
              ranksOf("0 8 16 24 32 40 48 56"));
}

TEST(RankGroups, TiedEmbeddingsJoinTheEndsOfAPipeline) {
    const Layout layout{.dp = 2, .pp = 4};
    EXPECT_EQ(rankGroups(layout, {}, GroupKind::Embedding).at(1), ranksOf("1 7"));
    EXPECT_EQ(rankGroups({.dp = 2}, {}, GroupKind::Embedding).at(1), ranksOf("1"));
}

// Whatever the layout, the groups of a kind hold every rank exactly once.
TEST(RankGroups, EveryKindIsAPartition) {
    const Layout layout{.dp = 8,
                        .tp = 4,
                        .pp = 3,
                        .cp = 2,
                        .ep = 8,
                        .etp = 2,
                        .shard = Shard::Hsdp,
                        .shardSize = 4};
    for (const bool inside : {false, true}) {
        for (const auto& [name, kind] : kinds()) {
            RankGroup seen;
            for (const RankGroup& group : rankGroups(layout, {.pipelineInside = inside}, kind)) {
                seen.insert(seen.end(), group.begin(), group.end());
            }
            std::sort(seen.begin(), seen.end());
            EXPECT_EQ(seen.size(), 192U) << name;
            EXPECT_TRUE(std::adjacent_find(seen.begin(), seen.end()) == seen.end()) << name;
        }
    }
}

}  // namespace
}  // namespace fabricast
