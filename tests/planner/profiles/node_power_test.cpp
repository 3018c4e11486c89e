#include "planner/profiles/profile_store.h"

#include <gtest/gtest.h>

#include <array>

namespace fabricast {
namespace {

double wattsOfGpu(const NodeSpec& node) {
    return node.power.value ? node.power.value->count() / static_cast<double>(node.gpus) : 0.0;
}

/// -c 8x-rtx-5090, and --gpu rtx-5090 --gpus-per-node 8.
TEST(NodePower, IsTheSameHoweverABoxIsCalled) {
    const ProfileStore store = ProfileStore::builtIn();
    for (const ProfileKind kind : std::array{ProfileKind::Cluster, ProfileKind::Node}) {
        for (const ProfileFile& file : store.files(kind)) {
            const NodeSpec named = store.cluster(file.name).value().node;
            const NodeSpec typed = store.clusterFrom(named.gpu.name, named.gpus).value().node;
            EXPECT_NEAR(wattsOfGpu(named), wattsOfGpu(typed), 1e-6) << file.name;
        }
    }
}

TEST(NodePower, SaysWhoseShareItIs) {
    const ProfileStore store = ProfileStore::builtIn();
    EXPECT_EQ(store.node("dgx-h100")->powerLike, "");
    const NodeSpec hgx = store.node("hgx-h100").value();
    EXPECT_EQ(hgx.powerLike, "dgx-h100");
    EXPECT_NEAR(hgx.power.value->count(), 10'200.0, 1e-6);
    const NodeSpec half = store.clusterFrom("rtx-5090", 4)->node;
    EXPECT_EQ(half.powerLike, "8x-rtx-5090");
    EXPECT_NEAR(half.power.value->count(), 2'550.0, 1e-6);
    EXPECT_FALSE(store.clusterFrom("rtx-4090", 8)->node.power.value);
}

}  // namespace
}  // namespace fabricast
