#include "planner/comm/nccl_estimate.h"
#include "planner/profiles/profile_store.h"

#include <gtest/gtest.h>

#include <iosfwd>
#include <ostream>
#include <vector>

namespace fabricast {
namespace {

NcclModel nccl() {
    return *ProfileStore::builtIn().ncclModel("nccl");
}

constexpr auto kRing = CollectiveAlgorithm::Ring;
constexpr auto kTree = CollectiveAlgorithm::Tree;
constexpr auto kSimple = CollectiveProtocol::Simple;

struct LatencyCase {
    const char* what;
    NcclCall call;
    double microseconds;
    friend void PrintTo(const LatencyCase& row, std::ostream* out) { *out << row.what; }
};

class NcclLatency : public testing::TestWithParam<LatencyCase> {};

TEST_P(NcclLatency, IsThatOfTheTuner) {
    NcclCall call = GetParam().call;
    call.networkOverhead = Seconds(1e-6);
    EXPECT_NEAR(ncclLatency(call, nccl()).count() * 1e6, GetParam().microseconds, 1e-9);
}

constexpr auto kReduce = CollectiveKind::AllReduce;
constexpr auto kGather = CollectiveKind::AllGather;
INSTANTIATE_TEST_SUITE_P(
    Tuner,
    NcclLatency,
    testing::Values(
        // 8.4 + 14 · 3.4
        LatencyCase{"ring_simple_8", {kReduce, kRing, kSimple, 8, 1, 8}, 56.0},
        // 6.6 + 14 · 0.6
        LatencyCase{"ring_ll_8", {kReduce, kRing, CollectiveProtocol::Ll, 8, 1, 8}, 15.0},
        // 8.4 + 2 · 7 · 4
        LatencyCase{"tree_simple_8", {kReduce, kTree, kSimple, 8, 1, 8}, 64.4},
        LatencyCase{"nvls_8", {kReduce, CollectiveAlgorithm::Nvls, kSimple, 8, 1, 8}, 25.0},
        // 8 + 7 · 14 / 3.5 + 2.8 · 128
        LatencyCase{"pat_128", {kGather, CollectiveAlgorithm::Pat, kSimple, 128, 128, 1}, 394.4},
        // 8.4 + 127 · 14
        LatencyCase{"ring_gather_128", {kGather, kRing, kSimple, 128, 128, 1}, 1786.4},
        // 8.4 + 896 · 3.4 + 127 · 14
        LatencyCase{"ring_gather_1024", {kGather, kRing, kSimple, 1024, 128, 8}, 4832.8},
        // 8.4 + 2 · (7 · 4 + 7 · 14)
        LatencyCase{"tree_1024", {kReduce, kTree, kSimple, 1024, 128, 8}, 260.4}),
    [](const auto& row) { return row.param.what; });

TEST(NcclLatencyAcrossNodes, CountsTheNetworkTwiceWhereItIsFlushed) {
    NcclCall call{kReduce, kTree, CollectiveProtocol::Ll, 16, 2, 8};
    const Seconds near = ncclLatency(call, nccl());
    call.networkLatency = Seconds(10e-6);
    // Up and down one level: 2 · 10 us, and for Simple 2 · 2 · 10 us.
    EXPECT_NEAR((ncclLatency(call, nccl()) - near).count(), 20e-6, 1e-12);
    call.protocol = kSimple;
    const Seconds far = ncclLatency(call, nccl());
    call.networkLatency = Seconds(0);
    EXPECT_NEAR((far - ncclLatency(call, nccl())).count(), 40e-6, 1e-12);
}

}  // namespace
}  // namespace fabricast
