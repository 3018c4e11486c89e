#include "planner/comm/expert_calls.h"
#include "planner/profiles/profile_store.h"

#include <gtest/gtest.h>

#include <utility>

namespace fabricast {
namespace {

TEST(TokenDispatch, CountsTheNodesThatATokenIsWantedIn) {
    // 8 of 256 experts.
    EXPECT_NEAR(expectedPlaces(256, 8, 2), 1.993, 5e-4);
    EXPECT_NEAR(expectedPlaces(256, 8, 4), 3.614, 5e-4);
    EXPECT_NEAR(expectedPlaces(256, 8, 8), 5.295, 5e-4);
    EXPECT_NEAR(expectedPlaces(256, 8, 16), 6.523, 5e-4);
    EXPECT_DOUBLE_EQ(expectedPlaces(256, 8, 1), 1.0);
    EXPECT_DOUBLE_EQ(expectedPlaces(8, 8, 8), 8.0);
}

TEST(TokenDispatch, RunsAtThePublishedRates) {
    // DeepEP on H100 with 400 Gb/s NICs: 90 GB/s over two nodes and 61 over four, counting every
    // node's copy.
    const ProfileStore profiles = ProfileStore::builtIn();
    const NcclModel model = *profiles.ncclModel("nccl");
    const ClusterLinks links = *clusterLinks(*profiles.cluster("dgx-h100"), model);
    const Bytes tokens(std::int64_t{1} << 30);
    const TokenDispatch dispatch{.tokens = tokens, .experts = 256, .topK = 8};
    for (const auto& [nodes, published] : {std::pair{2, 90.0}, std::pair{4, 61.0}}) {
        const CollectiveTime time =
            dispatchTime(dispatch, wholeNodes(8 * nodes, links), links, model);
        const double counted =
            static_cast<double>(tokens.count()) * expectedPlaces(256, 8, nodes) * 1e-9;
        EXPECT_NEAR(counted / time.seconds.count(), published, 0.08 * published);
    }
}

TEST(TokenDispatch, BeatsAnAllToAllOfEveryCopy) {
    const ProfileStore profiles = ProfileStore::builtIn();
    const NcclModel model = *profiles.ncclModel("nccl");
    const ClusterLinks links = *clusterLinks(*profiles.cluster("dgx-h100"), model);
    const Bytes tokens(58'720'256);
    const GroupShape shape = wholeNodes(32, links);
    const CollectiveTime once =
        dispatchTime({.tokens = tokens, .experts = 256, .topK = 8}, shape, links, model);
    const CollectiveTime each =
        collectiveTime(CollectiveKind::AllToAll, Bytes(tokens.count() * 8), shape, links, model);
    EXPECT_LT(once.seconds, each.seconds * 0.6);
}

}  // namespace
}  // namespace fabricast
