#include "planner/comm/collective_curve.h"
#include "planner/compute/gemm_time.h"
#include "planner/estimate/op_kernels.h"
#include "planner/load/load_question.h"
#include "planner/profiles/profile_store.h"
#include "probes/fit/cpu_fit.h"
#include "probes/fit/fit_record.h"
#include "probes/fit/ring_fit.h"
#include "tests/probes/fit/made_up_record.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

namespace fabricast {
namespace {

std::string freshFolder(const std::string& name) {
    const auto folder = std::filesystem::path(tempFolder()) / name;
    std::filesystem::remove_all(folder);
    return folder.string();
}

struct Loaded {
    ProfileStore store;
    ClusterSpec cluster;
    TimingProfiles timing;
};

Loaded loaded(const std::string& name) {
    const std::string folder = freshFolder(name);
    const auto profile = cpuProfile(madeUpRecord(), "made-up");
    EXPECT_TRUE(profile) << profile.error().text();
    const auto written = writeProfile(profile->files, folder, {});
    EXPECT_TRUE(written) << written.error().text();
    const ProfileStore store = *ProfileStore::open(std::vector<std::string>{folder});
    const auto cluster = store.cluster("made-up");
    EXPECT_TRUE(cluster) << cluster.error().text();
    const auto timing = loadTiming(store);
    EXPECT_TRUE(timing) << timing.error().text();
    return {store, *cluster, *timing};
}

TEST(RingFit, FindsTheStepAndTheRate) {
    MeasuredCurve curve{.kind = CollectiveKind::AllGather, .ranks = 3, .nodes = 3};
    for (const double bytes : {1e4, 1e6, 1e8}) {
        curve.points.push_back({bytes, Seconds(ringSeconds("all_gather", bytes, 3))});
    }
    const RingFit fit = fitRing({curve});
    EXPECT_NEAR(fit.step.count(), kStep, 1e-9);
    EXPECT_NEAR(fit.rate.count(), kRate, 1.0);
    EXPECT_EQ(fit.rows, 3U);
    EXPECT_EQ(fitRing({}).rows, 0U);
}

/// Groups of two and three were measured: the model gives the time of four, at any size.
TEST(CpuProfile, ForecastsRingsThatNobodyMeasured) {
    const Loaded on = loaded("cpu_profile_rings");
    const CollectiveLibrary& library = on.timing.libraryOf(on.cluster.node.gpu);
    EXPECT_EQ(library.model.library, "mpi");
    const auto links = clusterLinks(on.cluster, library.model);
    ASSERT_TRUE(links) << links.error().text();
    const MeasuredPlace place = placeOf(on.cluster, *links);
    for (const int ranks : {2, 3, 4}) {
        const CollectiveCurve curve(CollectiveKind::AllReduce,
                                    wholeNodes(ranks, *links),
                                    {*links, library.model, place, library.corrections});
        for (const double bytes : {65536.0, 100000.0, 3e6, 5e7}) {
            const double truth = ringSeconds("all_reduce", bytes, ranks);
            EXPECT_NEAR(curve.seconds(Bytes(std::llround(bytes))).count() / truth, 1.0, 0.02)
                << ranks << " ranks, " << bytes << " bytes";
        }
    }
}

TEST(CpuProfile, ProductsTakeWhatTheyTook) {
    const Loaded on = loaded("cpu_profile_products");
    ASSERT_TRUE(on.cluster.node.gpu.kernels);
    const KernelProfile& kernels = *on.cluster.node.gpu.kernels;
    const Gemm gemm{.m = 300, .n = 512, .k = 768, .type = GemmType::Fp32};
    EXPECT_NEAR(gemmTime(kernels, gemm, {}).count() / productSeconds(300, 512, 768), 1.0, 0.03);
    EXPECT_NEAR(kernels.inputGradientFactor, 1.1, 1e-3);
    EXPECT_EQ(on.cluster.node.gpus, 1);
    EXPECT_EQ(on.cluster.node.gpu.memory.value->count(), std::int64_t{1} << 33);
    const SoftwareTiming* software = on.timing.softwareOf("torch-eager", on.cluster.node.gpu);
    ASSERT_NE(software, nullptr);
    EXPECT_DOUBLE_EQ(software->contention, 0.2);
}

/// The host probe's record may be joined: what all threads of a host move is not a rank's.
TEST(CpuProfile, TheHostsMemoryIsNotARanks) {
    MergedMeasurements record = madeUpRecord();
    const auto alone = cpuProfile(record, "made-up");
    RecordedPoint whole = pointOf("memory", {{"op", "copy"}, {"threads", "8"}}, (1 << 30) / 50e9);
    whole.facts["bytes"] = 1 << 30;
    record.points.push_back(whole);
    record.points.push_back(pointOf("cpu_adam", {{"parameters", "32M"}, {"threads", "8"}}, 0.1));
    const auto joined = cpuProfile(record, "made-up");
    ASSERT_TRUE(alone && joined);
    ASSERT_EQ(joined->files.size(), alone->files.size());
    for (std::size_t at = 0; at < alone->files.size(); ++at) {
        EXPECT_EQ(joined->files[at].text, alone->files[at].text) << alone->files[at].path;
    }
}

/// A device whose attention was timed in fp32 is not treated as one of half the 16-bit rate.
TEST(CpuProfile, AttentionRunsInTheTypeItWasTimedIn) {
    const Loaded on = loaded("cpu_profile_attention");
    Scenario scenario;
    scenario.settings.precision.compute = Dtype::Fp32;
    scenario.model.attention.headDim = 64;
    scenario.workload.sequence = 256;
    const auto typeOn = [&](const GpuSpec& gpu) {
        const auto attentions = attentionsOf(scenario, *gpu.kernels);
        EXPECT_EQ(attentions.size(), 1U);
        return std::pair(attentions.front().attention.type, attentions.front().share);
    };
    EXPECT_EQ(typeOn(on.cluster.node.gpu), std::pair(GemmType::Fp32, 1.0));
    EXPECT_EQ(typeOn(*on.store.gpu("h100-sxm5-80gb")), std::pair(GemmType::Bf16, 2.0));
}

/// Other devices keep their own libraries and software with such a profile.
TEST(CpuProfile, LeavesGpusAlone) {
    const Loaded on = loaded("cpu_profile_gpus");
    const GpuSpec h100 = *on.store.gpu("h100-sxm5-80gb");
    EXPECT_EQ(on.timing.libraryOf(h100).model.library, "nccl");
    EXPECT_EQ(on.timing.libraryOf(*on.store.gpu("mi300x")).model.library, "rccl");
    EXPECT_GT(on.timing.softwareOf("torch-eager", h100)->step.count(), 0.0);
    EXPECT_EQ(on.timing.softwareOf("no-such", h100), nullptr);
}

TEST(CpuProfile, SaysWhatIsMissing) {
    const auto errorOf = [](const MergedMeasurements& record, const std::string& name) {
        const auto profile = cpuProfile(record, name);
        return profile ? std::string() : profile.error().text();
    };
    MergedMeasurements record = madeUpRecord();
    EXPECT_NE(errorOf(record, "Made Up").find("lower-case"), std::string::npos);
    record.machine["nodes"] = "3";
    EXPECT_NE(errorOf(record, "a").find("do not spread evenly"), std::string::npos);
    record.machine.erase("ranks");
    EXPECT_NE(errorOf(record, "a").find("\"ranks\""), std::string::npos);
    record = madeUpRecord();
    std::erase_if(record.points, [](const RecordedPoint& point) { return point.what == "memory"; });
    EXPECT_NE(errorOf(record, "a").find("memory op=copy"), std::string::npos);
    record = madeUpRecord();
    std::erase_if(record.points, [](const RecordedPoint& point) { return point.what == "gemm"; });
    EXPECT_NE(errorOf(record, "a").find("too few"), std::string::npos);
    EXPECT_NE(errorOf({}, "a").find("is empty"), std::string::npos);
}

}  // namespace
}  // namespace fabricast
