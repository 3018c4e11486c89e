#include "probes/fit/fit_runtime.h"

#include "planner/memory/overheads.h"
#include "probes/fit/fit_record.h"
#include "tests/probes/fit/record_lines.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

using namespace literals;

std::string footprint(const std::string& of, double mebibytes, const std::string& more = "") {
    const auto bytes = static_cast<std::int64_t>(mebibytes * 1024 * 1024);
    return R"({"point":"footprint of=)" + of + R"(","unit":"B",)" + more + R"("samples":[)" +
           std::to_string(bytes) + "]}\n";
}

std::string ofRanks(int ranks, const std::string& words = "") {
    return R"("facts":{"ranks":)" + std::to_string(ranks) + "}," + words;
}

std::string allFootprints() {
    return footprint("context", 430) + footprint("cublaslt", 40) + footprint("cudnn", 10) +
           footprint("nccl_init", 300, ofRanks(8)) + footprint("nccl_split", 30, ofRanks(8)) +
           footprint("nccl_first_call", 150, ofRanks(8));
}

FittedRuntime fittedOf(const std::string& lines) {
    const ProfileStore store = ProfileStore::builtIn();
    return fitRuntime(store.gpu("h200")->runtime, recordOf(lines).points, "probes");
}

std::string whyNot(const std::string& lines) {
    const FittedRuntime fitted = fittedOf(lines);
    EXPECT_TRUE(fitted.changes.empty());
    return fitted.leftOut.empty() ? "" : fitted.leftOut.front();
}

RuntimeOverhead overheadOn(const ProfileStore& store, const std::string& machine) {
    Scenario scenario;
    scenario.cluster = store.cluster(machine).value();
    scenario.layout = {.dp = 2, .tp = 4};
    return runtimeOverhead(scenario);
}

TEST(FitRuntime, FootprintsReachTheForecastOfMemory) {
    const ProfileStore builtIn = ProfileStore::builtIn();
    const RuntimeOverhead usual = overheadOn(builtIn, "dgx-h200");
    EXPECT_EQ(usual.context.value, 834_MiB);
    EXPECT_EQ(usual.context.lo, 400_MiB);
    EXPECT_EQ(usual.context.hi, 960_MiB);
    EXPECT_EQ(usual.collectives.value, 2732_MiB);
    EXPECT_NE(usual.assumption(), "");
    const auto fitted = fitRecord(builtIn, recordOf(allFootprints()), {.name = "ours"});
    ASSERT_TRUE(fitted) << fitted.error().text();
    EXPECT_EQ(fitted->gpu, "h200-sxm-141gb");
    const TemporaryFolder folder("fabricast_fit_runtime");
    const auto written = writeProfile(fitted->files, folder.path(), {});
    ASSERT_TRUE(written) << written.error().text();
    const auto store = ProfileStore::open(std::vector<std::string>{folder.path()});
    ASSERT_TRUE(store) << store.error().text();
    const RuntimeOverhead ours = overheadOn(*store, "dgx-h200");
    // What the framework loads in addition stays as it was: 298 MiB, of 20 to 320.
    EXPECT_EQ(ours.context.value, 778_MiB);
    EXPECT_EQ(ours.context.lo, 500_MiB);
    EXPECT_EQ(ours.context.hi, 800_MiB);
    EXPECT_EQ(ours.collectives.value, 540_MiB);
    EXPECT_EQ(ours.collectives.lo, 540_MiB);
    EXPECT_EQ(ours.collectives.hi, 4608_MiB);
    EXPECT_EQ(ours.assumption(), "");
    EXPECT_EQ(ours.contextOrigin,
              "measured: fabricast-probe-cuda, 2026-11-22, driver 580.95.05, cuda_runtime 13.0");
    // Other GPUs keep what is usual.
    EXPECT_EQ(overheadOn(*store, "dgx-h100").context.value, 834_MiB);
}

TEST(FitRuntime, ShowsWhatANumberWasAndIs) {
    const auto fitted =
        fitRecord(ProfileStore::builtIn(), recordOf(allFootprints()), {.name = "ours"});
    ASSERT_TRUE(fitted);
    EXPECT_EQ(fitted->report,
              "memory beside tensors of h200-sxm-141gb\n"
              "  number        points  spread  before    now\n"
              "  context            3          536 MiB   480 MiB\n"
              "  communicator       2          1.19 GiB  180 MiB\n");
}

TEST(FitRuntime, OneOfBothStaysAsItWas) {
    const FittedRuntime fitted = fittedOf(footprint("nccl_first_call", 150, ofRanks(2)));
    ASSERT_EQ(fitted.changes.size(), 1U);
    EXPECT_EQ(*fitted.runtime.context.value, 536_MiB);
    EXPECT_EQ(*fitted.runtime.communicator.value, 150_MiB);
    EXPECT_EQ(*fitted.runtime.communicator.hi, 1536_MiB);
    EXPECT_NE(fitted.runtime.communicator.note.find("2 ranks"), std::string::npos);
}

TEST(FitRuntime, LeavesOutWhatSaysNothing) {
    EXPECT_EQ(whyNot(footprint("context", 430)),
              "context: footprint of=context and of=cublaslt are wanted together, in one sitting");
    EXPECT_NE(whyNot(footprint("context", 9000) + footprint("cublaslt", 40))
                  .find("others used the GPU's memory meanwhile"),
              std::string::npos);
    EXPECT_NE(whyNot(footprint("context", 1) + footprint("cublaslt", 1)).find("not between"),
              std::string::npos);
    EXPECT_EQ(whyNot(footprint("nccl_first_call", 150, ofRanks(1))),
              "footprint of=nccl_first_call: one rank has no buffers for others");
    EXPECT_EQ(
        whyNot(footprint("nccl_first_call", 150, ofRanks(2, R"("words":{"shared_gpu":"yes"},)"))),
        "footprint of=nccl_first_call: ranks shared a GPU");
    EXPECT_EQ(whyNot("{\"point\":\"footprint of=context\",\"refused\":\"NVML is not here\"}\n"),
              "footprint of=context: NVML is not here");
}

TEST(FitRuntime, RecordsOfOtherDaysAreJoined) {
    const ProfileStore builtIn = ProfileStore::builtIn();
    const auto first = fitRecord(
        builtIn, recordOf(footprint("context", 430) + footprint("cublaslt", 40)), {.name = "ours"});
    ASSERT_TRUE(first);
    const TemporaryFolder folder("fabricast_fit_runtime_joined");
    ASSERT_TRUE(writeProfile(first->files, folder.path(), {}));
    const auto store = ProfileStore::open(std::vector<std::string>{folder.path()});
    const auto second = fitRecord(
        *store, recordOf(footprint("nccl_first_call", 150, ofRanks(8))), {.name = "ours"});
    ASSERT_TRUE(second);
    ASSERT_TRUE(writeProfile(second->files, folder.path(), {}));
    const auto both = ProfileStore::open(std::vector<std::string>{folder.path()});
    EXPECT_EQ(*both->gpu("h200")->runtime.context.value, 470_MiB);
    EXPECT_EQ(*both->gpu("h200")->runtime.communicator.value, 150_MiB);
}

}  // namespace
}  // namespace fabricast
