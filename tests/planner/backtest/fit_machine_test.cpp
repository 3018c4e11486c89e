#include "planner/backtest/fit_machine.h"

#include "planner/backtest/forecast_run.h"
#include "planner/backtest/run_slopes.h"
#include "planner/load/load_question.h"
#include "planner/text/csv_text.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

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
            "tp,micro_batch,global_batch,shard,recompute\n";
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
                                            const std::map<MachineFactor, double>& speeds) {
        MachineFactors factors;
        for (const auto& [factor, speed] : speeds) {
            factors.of(factor) = speed;
        }
        const RunCatalog own = catalog->corrected(factors);
        double apart = 1.0;  // repeats of a run are never equal to the last digit
        for (PublishedRun& run : runs) {
            run.stepSeconds =
                apart * forecastRun(run, own, *timing).step.value().step.value.count();
            apart += 1e-5;
        }
        return runs;
    }

    static Result<std::vector<MachineFit>> fitted(const std::vector<PublishedRun>& runs) {
        return fitMachines(runs, *catalog, *timing, 2);
    }

    static const ProfileStore* profiles;
    static const RunCatalog* catalog;
    static const TimingProfiles* timing;
};
const ProfileStore* MachineFits::profiles = nullptr;
const RunCatalog* MachineFits::catalog = nullptr;
const TimingProfiles* MachineFits::timing = nullptr;

TEST_F(MachineFits, FindAClockThatIsFifteenPercentSlower) {
    std::vector<PublishedRun> runs =
        played(runsOf(9, 1, "h100_sxm"), {{MachineFactor::Clock, 1.0 / 1.15}});
    *runs.front().stepSeconds *= 3.0;  // one odd run moves nothing
    const auto fits = fitted(runs);
    ASSERT_TRUE(fits) << fits.error().text();
    const MachineFit& fit = fits->front();
    ASSERT_TRUE(fit.correction) << fit.why;
    EXPECT_NEAR(fit.correction->factors().of(MachineFactor::Clock), 1.0 / 1.15, 0.01);
    EXPECT_EQ(fit.correction->factors().of(MachineFactor::Network),
              1.0);  // nothing leaves the node
    EXPECT_EQ(fit.correction->runs, 9);
    EXPECT_LT(fit.correction->errorAfter, 0.01);
    EXPECT_GT(fit.correction->errorBefore, 0.05);
    ASSERT_FALSE(fit.disagree.empty());
    EXPECT_NE(fit.disagree.front().find("own-0"), std::string::npos) << fit.disagree.front();
}

TEST_F(MachineFits, TellSpeedsApartThatRunsFeelDifferently) {
    std::vector<PublishedRun> runs = runsOf(8, 1, "h100_sxm");
    for (const PublishedRun& run : runsOf(8, 4, "h100_sxm")) {
        runs.push_back(run);
    }
    const auto fits = fitted(
        played(std::move(runs), {{MachineFactor::Clock, 0.85}, {MachineFactor::Network, 0.6}}));
    ASSERT_TRUE(fits) << fits.error().text();
    ASSERT_TRUE(fits->front().correction) << fits->front().why;
    const MachineFactors factors = fits->front().correction->factors();
    // Runs in bf16 hardly tell the two apart.
    EXPECT_NEAR(factors.of(MachineFactor::Clock) * factors.of(MachineFactor::Bf16), 0.85, 0.02);
    EXPECT_NEAR(factors.of(MachineFactor::Network), 0.6, 0.04);
    EXPECT_LT(fits->front().correction->errorAfter, 0.01);
}

TEST_F(MachineFits, AreOneForEachGpuOfATable) {
    std::vector<PublishedRun> runs =
        played(runsOf(8, 1, "h100_sxm"), {{MachineFactor::Clock, 0.85}});
    for (PublishedRun& run : played(runsOf(8, 1, "a100_sxm4_80"), {})) {
        runs.push_back(run);
    }
    const auto fits = fitted(runs);
    ASSERT_TRUE(fits) << fits.error().text();
    ASSERT_EQ(fits->size(), 2U);
    EXPECT_EQ(fits->front().gpu, "a100-sxm4-80gb");
    EXPECT_FALSE(fits->front().correction);
    EXPECT_NE(fits->front().why.find("as good as these runs can tell"), std::string::npos);
    EXPECT_TRUE(fits->back().correction);
}

TEST_F(MachineFits, RefuseTooFewRuns) {
    const auto few = fitted(played(runsOf(5, 1, "h100_sxm"), {{MachineFactor::Clock, 0.9}}));
    ASSERT_FALSE(few);
    EXPECT_NE(few.error().why.find("only 5 runs on "), std::string::npos);
}

TEST_F(MachineFits, HaveNoCorrectionWhereASpeedIsNoMachines) {
    const auto fits = fitted(played(runsOf(8, 1, "h100_sxm"), {{MachineFactor::Clock, 0.5}}));
    ASSERT_TRUE(fits) << fits.error().text();
    EXPECT_FALSE(fits->front().correction);
    EXPECT_NE(fits->front().why.find("farther from the profiles"), std::string::npos)
        << fits->front().why;
}

// No speed makes steps longer that recompute, and no others.
TEST_F(MachineFits, TellWhatRunsLikeItTook) {
    std::vector<PublishedRun> runs = runsOf(16, 1, "h100_sxm");
    for (std::size_t i = 8; i < runs.size(); ++i) {
        runs[i].recompute = "full";
    }
    runs = played(std::move(runs), {});
    for (std::size_t i = 8; i < runs.size(); ++i) {
        *runs[i].stepSeconds *= 1.12;
    }
    const auto fits = fitted(runs);
    ASSERT_TRUE(fits) << fits.error().text();
    ASSERT_TRUE(fits->front().correction) << fits->front().why;
    const MachineCorrection& correction = *fits->front().correction;
    EXPECT_EQ(correction.like.runs.size(), 16U);
    const RunCatalog own = catalog->corrected({{"h100-sxm5-80gb",
                                                {.name = "own",
                                                 .date = {},
                                                 .factors = correction.factors(),
                                                 .intervals = {},
                                                 .like = correction.like}}});
    for (const PublishedRun& run : runs) {
        const double step = forecastRun(run, own, *timing).step.value().step.value.count();
        EXPECT_NEAR(step / *run.stepSeconds, 1.0, 0.03) << run.id;
    }
    EXPECT_LT(correction.errorAfter, correction.errorBefore);
}

TEST_F(MachineFits, SayWhatToMeasureNext) {
    std::vector<PublishedRun> runs = runsOf(9, 1, "h100_sxm");
    const auto fits = fitted(played(std::move(runs), {{MachineFactor::Clock, 0.85}}));
    ASSERT_TRUE(fits) << fits.error().text();
    EXPECT_NE(fits->front().next.find("variance"), std::string::npos) << fits->front().next;
}

/// No speed makes a step longer, and each that a step feels makes it shorter.
TEST_F(MachineFits, EverySpeedShortensWhatFeelsIt) {
    std::vector<const PublishedRun*> pointers;
    std::vector<PublishedRun> runs = runsOf(4, 4, "h100_sxm");
    for (PublishedRun& run : runs) {
        run.stepSeconds = 1.0;
        pointers.push_back(&run);
    }
    const auto slopes = runSlopes(pointers, *catalog, *timing, {}, 2);
    ASSERT_EQ(slopes.size(), 4U);
    for (const RunSlopes& run : slopes) {
        for (const double slope : run.slopes) {
            EXPECT_LE(slope, 1e-9);
        }
        for (const MachineFactor felt :
             {MachineFactor::Clock, MachineFactor::Bf16, MachineFactor::Memory}) {
            EXPECT_LT(run.slopes[static_cast<std::size_t>(felt)], -0.01) << nameOf(felt);
        }
    }
}

}  // namespace
}  // namespace fabricast
