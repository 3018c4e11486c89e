#include "planner/comm/collective_curve.h"
#include "planner/profiles/profile_store.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// DGX H100 with what is built in, and curves of the user before that.
class OwnMachine {
public:
    explicit OwnMachine(std::vector<MeasuredCurve> curves) {
        const ProfileStore profiles = ProfileStore::builtIn();
        cluster_ = *profiles.cluster("dgx-h100");
        model_ = *profiles.ncclModel("nccl");
        links_ = *clusterLinks(cluster_, model_);
        place_ = placeOf(cluster_, links_);
        std::vector<MeasuredCollectives> all = *profiles.measuredCollectives();
        builtIn_ = correctionTable(all, model_);
        all.insert(all.begin(),
                   {.name = "ours", .own = true, .machine = cluster_, .curves = std::move(curves)});
        withOwn_ = correctionTable(all, model_);
    }

    [[nodiscard]] GroupShape on(std::int64_t ranks, std::int64_t hosts) const {
        return overHosts(ranks, hosts, links_);
    }
    [[nodiscard]] CollectiveTime at(const GroupShape& shape, double bytes) const {
        return timeBy(withOwn_, shape, bytes);
    }
    /// How many times as long as without the user's measurement.
    [[nodiscard]] double slowdown(const GroupShape& shape, double bytes) const {
        return at(shape, bytes).seconds / timeBy(builtIn_, shape, bytes).seconds;
    }

private:
    [[nodiscard]] CollectiveTime timeBy(const CorrectionTable& table,
                                        const GroupShape& shape,
                                        double bytes) const {
        const CollectiveCurve curve(
            CollectiveKind::AllReduce, shape, {links_, model_, place_, table});
        return curve.at(Bytes(static_cast<std::int64_t>(bytes)));
    }

    ClusterSpec cluster_;
    NcclModel model_;
    ClusterLinks links_;
    MeasuredPlace place_;
    CorrectionTable builtIn_;
    CorrectionTable withOwn_;
};

constexpr double kMebi = 1024.0 * 1024.0;

TEST(OwnCollectives, HoldBetweenNodesWhereRanksAreSpreadLikewise) {
    // 27 ms for 512 MiB: ten times what eight ranks in one node take.
    const OwnMachine dgx({{.ranks = 8,
                           .nodes = 2,
                           .points = {{kMebi, Seconds(1e-3)}, {512 * kMebi, Seconds(27e-3)}}}});
    EXPECT_NEAR(dgx.slowdown(dgx.on(8, 1), 512 * kMebi), 1.0, 1e-9);
    const GroupShape spread = dgx.on(8, 2);
    EXPECT_EQ(spread.nodes, 2);
    EXPECT_EQ(spread.perNode, 4);
    EXPECT_DOUBLE_EQ(spread.nics, 4.0);
    EXPECT_NEAR(dgx.at(spread, 512 * kMebi).seconds.count(), 27e-3, 1e-4);
    EXPECT_EQ(dgx.at(spread, 512 * kMebi).evidence, CollectiveEvidence::Measured);
    // Eight in each of two nodes were measured elsewhere, and four in each say nothing of them.
    EXPECT_NEAR(dgx.slowdown(dgx.on(16, 2), 512 * kMebi), 1.0, 1e-9);
    EXPECT_GT(dgx.slowdown(dgx.on(16, 4), 512 * kMebi), 2.0);
}

TEST(OwnCollectives, HoldForTheirSizesAndFourTimesBeyond) {
    // Twice as slow as a DGX H100 from 1 to 64 KiB.
    const OwnMachine dgx(
        {{.ranks = 8, .points = {{1024, Seconds(50e-6)}, {64 * 1024, Seconds(60e-6)}}}});
    const GroupShape node = dgx.on(8, 1);
    EXPECT_NEAR(dgx.at(node, 64 * 1024).seconds.count(), 60e-6, 1e-7);
    EXPECT_GT(dgx.slowdown(node, 256 * 1024), 1.5);
    EXPECT_GT(dgx.slowdown(node, 256), 1.5);
    for (const double bytes : {16 * kMebi, 64 * kMebi, 1024 * kMebi}) {
        EXPECT_NEAR(dgx.slowdown(node, bytes), 1.0, 1e-9) << bytes;
        EXPECT_EQ(dgx.at(node, bytes).evidence, CollectiveEvidence::Measured) << bytes;
    }
}

TEST(OwnCollectives, HoldWhereTheModelOfFewerBytesIsSlower) {
    // A library of one's own, in half the time that the model has for 64 B.
    const OwnMachine dgx(
        {{.ranks = 8, .points = {{1024, Seconds(7e-6)}, {1024 * kMebi, Seconds(4e-3)}}}});
    const GroupShape node = dgx.on(8, 1);
    EXPECT_NEAR(dgx.at(node, 1024).seconds.count(), 7e-6, 1e-8);
    EXPECT_NEAR(dgx.at(node, 1024 * kMebi).seconds.count(), 4e-3, 1e-5);
    EXPECT_LE(dgx.at(node, 8).seconds, dgx.at(node, 1024).seconds);
}

}  // namespace
}  // namespace fabricast
