#include "probes/fit/cpu_profile.h"

#include "planner/comm/collective_curve.h"
#include "planner/compute/gemm_time.h"
#include "planner/io/profile_store.h"
#include "planner/load/load_timing.h"
#include "probes/fit/ring_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

namespace fabricast {
namespace {

constexpr double kStep = 40e-6;     // of a ring, before its first byte
constexpr double kRate = 118e6;     // of a link
constexpr double kProducts = 90e9;  // flop/s of endless products
constexpr double kCopy = 8e9;

/// What a ring of n takes for S bytes.
double ringSeconds(const std::string& what, double bytes, double ranks) {
    const double steps = (what == "all_reduce" ? 2.0 : 1.0) * (ranks - 1.0);
    return steps * (kStep + bytes / ranks / kRate);
}

RecordedPoint pointOf(const std::string& what,
                      std::map<std::string, std::string> settings,
                      double seconds) {
    RecordedPoint point{.what = what, .settings = std::move(settings), .unit = "s"};
    point.text = what;
    for (const auto& [key, value] : point.settings) {
        point.text += " " + key + "=" + value;
    }
    point.median = seconds;
    point.samples = {seconds};
    return point;
}

void addRings(int ranks, MergedMeasurements& record) {
    for (const char* what : {"all_reduce", "all_gather", "reduce_scatter"}) {
        for (std::int64_t bytes = 1 << 14; bytes <= 1 << 26; bytes *= 4) {
            const auto n = std::to_string(ranks);
            record.points.push_back(
                pointOf(what,
                        {{"bytes", std::to_string(bytes)}, {"ranks", n}, {"nodes", n}},
                        ringSeconds(what, static_cast<double>(bytes), ranks)));
        }
    }
}

/// A product as a CPU whose inner loops take 20 steps to begin would run it.
double productSeconds(double m, double n, double k) {
    return 2.0 * m * n * (k + 20.0) / kProducts;
}

void addProducts(MergedMeasurements& record) {
    for (const int m : {64, 256, 1024}) {
        for (const int k : {128, 512, 1024}) {
            for (const auto& [layout, factor] :
                 {std::pair("tn", 1.0), std::pair("nn", 1.1), std::pair("nt", 1.05)}) {
                RecordedPoint point = pointOf("gemm",
                                              {{"dtype", "fp32"},
                                               {"layout", layout},
                                               {"m", std::to_string(m)},
                                               {"n", "512"},
                                               {"k", std::to_string(k)}},
                                              factor * productSeconds(m, 512, k));
                point.facts["flop"] = 2.0 * m * 512 * k;
                record.points.push_back(std::move(point));
            }
        }
    }
}

MergedMeasurements madeUpRecord() {
    MergedMeasurements record;
    record.machine = {{"cpu", "Made-Up CPU \"9\""},
                      {"mpi", "Open MPI v4"},
                      {"ranks", "4"},
                      {"nodes", "4"},
                      {"memory_bytes", "8589934592"}};
    record.sittings = {{.source = "made_up.jsonl",
                        .program = "fabricast-probe-mpi",
                        .begun = "2026-11-22T10:00:00Z"}};
    addRings(2, record);
    addRings(3, record);
    addProducts(record);
    RecordedPoint copy = pointOf("memory", {{"op", "copy"}, {"bytes", "64M"}}, (1 << 26) / kCopy);
    copy.facts["bytes"] = 1 << 26;
    record.points.push_back(copy);
    RecordedPoint both = pointOf("overlap", {{"ranks", "4"}}, 1.0);
    both.facts["contention"] = 0.2;
    record.points.push_back(both);
    return record;
}

std::string freshFolder(const std::string& name) {
    const auto folder = std::filesystem::path(testing::TempDir()) / name;
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
    const auto written = writeCpuProfile(*profile, folder);
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

/// Groups of two and three were measured: the model says what four take, at any size.
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

/// Other devices keep their own libraries and software beside such a profile.
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
