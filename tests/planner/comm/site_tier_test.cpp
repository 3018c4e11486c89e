#include "planner/comm/site_tier.h"

#include "planner/comm/collective_curve.h"
#include "planner/profiles/profile_store.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace fabricast {
namespace {

constexpr std::int64_t kGigabyte = 1'000'000'000;
const std::vector<CollectiveKind> kKindsOverSites = {CollectiveKind::AllReduce,
                                                     CollectiveKind::AllGather,
                                                     CollectiveKind::ReduceScatter,
                                                     CollectiveKind::Broadcast,
                                                     CollectiveKind::Reduce,
                                                     CollectiveKind::AllToAll,
                                                     CollectiveKind::SendReceive};

/// Four DGX H100 at two sites, which are joined by 100 Gb/s, all of it usable, over 10 ms.
struct TwoSites {
    ClusterSpec cluster;
    NcclModel model;
    ClusterLinks links;
    MeasuredPlace place;
    CorrectionTable corrections;

    explicit TwoSites(double gbps = 100.0,
                      double milliseconds = 10.0,
                      std::int64_t sites = 2,
                      std::int64_t nodes = 4,
                      const char* name = "dgx-h100") {
        const ProfileStore profiles = ProfileStore::builtIn();
        cluster = *profiles.cluster(name);
        cluster.nodes = nodes;
        cluster.sites = {.count = sites,
                         .rate = BytesPerSecond(gbps * 1e9 / 8.0),
                         .latency = Seconds(milliseconds * 1e-3)};
        model = *profiles.ncclModel("nccl");
        links = *clusterLinks(cluster, model);
        place = placeOf(cluster, links);
        corrections = correctionTable(*profiles.measuredCollectives(), model);
    }
    [[nodiscard]] GroupShape shape(const Layout& layout, GroupKind kind) const {
        return groupShape(layout, {}, kind, links);
    }
    [[nodiscard]] double seconds(CollectiveKind kind, const GroupShape& over) const {
        const CollectiveCurve curve(kind, over, {links, model, place, corrections});
        return curve.seconds(Bytes(kGigabyte)).count();
    }
};

TEST(SiteTier, GroupsCrossWhereTheirOutermostAxisDoes) {
    const TwoSites two;
    const Layout data{.dp = 32};
    EXPECT_EQ(two.shape(data, GroupKind::Data).sites, 2);
    EXPECT_EQ(two.shape(data, GroupKind::Data).siteGroups, 1);
    // Stages are outermost: the data ranks of each are at one site, and pipelines cross.
    const Layout stages{.dp = 4, .tp = 4, .pp = 2};
    EXPECT_EQ(two.shape(stages, GroupKind::Data).sites, 1);
    EXPECT_EQ(two.shape(stages, GroupKind::Tensor).sites, 1);
    EXPECT_EQ(two.shape(stages, GroupKind::Pipeline).sites, 2);
    EXPECT_EQ(two.shape(stages, GroupKind::Pipeline).siteGroups, 16);
    // First and last of four stages: eight pairs.
    const Layout four{.dp = 8, .pp = 4};
    EXPECT_EQ(two.shape(four, GroupKind::Embedding).sites, 2);
    EXPECT_EQ(two.shape(four, GroupKind::Embedding).siteGroups, 8);
    const GroupShape inside = insideSite(two.shape(data, GroupKind::Data));
    EXPECT_EQ(inside.ranks, 16);
    EXPECT_EQ(inside.nodes, 2);
    EXPECT_EQ(inside.perNode, 8);
}

TEST(SiteTier, BytesThatCrossAreThoseOfRingsOverSites) {
    const TwoSites two;
    const GroupShape data = two.shape(Layout{.dp = 32}, GroupKind::Data);
    // An all-reduce of S over 2 sites: each sends 2(s-1)/s S = S, in two messages.
    EXPECT_DOUBLE_EQ(siteTier(CollectiveKind::AllReduce, data).share, 1.0);
    EXPECT_DOUBLE_EQ(siteTier(CollectiveKind::AllReduce, data).hops, 2.0);
    EXPECT_DOUBLE_EQ(siteTier(CollectiveKind::AllGather, data).share, 0.5);
    EXPECT_DOUBLE_EQ(siteTier(CollectiveKind::ReduceScatter, data).share, 0.5);
    // Each of 16 ranks has 16 of 32 parts for the other site.
    EXPECT_DOUBLE_EQ(siteTier(CollectiveKind::AllToAll, data).share, 8.0);
    // 1 GB at 12.5 GB/s, and twice 10 ms.
    const SiteTier tier = siteTier(CollectiveKind::AllReduce, data);
    EXPECT_NEAR(betweenSites(tier, 1e9, data, two.links), 0.080 + 0.020, 1e-12);
    const TwoSites four(100.0, 10.0, 4);
    const GroupShape wide = four.shape(Layout{.dp = 32}, GroupKind::Data);
    EXPECT_DOUBLE_EQ(siteTier(CollectiveKind::AllReduce, wide).share, 1.5);
    EXPECT_DOUBLE_EQ(siteTier(CollectiveKind::AllReduce, wide).hops, 6.0);
}

TEST(SiteTier, GroupsShareTheWayOutAndNicsLimitIt) {
    const TwoSites two;
    // Eight tensor parallel ranks: eight groups of data ranks.
    const GroupShape split = two.shape(Layout{.dp = 4, .tp = 8}, GroupKind::Data);
    EXPECT_EQ(split.siteGroups, 8);
    EXPECT_DOUBLE_EQ(siteRate(split, two.links).count(), 12.5e9 / 8.0);
    // 100 Tb/s are more than the 16 NICs of a site carry.
    const TwoSites fast(100'000.0);
    const GroupShape data = fast.shape(Layout{.dp = 32}, GroupKind::Data);
    EXPECT_DOUBLE_EQ(siteRate(data, fast.links).count(), 16.0 * fast.links.nicBandwidth.count());
}

TEST(SiteTier, AnAllReduceIsScatterThenBetweenThenGather) {
    const TwoSites two;
    const GroupShape data = two.shape(Layout{.dp = 32}, GroupKind::Data);
    const GroupShape inside = insideSite(data);
    const double scatter = two.seconds(CollectiveKind::ReduceScatter, inside);
    const double gather = two.seconds(CollectiveKind::AllGather, inside);
    EXPECT_NEAR(two.seconds(CollectiveKind::AllReduce, data), scatter + 0.1 + gather, 1e-6);
    EXPECT_NEAR(two.seconds(CollectiveKind::AllGather, data), gather + 0.04 + 0.01, 1e-6);
}

TEST(SiteTier, MoreBandwidthIsNeverSlower) {
    for (const CollectiveKind kind : kKindsOverSites) {
        double before = 0.0;
        for (const double gbps : {100'000.0, 1'000.0, 400.0, 100.0, 10.0, 0.5}) {
            const TwoSites two(gbps);
            const double seconds = two.seconds(kind, two.shape(Layout{.dp = 32}, GroupKind::Data));
            EXPECT_GE(seconds, before);
            before = seconds;
        }
    }
}

/// Every size of a collective takes as long at several sites as at one, or longer, and the longer
/// the slower the line between them is.
void expectNoGain(CollectiveKind kind, const Layout& layout, const std::vector<TwoSites>& slower) {
    std::vector<CollectiveCurve> curves;
    for (const TwoSites& sites : slower) {
        curves.emplace_back(
            kind,
            sites.shape(layout, GroupKind::Data),
            CollectiveSetting{sites.links, sites.model, sites.place, sites.corrections});
    }
    for (std::int64_t size = 1; size < 100 * kGigabyte; size *= 3) {
        for (std::size_t i = 1; i < curves.size(); ++i) {
            EXPECT_GE(curves[i].seconds(Bytes(size)), curves[i - 1].seconds(Bytes(size)))
                << "kind " << static_cast<int>(kind) << ", " << size << " bytes, dp=" << layout.dp
                << ", line " << i << " of " << slower[i].links.sites << " sites";
        }
    }
}

TEST(SiteTier, NoExchangeIsQuickerOverSitesThanAtOneOfThem) {
    for (const char* const cluster : {"dgx-h100", "dgx-a100", "8x-rtx-4090", "gb200-nvl72"}) {
        for (const std::int64_t sites : {2, 8, 64}) {
            constexpr std::int64_t kNodes = 64;
            std::vector<TwoSites> slower;
            slower.emplace_back(0.0, 0.0, 1, kNodes, cluster);
            slower.emplace_back(1e6, 0.0, sites, kNodes, cluster);
            slower.emplace_back(400.0, 0.01, sites, kNodes, cluster);
            slower.emplace_back(400.0, 20.0, sites, kNodes, cluster);
            slower.emplace_back(10.0, 20.0, sites, kNodes, cluster);
            const std::int64_t world = slower[0].cluster.gpus();
            for (const CollectiveKind kind : kKindsOverSites) {
                expectNoGain(kind, Layout{.dp = world}, slower);
                expectNoGain(kind, Layout{.dp = world / 4, .tp = 4}, slower);
                expectNoGain(kind, Layout{.dp = world / 8, .tp = 4, .pp = 2}, slower);
            }
        }
    }
}

TEST(SiteTier, OneSiteIsAsWithout) {
    const TwoSites one(100.0, 10.0, 1);
    const GroupShape data = one.shape(Layout{.dp = 32}, GroupKind::Data);
    EXPECT_EQ(data.sites, 1);
    EXPECT_EQ(insideSite(data), data);
}

}  // namespace
}  // namespace fabricast
