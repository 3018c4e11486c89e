#include "planner/comm/collective_groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace fabricast {
namespace {

const std::vector<GroupKind> kEveryKind = {GroupKind::Tensor,
                                           GroupKind::Context,
                                           GroupKind::Data,
                                           GroupKind::DataContext,
                                           GroupKind::Pipeline,
                                           GroupKind::TensorContext,
                                           GroupKind::Embedding,
                                           GroupKind::ExpertTensor,
                                           GroupKind::Expert,
                                           GroupKind::ExpertTensorExpert,
                                           GroupKind::ExpertData,
                                           GroupKind::Shard,
                                           GroupKind::Replicate,
                                           GroupKind::ExpertShard,
                                           GroupKind::ExpertReplicate,
                                           GroupKind::Stage,
                                           GroupKind::TensorPipeline,
                                           GroupKind::ExpertModel,
                                           GroupKind::OptimizerInstance,
                                           GroupKind::World};

std::string named(const Layout& layout, const RankOrder& order, GroupKind kind) {
    std::ostringstream text;
    text << "dp" << layout.dp << " tp" << layout.tp << " pp" << layout.pp << " cp" << layout.cp
         << " ep" << layout.ep << " etp" << layout.etp << " shard " << layout.shardSize
         << (order.pipelineInside ? " pipeline inside" : "") << " experts "
         << static_cast<int>(order.experts) << " kind " << static_cast<int>(kind);
    return text.str();
}

/// The ranks of the group that rank 0 is in.
std::vector<std::int64_t> listed(const GroupAxes& group) {
    std::vector<std::int64_t> ranks = {0};
    for (std::size_t i = 0; i < group.count; ++i) {
        std::vector<std::int64_t> wider;
        for (std::int64_t step = 0; step < group.axes[i].size; ++step) {
            for (const std::int64_t rank : ranks) {
                wider.push_back(rank + step * group.axes[i].stride);
            }
        }
        ranks = std::move(wider);
    }
    std::ranges::sort(ranks);
    return ranks;
}

GroupSpan counted(const RankGroup& group, std::int64_t pieceRanks) {
    std::map<std::int64_t, std::int64_t> members;
    GroupSpan span{.pieces = 0, .perPiece = 0};
    for (const RankId rank : group) {
        span.perPiece = std::max(span.perPiece, ++members[rank.index() / pieceRanks]);
    }
    span.pieces = static_cast<std::int64_t>(members.size());
    return span;
}

/// Calls `visit` for every layout of up to 32 ranks with these sizes that its groups divide.
template <class Visit>
void everyLayout(const std::vector<std::int64_t>& sizes, Visit visit) {
    for (const std::int64_t tp : sizes) {
        for (const std::int64_t cp : sizes) {
            for (const std::int64_t dp : sizes) {
                for (const std::int64_t pp : sizes) {
                    Layout layout{.dp = dp, .tp = tp, .pp = pp, .cp = cp};
                    if (layout.world() > 32) {
                        continue;
                    }
                    visit(layout);
                    layout.shard = Shard::Fsdp;
                    visit(layout);
                    for (const std::int64_t size : sizes) {
                        if (layout.replicas() % size == 0 && (size % cp == 0 || cp % size == 0)) {
                            layout.shard = Shard::Hsdp;
                            layout.shardSize = size;
                            visit(layout);
                        }
                    }
                    layout.shardSize = 0;
                    for (const std::int64_t ep : sizes) {
                        for (const std::int64_t etp : sizes) {
                            layout.ep = ep;
                            layout.etp = etp;
                            if ((tp * cp * dp) % (ep * etp) == 0) {
                                visit(layout);
                            }
                        }
                    }
                }
            }
        }
    }
}

template <class Visit>
void everyGroup(const std::vector<std::int64_t>& sizes, Visit visit) {
    everyLayout(sizes, [&](const Layout& layout) {
        for (const bool inside : {false, true}) {
            for (const ExpertPlace place :
                 {ExpertPlace::OverAll, ExpertPlace::InsideData, ExpertPlace::DataFirst}) {
                const std::int64_t inner = place == ExpertPlace::OverAll ? layout.etp : layout.tp;
                if ((layout.world() / layout.pp) % (inner * layout.ep) != 0) {
                    continue;
                }
                for (const GroupKind kind : kEveryKind) {
                    visit(layout, RankOrder{.pipelineInside = inside, .experts = place}, kind);
                }
            }
        }
    });
}

TEST(GroupAxes, AreThoseOfTheGroupsListedOneByOne) {
    std::size_t checked = 0;
    everyGroup({1, 2, 3}, [&](const Layout& layout, const RankOrder& order, GroupKind kind) {
        const RankGroup first = rankGroupOf(RankId(0), layout, order, kind);
        std::vector<std::int64_t> expected;
        for (const RankId rank : first) {
            expected.push_back(rank.index());
        }
        ASSERT_EQ(listed(groupAxes(layout, order, kind)), expected) << named(layout, order, kind);
        ++checked;
    });
    EXPECT_GT(checked, 10'000U);
}

TEST(SpanOver, CountsNodesAsTheListedGroupsDo) {
    std::size_t checked = 0;
    everyGroup({1, 2, 4}, [&](const Layout& layout, const RankOrder& order, GroupKind kind) {
        const auto groups = rankGroups(layout, order, kind);
        for (const std::int64_t node : {2, 4, 8}) {
            const GroupSpan span = spanOver(groupAxes(layout, order, kind), node, layout.world());
            GroupSpan expected;
            for (const RankGroup& group : groups) {
                const GroupSpan one = counted(group, node);
                expected.pieces = std::max(expected.pieces, one.pieces);
                expected.perPiece = std::max(expected.perPiece, one.perPiece);
            }
            ASSERT_EQ(span.pieces, expected.pieces) << named(layout, order, kind) << " " << node;
            ASSERT_EQ(span.perPiece, expected.perPiece)
                << named(layout, order, kind) << " " << node;
            ++checked;
        }
    });
    EXPECT_GT(checked, 10'000U);
}

TEST(SpanOver, IsNeverTooFewNodesWhereSizesDoNotDivide) {
    everyGroup({1, 3, 5}, [&](const Layout& layout, const RankOrder& order, GroupKind kind) {
        const auto groups = rankGroups(layout, order, kind);
        for (const std::int64_t node : {2, 6, 8}) {
            const GroupSpan span = spanOver(groupAxes(layout, order, kind), node, layout.world());
            std::int64_t most = 1;
            for (const RankGroup& group : groups) {
                most = std::max(most, counted(group, node).pieces);
            }
            ASSERT_GE(span.pieces, most) << named(layout, order, kind) << " " << node;
            ASSERT_LE(span.pieces, groupAxes(layout, order, kind).ranks());
        }
    });
}

}  // namespace
}  // namespace fabricast
