#include "planner/backtest/fit_machine.h"

#include "planner/backtest/forecast_run.h"
#include "planner/load/load_timing.h"
#include "planner/text/csv_text.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

/// A machine with made-up runs: every step is the forecast with these factors.
class MachineFits : public testing::Test {
protected:
    static void SetUpTestSuite() {
        profiles = new ProfileStore(ProfileStore::builtIn());
        catalog = new RunCatalog(RunCatalog::open(*profiles).value());
        timing = new TimingProfiles(loadTiming(*profiles).value());
    }

    static std::vector<PublishedRun> runsOf(int count, int nodes, const std::string& gpu) {
        std::string csv =
            "id,model,layers,hidden,ffn,heads,kv_heads,vocab,seq,gpus,gpus_per_node,gpu,stack,dp,"
            "tp,"
            "micro_batch,global_batch,shard,recompute\n";
        for (int i = 0; i < count; ++i) {
            const int gpus = 8 * nodes;
            csv += "own-" + std::to_string(i) + ",Llama3 8B,32,4096,14336,32,8,128256," +
                   std::to_string(1024 * (1 + i % 4)) + "," + std::to_string(gpus) + ",8," + gpu +
                   ",fsdp2," + std::to_string(gpus) + ",1,1," + std::to_string(gpus) +
                   ",fsdp,none\n";
        }
        return readRuns(parseCsv(csv, "own.csv").value()).value();
    }

    static std::vector<PublishedRun> played(std::vector<PublishedRun> runs,
                                            double clock,
                                            double network) {
        const RunCatalog own = catalog->corrected(clock, network);
        for (PublishedRun& run : runs) {
            run.stepSeconds = forecastRun(run, own, *timing).step.value().step.value.count();
        }
        return runs;
    }

    static Result<MachineCorrection> fitted(const std::vector<PublishedRun>& runs) {
        return fitMachine(runs, *catalog, *timing, 2);
    }

    static const ProfileStore* profiles;
    static const RunCatalog* catalog;
    static const TimingProfiles* timing;
};
const ProfileStore* MachineFits::profiles = nullptr;
const RunCatalog* MachineFits::catalog = nullptr;
const TimingProfiles* MachineFits::timing = nullptr;

TEST_F(MachineFits, FindAClockThatIsFifteenPercentSlower) {
    std::vector<PublishedRun> runs = played(runsOf(9, 1, "h100_sxm"), 1.0 / 1.15, 1.0);
    *runs.front().stepSeconds *= 3.0;  // one odd run moves nothing
    const auto fit = fitted(runs);
    ASSERT_TRUE(fit) << fit.error().text();
    EXPECT_NEAR(fit->clock, 1.0 / 1.15, 0.01);
    EXPECT_EQ(fit->network, 1.0);  // no traffic leaves the node
    EXPECT_EQ(fit->runs, 9);
    EXPECT_LT(fit->errorAfter, 0.01);
    EXPECT_GT(fit->errorBefore, 0.05);
}

TEST_F(MachineFits, FindANetworkWhereRunsFeelIt) {
    const auto fit = fitted(played(runsOf(8, 4, "h100_sxm"), 1.0, 0.6));
    ASSERT_TRUE(fit) << fit.error().text();
    EXPECT_NEAR(fit->clock, 1.0, 0.03);
    EXPECT_NEAR(fit->network, 0.6, 0.03);
}

TEST_F(MachineFits, RefuseTooFewRunsAndSeveralMachines) {
    const auto few = fitted(played(runsOf(5, 1, "h100_sxm"), 0.9, 1.0));
    ASSERT_FALSE(few);
    EXPECT_NE(few.error().why.find("only 5 of 5"), std::string::npos);
    std::vector<PublishedRun> runs = played(runsOf(8, 1, "h100_sxm"), 0.9, 1.0);
    runs.front().gpu = "a100_sxm4_80";
    const auto several = fitted(runs);
    ASSERT_FALSE(several);
    EXPECT_NE(several.error().why.find("2 GPUs"), std::string::npos);
}

TEST_F(MachineFits, RefuseAFactorAtItsBound) {
    const auto fit = fitted(played(runsOf(8, 1, "h100_sxm"), 0.2, 1.0));
    ASSERT_FALSE(fit);
    EXPECT_NE(fit.error().why.find("bound"), std::string::npos);
}

TEST_F(MachineFits, RefuseWhatChangesNothing) {
    EXPECT_FALSE(fitted(played(runsOf(8, 1, "h100_sxm"), 1.0, 1.0)));
}

}  // namespace
}  // namespace fabricast
