#include "planner/comm/collective_curve.h"

#include "planner/profiles/profile_store.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace fabricast {
namespace {

struct Machine {
    ClusterSpec cluster;
    NcclModel model;
    ClusterLinks links;
    MeasuredPlace place;
    CorrectionTable corrections;

    explicit Machine(const std::string& name) {
        const ProfileStore profiles = ProfileStore::builtIn();
        cluster = *profiles.cluster(name);
        const bool amd = cluster.node.gpu.vendor == "AMD";
        model = *profiles.ncclModel(amd ? "rccl" : "nccl");
        links = *clusterLinks(cluster, model);
        place = placeOf(cluster, links);
        corrections = correctionTable(*profiles.measuredCollectives(), model);
    }
    [[nodiscard]] CollectiveSetting setting() const { return {links, model, place, corrections}; }
    [[nodiscard]] CollectiveCurve curve(CollectiveKind kind, std::int64_t ranks) const {
        return {kind, wholeNodes(ranks, links), setting()};
    }
};

TEST(CollectiveCurve, IsWhatWasMeasured) {
    const Machine h100("dgx-h100");
    // nccl-tests, all-reduce of 512 MiB: 2111 us on 8 H100, 2042 us on 8 H200, which are one die:
    // 2076 us, 452 GB/s of bus bandwidth.
    const CollectiveCurve reduce = h100.curve(CollectiveKind::AllReduce, 8);
    EXPECT_NEAR(reduce.seconds(Bytes(536870912)).count() * 1e6, 2076, 3);
    EXPECT_EQ(reduce.at(Bytes(536870912)).evidence, CollectiveEvidence::Measured);
    EXPECT_EQ(reduce.at(Bytes(536870912)).algorithm, CollectiveAlgorithm::Nvls);
    EXPECT_EQ(reduce.channels(Bytes(536870912)), 16);
    // Two nodes over InfiniBand: 8 GiB in 34.4 ms.
    const CollectiveCurve far = h100.curve(CollectiveKind::AllReduce, 16);
    EXPECT_NEAR(far.seconds(Bytes(std::int64_t{1} << 33)).count() * 1e3, 34.45, 0.4);
}

TEST(CollectiveCurve, SaysHowWellItKnows) {
    const Machine h100("dgx-h100");
    const auto evidence = [](const CollectiveCurve& curve) {
        return curve.at(Bytes(1 << 20)).evidence;
    };
    EXPECT_EQ(evidence(h100.curve(CollectiveKind::AllGather, 8)), CollectiveEvidence::Measured);
    EXPECT_EQ(evidence(h100.curve(CollectiveKind::AllGather, 6)), CollectiveEvidence::NearMeasured);
    EXPECT_EQ(evidence(h100.curve(CollectiveKind::AllReduce, 64)),
              CollectiveEvidence::NearMeasured);
    EXPECT_EQ(evidence(h100.curve(CollectiveKind::AllToAll, 64)), CollectiveEvidence::Modelled);
    const Machine cards("8x-rtx-4090");
    EXPECT_EQ(evidence(cards.curve(CollectiveKind::AllReduce, 8)), CollectiveEvidence::Assumed);
}

TEST(CollectiveCurve, IsMonotoneAndFiniteEverywhere) {
    for (const char* name : {"dgx-h100",
                             "dgx-a100",
                             "gb200-nvl72-tray",
                             "mi300x-8",
                             "8x-rtx-pro-6000-esc8000a",
                             "gcp-a3-megagpu-8g",
                             "aws-p3"}) {
        const Machine on(name);
        for (const CollectiveKind kind : {CollectiveKind::AllReduce,
                                          CollectiveKind::AllGather,
                                          CollectiveKind::ReduceScatter,
                                          CollectiveKind::AllToAll,
                                          CollectiveKind::SendReceive}) {
            for (const std::int64_t ranks : {2, 3, 8, 16, 128}) {
                const CollectiveCurve curve = on.curve(kind, ranks);
                double before = 0.0;
                for (double bytes = 1; bytes < 4e12; bytes *= 1.1) {
                    const double now =
                        curve.seconds(Bytes(static_cast<std::int64_t>(bytes))).count();
                    ASSERT_TRUE(std::isfinite(now));
                    ASSERT_GE(now, before)
                        << name << " " << collectiveName(kind) << " " << ranks << " " << bytes;
                    before = now;
                }
            }
        }
    }
}

TEST(CollectiveCurve, FollowsThePriorBetweenItsKnots) {
    // Without corrections a curve is the model, except for the corner where two lines cross.
    const Machine h100("dgx-h100");
    const CorrectionTable none;
    const CollectiveSetting setting{h100.links, h100.model, h100.place, none};
    for (const std::int64_t ranks : {2, 8, 64}) {
        const GroupShape shape = wholeNodes(ranks, h100.links);
        const CollectiveCurve curve(CollectiveKind::AllReduce, shape, setting);
        const CollectivePrior prior(CollectiveKind::AllReduce, shape, h100.links, h100.model);
        for (double bytes = 100; bytes < 1e11; bytes *= 1.3) {
            const Bytes size(static_cast<std::int64_t>(bytes));
            EXPECT_NEAR(curve.seconds(size) / prior.secondsAt(bytes), 1.0, 0.12)
                << ranks << " " << bytes;
        }
    }
}

TEST(CollectiveCurve, TakesForeverWithoutANetwork) {
    Machine alone("dgx-h100");
    alone.links.nicBandwidth = BytesPerSecond(0);
    EXPECT_TRUE(
        std::isinf(alone.curve(CollectiveKind::AllReduce, 16).seconds(Bytes(1 << 20)).count()));
}

TEST(CollectiveCurves, AreMadeOnce) {
    const Machine h100("dgx-h100");
    CollectiveCurves curves(h100.setting());
    const GroupShape shape = wholeNodes(8, h100.links);
    const CollectiveCurve* first = &curves.of(CollectiveKind::AllReduce, shape);
    EXPECT_EQ(&curves.of(CollectiveKind::AllReduce, shape), first);
    EXPECT_NE(&curves.of(CollectiveKind::AllGather, shape), first);
    EXPECT_EQ(first->seconds(Bytes(1 << 20)),
              h100.curve(CollectiveKind::AllReduce, 8).seconds(Bytes(1 << 20)));
}

}  // namespace
}  // namespace fabricast
