#include "study/size.h"

#include "planner/text/json_text.h"
#include "study/rent_or_buy.h"
#include "study/size_search.h"
#include "study/size_verdicts.h"
#include "study/sweep_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

const Workbench& bench() {
    static const Workbench opened = Workbench::open({}, 2).value();
    return opened;
}

Question job(const std::vector<Edit>& more = {}) {
    const std::vector<Edit> edits = {{"model", "llama-3.2-1b", "-m"},
                                     {"workload.sequence", "2048", "--seq"},
                                     {"workload.global_batch", "64", "--global-batch"},
                                     {"workload.tokens", "1B", "--tokens"},
                                     {"search.stacks", "fsdp2", "--stack"}};
    return with(with(readQuestion("", "").value(), edits).value(), more).value();
}

SizeAsk smallCatalogue(std::vector<SizeTarget> targets, std::optional<SizeAim> aim = {}) {
    return {.targets = std::move(targets),
            .aim = aim,
            .clusters = {"dgx-h100", "8x-rtx-4090", "dgx-a100", "mi300x-8"},
            .fabrics = {"ib-ndr", "roce-100"},
            .nodes = {1, 2, 3, 4}};
}

/// Every cluster of the catalogue searched to its end.
std::vector<SizedCluster> allClusters(const std::vector<Question>& jobs, const SizeAsk& ask) {
    const SizeCatalogue catalogue = sizeCatalogue(jobs, ask, bench()).value();
    const Watch watch;
    const SizeSearcher searcher{jobs, ask, bench(), watch};
    std::vector<SizedCluster> all;
    for (const SizeCandidate& one : catalogue.candidates) {
        const SizeTry tried =
            tryCluster(searcher, catalogue.lines[one.line], one.amount, {}, 1).value();
        EXPECT_FALSE(tried.isCut);
        if (!tried.cluster.plans.empty()) {
            EXPECT_GE(one.bound.tokensPerSecond, tried.cluster.tokensPerSecond) << one.amount.gpus;
            EXPECT_LE(one.bound.seconds, tried.cluster.seconds);
            EXPECT_LE(one.bound.usd.value(), tried.cluster.usd.value());
        }
        all.push_back(tried.cluster);
    }
    return all;
}

/// Its own words, not those of the search.
bool isBeaten(const SizedCluster& one, const std::vector<SizedCluster>& all) {
    return std::ranges::any_of(all, [&one](const SizedCluster& other) {
        const bool asGood = other.meetsTargets && other.seconds <= one.seconds &&
                            *other.usd <= *one.usd && *other.power <= *one.power;
        const bool better =
            other.seconds < one.seconds || *other.usd < *one.usd || *other.power < *one.power;
        return asGood && better;
    });
}

double numberOf(const SizedCluster& one, SizeAim aim) {
    switch (aim) {
        case SizeAim::Cost:
            return *one.usd;
        case SizeAim::Time:
            return one.seconds;
        case SizeAim::Power:
            return one.power->count();
        case SizeAim::Gpus:
            return static_cast<double>(one.gpus);
    }
    return 0.0;
}

using Point = std::vector<double>;
Point pointOf(const SizedCluster& one) {
    return {*one.usd, one.seconds, one.power->count()};
}

std::vector<Point> pointsOf(const std::vector<SizedCluster>& clusters) {
    std::vector<Point> points;
    for (const SizedCluster& one : clusters) {
        points.push_back(pointOf(one));
    }
    std::ranges::sort(points);
    const auto twice = std::ranges::unique(points);
    points.erase(twice.begin(), twice.end());
    return points;
}

const SizeTarget kHalfDay{SizeMetric::Days, 0.04};
const SizeTarget kFast{SizeMetric::TokensPerSecond, 900e3};
const SizeTarget kCheap{SizeMetric::Budget, 25.0};

struct SmallAsk {
    const char* name;
    std::vector<SizeTarget> targets;
    std::optional<SizeAim> aim;
    std::vector<Edit> more = {};
};

TEST(SizeSearch, TakesMoreWorkWhereItMayTakeLong) {
    const SizeWork quick = workFor({.mayTakeLong = false});
    EXPECT_EQ(quick.left, SizeWork().left);
    EXPECT_EQ(workFor({}).left, 100 * quick.left);
    EXPECT_EQ(workFor({}).most, workFor({}).left);
}

/// Beyond its limit of work nothing more is searched, and that is told.
TEST(SizeSearch, EndsAtItsLimitOfWork) {
    const SizeAsk ask = smallCatalogue({});
    const std::vector<Question> jobs = {job()};
    const SizeCatalogue catalogue = sizeCatalogue(jobs, ask, bench()).value();
    const Watch watch;
    SizeWork work{.most = 4, .left = 4};
    SizeSearch search(jobs, ask, catalogue, bench(), watch, work);
    ASSERT_TRUE(search.findFront());
    EXPECT_TRUE(work.isCutShort);
    EXPECT_LE(work.left, 1);
    EXPECT_GT(search.tried(), 0);
    EXPECT_LT(search.tried(), 4);
    std::int64_t left = 0;
    for (const NotSearched& one : search.notSearched()) {
        left += one.clusters;
    }
    EXPECT_GT(left, 0);
    EXPECT_LE(search.tried() + left, static_cast<std::int64_t>(catalogue.candidates.size()));
    const std::int64_t tried = search.tried();
    ASSERT_TRUE(search.findLine(0));
    EXPECT_EQ(search.tried(), tried);
}

/// What has no room for the states is ruled out without a search, and is no part of what was left.
TEST(SizeSearch, SearchesNothingWithoutRoomForTheStates) {
    SizeAsk ask = smallCatalogue({});
    ask.clusters = {"8x-rtx-4090", "dgx-h100"};
    ask.fabrics = {};
    ask.nodes = {1, 16};
    const std::vector<Question> jobs = {
        job({{"model", "llama-3.1-405b", "-m"}, {"search.forbid", "offload", "--forbid"}})};
    const SizeCatalogue catalogue = sizeCatalogue(jobs, ask, bench()).value();
    const Watch watch;
    SizeWork work;
    const SizeSearch search(jobs, ask, catalogue, bench(), watch, work);
    EXPECT_EQ(search.tried(), 0);
    EXPECT_EQ(work.left, work.most);
    ASSERT_FALSE(search.found().empty());
    for (const SizedCluster& one : search.found()) {
        EXPECT_EQ(one.why, "no layout fits");
        EXPECT_TRUE(one.box == "8x-rtx-4090" || one.nodes == 1) << one.box << " " << one.nodes;
    }
}

/// A search that ends at a limit proves no more than what is true.
TEST(SizeSearch, KnowsOfACutClusterWhatItsSearchProved) {
    const SizeAsk ask = smallCatalogue({});
    const std::vector<Question> jobs = {job(), job({{"workload.tokens", "2B", "--tokens"}})};
    const SizeCatalogue catalogue = sizeCatalogue(jobs, ask, bench()).value();
    const Watch watch;
    const SizeSearcher searcher{jobs, ask, bench(), watch};
    std::int64_t cut = 0;
    for (const SizeCandidate& one : catalogue.candidates) {
        const SizeLine& line = catalogue.lines[one.line];
        const SizedCluster whole = tryCluster(searcher, line, one.amount, {}, 1)->cluster;
        for (const double share : {0.5, 0.9, 0.999}) {
            const SizeLimit limit{.seconds = whole.seconds * share};
            const SizeTry tried = tryCluster(searcher, line, one.amount, limit, 1).value();
            if (!tried.isCut || whole.plans.empty()) {
                continue;
            }
            SizeBound bound = one.bound;
            tighten(bound, tried.known);
            EXPECT_GE(bound.seconds, limit.seconds * (1.0 - 1e-9));
            EXPECT_LE(bound.seconds, whole.seconds);
            EXPECT_LE(*bound.usd, *whole.usd);
            EXPECT_GE(bound.tokensPerSecond, whole.tokensPerSecond);
            ++cut;
        }
    }
    EXPECT_GT(cut, 20);
}

/// Of a box on several networks the fastest one is searched first, in whatever order they are
/// named.
TEST(SizeSearch, SearchesAsLittleInWhateverOrderNetworksAreNamed) {
    const std::vector<Question> jobs = {job()};
    std::vector<std::int64_t> tried;
    for (const std::vector<std::string>& fabrics :
         {std::vector<std::string>{"ib-ndr", "roce-100", "tcp-100"},
          std::vector<std::string>{"tcp-100", "roce-100", "ib-ndr"}}) {
        SizeAsk ask = smallCatalogue({kHalfDay});
        ask.fabrics = fabrics;
        const SizeCatalogue catalogue = sizeCatalogue(jobs, ask, bench()).value();
        const Watch watch;
        SizeWork work;
        SizeSearch search(jobs, ask, catalogue, bench(), watch, work);
        ASSERT_TRUE(search.findFront());
        tried.push_back(work.left);
    }
    EXPECT_EQ(tried[0], tried[1]);
}

/// What was found of a box is compared by this: reaching the targets first.
double missed(const SizedCluster& one, const std::vector<SizeTarget>& targets) {
    double most = 1.0;
    for (const SizeTarget& target : targets) {
        most = std::max(most, missRatio(one, target));
    }
    return most;
}

/// Whether a named box that is not listed has the best that a search of all of it finds.
void expectBestOfBox(const SizeBeaten& box,
                     const std::vector<SizedCluster>& all,
                     const SizeAsk& ask) {
    std::vector<SizedCluster> fit;
    std::ranges::copy_if(all, std::back_inserter(fit), [&box](const SizedCluster& one) {
        return one.box == box.box && one.fits;
    });
    ASSERT_EQ(box.best.has_value(), !fit.empty()) << box.box;
    for (const SizedCluster& one : fit) {
        const double best = missed(*box.best, ask.targets);
        EXPECT_LE(best, missed(one, ask.targets)) << box.box;
        if (best == 1.0 && missed(one, ask.targets) == 1.0) {
            EXPECT_LE(numberOf(*box.best, aimOf(ask)), numberOf(one, aimOf(ask))) << box.box;
        }
    }
}

class SmallCatalogues : public testing::TestWithParam<SmallAsk> {};

TEST_P(SmallCatalogues, AreAnsweredAsIfAllWereSearched) {
    const SizeAsk ask = smallCatalogue(GetParam().targets, GetParam().aim);
    const std::vector<Question> jobs = {job(GetParam().more)};
    const std::vector<SizedCluster> all = allClusters(jobs, ask);
    const SizeAnswer answer = size(jobs, ask, bench(), {}).value();
    std::vector<SizedCluster> met;
    std::ranges::copy_if(all, std::back_inserter(met), &SizedCluster::meetsTargets);
    ASSERT_EQ(answer.pick.has_value(), !met.empty());
    ASSERT_FALSE(met.empty());
    for (const SizedCluster& one : met) {
        EXPECT_LE(numberOf(*answer.pick, aimOf(ask)), numberOf(one, aimOf(ask)));
    }
    std::vector<SizedCluster> front;
    std::ranges::copy_if(met, std::back_inserter(front), [&met](const SizedCluster& one) {
        return !isBeaten(one, met);
    });
    EXPECT_EQ(pointsOf(answer.front), pointsOf(front));
    std::optional<double> tenth;
    for (const SizedCluster& one : met) {
        if (one.seconds * 1.1 <= answer.pick->seconds) {
            tenth = std::min(tenth.value_or(*one.usd), *one.usd);
        }
    }
    ASSERT_EQ(answer.tenthFaster.has_value(), tenth.has_value());
    EXPECT_EQ(tenth ? *answer.tenthFaster->usd : 0.0, tenth.value_or(0.0));
    const bool isSurePick = answer.pick->isSure();
    std::optional<double> surest;
    for (const SizedCluster& one : met) {
        if (!isSurePick && one.isSure()) {
            const double value = numberOf(one, aimOf(ask));
            surest = std::min(surest.value_or(value), value);
        }
    }
    ASSERT_EQ(answer.surest.has_value(), surest.has_value());
    EXPECT_EQ(surest ? numberOf(*answer.surest, aimOf(ask)) : 0.0, surest.value_or(0.0));
    for (const SizeBeaten& box : answer.beaten) {
        expectBestOfBox(box, all, ask);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Size,
    SmallCatalogues,
    testing::Values(SmallAsk{"nothing", {}, {}},
                    SmallAsk{"days", {kHalfDay}, {}},
                    SmallAsk{"rate", {kFast}, {}},
                    SmallAsk{"budget", {kCheap}, {}},
                    SmallAsk{"both", {kHalfDay, kCheap}, {}},
                    SmallAsk{"time", {}, SizeAim::Time},
                    SmallAsk{"power", {kHalfDay}, SizeAim::Power},
                    SmallAsk{"gpus", {kFast}, SizeAim::Gpus},
                    SmallAsk{"owned", {kFast}, {}, {{"price.kind", "owned", "--price-kind"}}},
                    SmallAsk{"hour", {kFast}, {}, {{"workload.tokens", "null", "--set"}}}),
    [](const auto& tested) { return std::string(tested.param.name); });

/// Counts are open, and the best lies between those that are usual: it is found as if all up to
/// the limit were searched.
struct OpenAsk {
    const char* name;
    std::optional<std::int64_t> mostGpus;
    std::optional<Watts> powerCap;
    std::optional<SizeAim> aim;
    std::int64_t reaching;  ///< the nodes whose time is the target
};

class OpenCounts : public testing::TestWithParam<OpenAsk> {};

TEST_P(OpenCounts, AreNarrowedToTheBest) {
    const OpenAsk& tested = GetParam();
    const std::vector<Question> jobs = {job({{"workload.global_batch", "1680", "--global-batch"}})};
    SizeAsk ask = smallCatalogue({}, tested.aim);
    ask.clusters = {"dgx-h100"};
    ask.fabrics = {};
    ask.nodes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    const std::vector<SizedCluster> all = allClusters(jobs, ask);
    const SizedCluster& wanted = all[static_cast<std::size_t>(tested.reaching - 1)];
    ASSERT_EQ(wanted.nodes, tested.reaching);
    ask.targets = {{SizeMetric::Days, wanted.seconds * 1.0001 / 86400.0, "days"}};
    ask.nodes.clear();
    ask.mostGpus = tested.mostGpus;
    ask.powerCap = tested.powerCap;
    const SizeAnswer answer = size(jobs, ask, bench(), {}).value();
    ASSERT_TRUE(answer.pick);
    EXPECT_TRUE(answer.counts.empty());
    for (const SizedCluster& one : all) {
        const bool isWithin = (!tested.mostGpus || one.gpus <= *tested.mostGpus) &&
                              (!tested.powerCap || *one.power <= *tested.powerCap);
        if (one.fits && isWithin && one.seconds <= ask.targets.front().wanted * 86400.0) {
            EXPECT_LE(numberOf(*answer.pick, aimOf(ask)), numberOf(one, aimOf(ask))) << one.nodes;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Size,
                         OpenCounts,
                         testing::Values(OpenAsk{"gpus", 56, {}, {}, 7},
                                         OpenAsk{"below", 88, {}, SizeAim::Gpus, 10},
                                         OpenAsk{"power", {}, Watts(75e3), {}, 7},
                                         OpenAsk{"between", {}, {}, SizeAim::Gpus, 5},
                                         OpenAsk{"least", {}, {}, SizeAim::Power, 7}),
                         [](const auto& tested) { return std::string(tested.param.name); });

/// A sweep and a single answer look at the same counts.
TEST(Size, PicksAtAPointOfASweepWhatItPicksAlone) {
    const std::vector<Question> jobs = {job({{"workload.global_batch", "1680", "--global-batch"}})};
    SizeAsk open;
    open.clusters = {"dgx-h100"};
    open.mostGpus = 88;
    for (const std::string days : {"0.008", "0.012", "0.02", "0.05"}) {
        JsonText point;
        point.beginObject();
        const Result<void> swept =
            sizePoints(jobs, open).answer({{"target.days", days, "--sweep"}}, bench(), {}, point);
        ASSERT_TRUE(swept);
        SizeAsk ask = open;
        ask.targets = {{SizeMetric::Days, std::stod(days), "days=" + days}};
        const SizeAnswer answer = size(jobs, ask, bench(), {}).value();
        const std::string nodes =
            answer.pick ? "\"nodes\": " + std::to_string(answer.pick->nodes) + "," : "\"why\"";
        point.end();
        const std::string text = std::move(point).finish();
        EXPECT_NE(text.find(nodes), std::string::npos) << days << " " << nodes << " " << text;
    }
}

/// What has no layout is no proof that more nodes are no faster.
TEST(Size, CallsACountUsefulOnlyBesideLargerOnesThatRun) {
    SizeAsk ask = smallCatalogue({});
    ask.clusters = {"dgx-h100"};
    ask.fabrics = {};
    ask.nodes = {1, 2, 3};
    const SizeAnswer answer = size(std::vector<Question>{job()}, ask, bench(), {}).value();
    ASSERT_EQ(answer.scaling.size(), 3U);
    EXPECT_NE(answer.scaling.back().why, "");
    EXPECT_FALSE(answer.mostUseful);
}

TEST(Size, OrdersPartsOfANodeByTheirGpus) {
    SizeAsk ask = smallCatalogue({});
    ask.clusters = {"dgx-h100"};
    ask.fabrics = {};
    ask.nodes = {};
    ask.parts = {8, 1, 4, 2};
    const SizeAnswer answer = size(std::vector<Question>{job()}, ask, bench(), {}).value();
    ASSERT_EQ(answer.scaling.size(), 4U);
    EXPECT_TRUE(std::ranges::is_sorted(answer.scaling, {}, &ScalingPoint::gpus));
}

TEST(Size, AsksAboutThePickWithTheYearsAndTheUseThatItWasPricedFor) {
    SizeAsk ask = smallCatalogue({});
    ask.clusters = {"dgx-h100"};
    ask.fabrics = {};
    ask.years = 5.0;
    ask.utilisation = 0.4;
    const SizeAnswer answer =
        size(
            std::vector<Question>{job({{"price.kind", "owned", "--price-kind"}})}, ask, bench(), {})
            .value();
    EXPECT_NE(answer.pickTyped.find("--set price.years=5"), std::string::npos) << answer.pickTyped;
    EXPECT_NE(answer.pickTyped.find("--set price.utilisation=0.4"), std::string::npos);
}

TEST(Size, RefusesForTheCountsThatItNamesAndStaysWithinTheLimits) {
    const std::vector<Question> jobs = {job()};
    SizeAsk ask = smallCatalogue({{SizeMetric::Days, 0.02, "days=0.02"}});
    ask.clusters = {"dgx-h100"};
    ask.fabrics = {};
    ask.nodes.clear();
    ask.mostGpus = 8;
    const SizeAnswer answer = size(jobs, ask, bench(), {}).value();
    EXPECT_FALSE(answer.pick);
    EXPECT_EQ(answer.counts, std::vector<std::int64_t>{1});
    for (const SizeWay& way : answer.ways) {
        EXPECT_LE(way.cluster.gpus, 8);
    }
}

TEST(Size, OfMoreSpeedIsNeverCheaper) {
    double before = 0.0;
    for (const double rate : {1e3, 100e3, 300e3, 600e3, 900e3, 1e6}) {
        const SizeAsk ask = smallCatalogue({{SizeMetric::TokensPerSecond, rate}});
        const std::vector<Question> jobs = {job()};
        const SizeAnswer answer = size(jobs, ask, bench(), {}).value();
        ASSERT_TRUE(answer.pick) << rate;
        EXPECT_GE(answer.pick->tokensPerSecond, rate);
        EXPECT_GE(*answer.pick->usd, before);
        before = *answer.pick->usd;
    }
}

TEST(Size, SaysWhenNothingReachesTheTargetAndWhatComesNearest) {
    const std::vector<Question> jobs = {job()};
    const SizeAsk ask = smallCatalogue({{SizeMetric::Days, 0.005}});
    const SizeAnswer answer = size(jobs, ask, bench(), {}).value();
    EXPECT_FALSE(answer.pick);
    EXPECT_TRUE(answer.front.empty());
}

// As if all were searched: of each target the closest, of a budget that is kept the fastest.
TEST(Size, NamesWhatComesNearestToEachTarget) {
    const std::vector<Question> jobs = {job()};
    const SizeAsk ask = smallCatalogue(
        {{SizeMetric::Days, 0.005, "days=0.005"}, {SizeMetric::Budget, 20.0, "budget=20"}});
    const std::vector<SizedCluster> all = allClusters(jobs, ask);
    const SizeAnswer answer = size(jobs, ask, bench(), {}).value();
    ASSERT_EQ(answer.nearest.size(), 2U);
    double seconds = std::numeric_limits<double>::infinity();
    double secondsWithin = std::numeric_limits<double>::infinity();
    for (const SizedCluster& one : all) {
        seconds = one.fits ? std::min(seconds, one.seconds) : seconds;
        const bool isWithin = one.fits && *one.usd <= 20.0;
        secondsWithin = isWithin ? std::min(secondsWithin, one.seconds) : secondsWithin;
    }
    EXPECT_DOUBLE_EQ(answer.nearest[0].value, seconds / 86400.0);
    EXPECT_DOUBLE_EQ(answer.nearest[0].ratio, seconds / 86400.0 / 0.005);
    EXPECT_LE(answer.nearest[1].value, 20.0);
    EXPECT_DOUBLE_EQ(answer.nearest[1].cluster.seconds, secondsWithin);
}

// Of a target that is reached, but not together with the others: the least that does.
TEST(Size, NamesTheLeastThatReachesATargetAlone) {
    const std::vector<Question> jobs = {job()};
    const std::vector<SizedCluster> all = allClusters(jobs, smallCatalogue({}));
    std::vector<double> days;
    double least = std::numeric_limits<double>::infinity();
    for (const SizedCluster& one : all) {
        if (one.fits) {
            days.push_back(one.seconds / 86400.0);
            least = std::min(least, *one.usd);
        }
    }
    std::ranges::sort(days);
    const double wanted = days[days.size() / 2];
    const double budget = least * 0.99;
    const SizeAnswer answer = size(jobs,
                                   smallCatalogue({{SizeMetric::Days, wanted, "days"},
                                                   {SizeMetric::Budget, budget, "budget"}}),
                                   bench(),
                                   {})
                                  .value();
    ASSERT_EQ(answer.nearest.size(), 2U);
    double cheapest = std::numeric_limits<double>::infinity();
    for (const SizedCluster& one : all) {
        const bool reaches = one.fits && one.seconds / 86400.0 <= wanted;
        cheapest = reaches ? std::min(cheapest, *one.usd) : cheapest;
    }
    EXPECT_LE(answer.nearest[0].ratio, 1.0);
    EXPECT_DOUBLE_EQ(*answer.nearest[0].cluster.usd, cheapest);
    EXPECT_DOUBLE_EQ(answer.nearest[1].value, least);
}

TEST(Size, SaysWhatMoreNodesWouldReach) {
    const std::vector<Question> jobs = {job()};
    SizeAsk ask = smallCatalogue({{SizeMetric::Days, 0.02, "days=0.02"}});
    ask.clusters = {"dgx-h100"};
    ask.fabrics = {};
    ask.nodes = {1};
    const SizeAnswer answer = size(jobs, ask, bench(), {}).value();
    EXPECT_FALSE(answer.pick);
    ASSERT_FALSE(answer.ways.empty());
    const SizeWay& way = answer.ways.front();
    EXPECT_TRUE(way.cluster.meetsTargets);
    EXPECT_GT(way.cluster.nodes, 1);
    EXPECT_NE(way.typed.find("fabricast size -m llama-3.2-1b "), std::string::npos) << way.typed;
    EXPECT_NE(way.typed.find(" -c dgx-h100 -n " + std::to_string(way.cluster.nodes) +
                             " --target days=0.02"),
              std::string::npos)
        << way.typed;
}

// Of 4 nodes the run is dearer than of one.
TEST(Size, SaysThatFewerNodesWouldStayWithinABudget) {
    const std::vector<Question> jobs = {job()};
    SizeAsk ask = smallCatalogue({});
    ask.clusters = {"dgx-h100"};
    ask.fabrics = {};
    ask.nodes = {1};
    const double least = *size(jobs, ask, bench(), {}).value().pick->usd;
    ask.targets = {{SizeMetric::Budget, 1.02 * least, "budget=of one node"}};
    ask.nodes = {4};
    const SizeAnswer answer = size(jobs, ask, bench(), {}).value();
    EXPECT_FALSE(answer.pick);
    ASSERT_FALSE(answer.ways.empty());
    EXPECT_LT(answer.ways.front().cluster.nodes, 4);
    EXPECT_EQ(answer.ways.front().what, "fewer nodes");
}

TEST(Size, RefusesABatchThatFollowsFromTheGpus) {
    const std::vector<Question> jobs = {
        job({{"workload.global_batch", "8 per rank", "--global-batch"}})};
    const auto answer = size(jobs, smallCatalogue({}), bench(), {});
    ASSERT_FALSE(answer);
    EXPECT_NE(answer.error().why.find("\"8 per rank\", and would differ"), std::string::npos)
        << answer.error().why;
}

TEST(Size, SaysByHowMuchNothingFits) {
    const std::vector<Question> jobs = {
        job({{"model", "llama-3.1-405b", "-m"}, {"search.forbid", "offload", "--forbid"}})};
    SizeAsk ask = smallCatalogue({});
    ask.clusters = {"8x-rtx-4090"};
    ask.fabrics = {};
    ask.nodes = {1, 2};
    const SizeAnswer answer = size(jobs, ask, bench(), {}).value();
    EXPECT_FALSE(answer.pick);
    ASSERT_EQ(answer.misfits.size(), 1U);
    EXPECT_EQ(answer.misfits[0].nodes, 2);
    EXPECT_NE(answer.misfits[0].why.find("short by "), std::string::npos) << answer.misfits[0].why;
    EXPECT_FALSE(answer.ways.empty());
}

TEST(Size, TellsSureFromUnsureByTheInterval) {
    const std::vector<Question> jobs = {job()};
    SizeAsk ask = smallCatalogue({});
    const SizedCluster one = *size(jobs, ask, bench(), {}).value().pick;
    EXPECT_LT(one.secondsRange.lo, one.seconds);
    EXPECT_GT(one.secondsRange.hi, one.seconds);
    EXPECT_LT(one.usdRange->lo, *one.usd);
    EXPECT_GT(one.usdRange->hi, *one.usd);
    EXPECT_LT(one.tokensRange.lo, one.tokensPerSecond);
    const auto verdict = [&](double days) { return verdictOn(one, {SizeMetric::Days, days}); };
    EXPECT_EQ(verdict(one.secondsRange.hi / 86400.0 * 1.01), CheckVerdict::Holds);
    EXPECT_EQ(verdict(one.seconds / 86400.0), CheckVerdict::CannotTell);
    EXPECT_EQ(verdict(one.secondsRange.lo / 86400.0 * 0.99), CheckVerdict::Fails);
    ask.targets = {{SizeMetric::Budget, (*one.usd + one.usdRange->hi) / 2.0}};
    const SizeAnswer answer = size(jobs, ask, bench(), {}).value();
    EXPECT_EQ(answer.pick->verdicts.front(), CheckVerdict::CannotTell);
    EXPECT_TRUE(!answer.surest || answer.surest->isSure());
}

// Failures come faster than a run recovers: it has neither days nor dollars.
TEST(Size, OfARunThatNeverGetsOnSaysWhy) {
    const std::vector<Question> jobs = {job({{"operation.mtbf", "1s", "--mtbf"}})};
    SizeAsk ask = smallCatalogue({kHalfDay});
    ask.clusters = {"dgx-h100"};
    ask.fabrics = {};
    const SizeAnswer answer = size(jobs, ask, bench(), {}).value();
    EXPECT_FALSE(answer.pick);
    EXPECT_TRUE(answer.nearest.empty());
    ASSERT_EQ(answer.misfits.size(), 1U);
    EXPECT_TRUE(answer.misfits[0].why.starts_with("goodput is zero: 32 GPUs fail every "))
        << answer.misfits[0].why;
}

// Nor has one that would take millions of days; without a target it is no pick either.
TEST(Size, PicksNoRunThatMakesHardlyAnyProgress) {
    const std::vector<Question> jobs = {job({{"operation.mtbf", "0.2h", "--mtbf"}})};
    for (const std::vector<SizeTarget>& targets :
         {std::vector<SizeTarget>(), {SizeTarget{SizeMetric::TokensPerSecond, 1.0, {}}}}) {
        SizeAsk ask = smallCatalogue(targets);
        ask.clusters = {"dgx-h100"};
        ask.fabrics = {};
        ask.nodes = {1, 2};
        const SizeAnswer answer = size(jobs, ask, bench(), {}).value();
        EXPECT_FALSE(answer.pick);
        ASSERT_EQ(answer.misfits.size(), 1U);
        EXPECT_TRUE(answer.misfits[0].why.starts_with("goodput is zero: 16 GPUs fail every "))
            << answer.misfits[0].why;
        EXPECT_TRUE(answer.ways.empty());
    }
}

TEST(Size, TakesSomeGpusOfANode) {
    const std::vector<Question> jobs = {job()};
    SizeAsk ask = smallCatalogue({}, SizeAim::Gpus);
    ask.clusters = {"dgx-h100"};
    ask.fabrics = {};
    ask.nodes = {1};
    ask.parts = {1, 2, 4, 12, 16};
    const SizeAnswer answer = size(jobs, ask, bench(), {}).value();
    EXPECT_EQ(answer.pick->gpus, 1);
    EXPECT_TRUE(answer.pick->isPart);
    EXPECT_EQ(answer.clusters, 5);
    EXPECT_EQ(answer.scaling.back().gpus, 16);
    ASSERT_EQ(answer.leftOut.size(), 1U);
    EXPECT_EQ(answer.leftOut[0].why, "12 GPUs are not a whole number of nodes of 8");
    EXPECT_NEAR(answer.pick->power->count(), 10200.0 / 8.0, 1.0);
}

TEST(Size, AClusterThatIsNamedTwiceIsOne) {
    const std::vector<Question> jobs = {job()};
    SizeAsk ask = smallCatalogue({});
    ask.clusters = {"dgx-h100", "dgx-h100"};
    ask.fabrics = {};
    ask.nodes = {1};
    EXPECT_EQ(size(jobs, ask, bench(), {}).value().clusters, 1);
}

TEST(Size, SaysThatSeveralNodesNeedANetwork) {
    const std::vector<Question> jobs = {job()};
    SizeAsk ask = smallCatalogue({});
    ask.clusters = {};
    ask.gpus = {"h100-sxm5-80gb"};
    ask.fabrics = {};
    ask.nodes = {1, 2};
    const SizeAnswer answer = size(jobs, ask, bench(), {}).value();
    ASSERT_TRUE(answer.pick);
    EXPECT_EQ(answer.clusters, 1);
    ASSERT_EQ(answer.leftOut.size(), 1U);
    EXPECT_NE(answer.leftOut[0].why.find("--fabric ib-ndr"), std::string::npos);
}

// Jobs follow one another: their days and dollars add up.
TEST(Size, SeveralJobsShareOneCluster) {
    const Question second = job({{"workload.tokens", "3B", "--tokens"}});
    const std::vector<Question> both = {job(), second};
    SizeAsk ask = smallCatalogue({});
    ask.clusters = {"dgx-h100"};
    ask.fabrics = {};
    ask.nodes = {2};
    const auto alone = [&](const Question& one) {
        return *size({&one, 1}, ask, bench(), {}).value().pick;
    };
    const SizedCluster together = *size(both, ask, bench(), {}).value().pick;
    EXPECT_DOUBLE_EQ(together.seconds, alone(both[0]).seconds + alone(both[1]).seconds);
    EXPECT_DOUBLE_EQ(*together.usd, *alone(both[0]).usd + *alone(both[1]).usd);
    EXPECT_EQ(together.plans.size(), 2U);
    // The targets hold for the sum.
    ask.targets = {{SizeMetric::Days, together.seconds / 86400.0 * 0.99}};
    EXPECT_FALSE(size(both, ask, bench(), {}).value().pick);
    ask.targets = {{SizeMetric::Days, together.seconds / 86400.0 * 1.01}};
    EXPECT_TRUE(size(both, ask, bench(), {}).value().pick);
}

TEST(Size, DoesNotDependOnThreads) {
    const std::vector<Question> jobs = {job()};
    const SizeAsk ask = smallCatalogue({kHalfDay});
    const SizeAnswer two = size(jobs, ask, bench(), {}).value();
    const SizeAnswer one = size(jobs, ask, Workbench::open({}, 1).value(), {}).value();
    EXPECT_EQ(one.searched, two.searched);
    EXPECT_EQ(pointsOf(one.front), pointsOf(two.front));
}

TEST(Size, KeepsToItsLimits) {
    const std::vector<Question> jobs = {job()};
    SizeAsk ask = smallCatalogue({}, SizeAim::Time);
    ask.mostGpus = 16;
    EXPECT_EQ(size(jobs, ask, bench(), {}).value().pick->gpus, 16);
    ask.mostGpus.reset();
    ask.powerCap = Watts(12e3);
    const SizeAnswer capped = size(jobs, ask, bench(), {}).value();
    EXPECT_LE(capped.pick->power->count(), 12e3);
    ask.powerCap.reset();
    ask.racks = 1;
    const SizeAnswer none = size(jobs, ask, bench(), {}).value();
    EXPECT_FALSE(none.pick);
    EXPECT_EQ(none.leftOut.front().why, "how many of its nodes a rack holds is not known");
    ask.clusters = {"gb200-nvl72"};
    ask.fabrics = {};
    EXPECT_EQ(sizeCatalogue(jobs, ask, bench()).value().candidates.size(), 1U);
    ask.racks = 3;
    EXPECT_EQ(sizeCatalogue(jobs, ask, bench()).value().candidates.size(), 3U);
}

TEST(Size, LeavesOutWhatHasNoPriceAndSaysSo) {
    const std::vector<Question> jobs = {job()};
    SizeAsk ask = smallCatalogue({});
    ask.clusters = {"dgx-h100", "hgx-h20"};
    ask.fabrics = {};
    const SizeAnswer answer = size(jobs, ask, bench(), {}).value();
    ASSERT_EQ(answer.leftOut.size(), 1U);
    EXPECT_EQ(answer.leftOut[0].what, "hgx-h20");
    EXPECT_TRUE(answer.leftOut[0].why.starts_with("on_demand price of h20-96gb is not in"));
    ask.aim = SizeAim::Time;  // which needs none
    EXPECT_TRUE(size(jobs, ask, bench(), {}).value().leftOut.empty());
}

TEST(RentOrBuy, AddsUpOverTheYears) {
    const std::vector<Question> jobs = {job()};
    SizeAsk ask = smallCatalogue({});
    ask.clusters = {"dgx-h100"};
    ask.fabrics = {};
    ask.nodes = {1};
    ask.years = 3.0;
    ask.utilisation = 0.5;
    const RentOrBuy both = *size(jobs, ask, bench(), {}).value().rentOrBuy;
    ASSERT_EQ(both.years.size(), 3U);
    const double hours = 3.0 * 8766.0 * 0.5;
    EXPECT_DOUBLE_EQ(both.rent->count(), 8.0 * 2.95);
    EXPECT_NEAR(both.years[2].rent.count(), 8.0 * 2.95 * hours, 1e-6 * 8.0 * 2.95 * hours);
    EXPECT_NEAR(
        both.years[2].buy.count(), both.whole->count() + both.electricity->count() * hours, 1.0);
    // At the break-even both cost the same.
    const double even = *both.evenYears * 8766.0 * 0.5;
    EXPECT_NEAR(
        both.rent->count() * even, both.whole->count() + both.electricity->count() * even, 1.0);
}

TEST(RentOrBuy, SpreadsThePriceOfTheRunOverTheSameYearsAndUse) {
    const std::vector<Question> jobs = {
        with(job(), std::vector<Edit>{{"price.kind", "owned", "--price-kind"}}).value()};
    SizeAsk ask = smallCatalogue({});
    ask.clusters = {"dgx-h100"};
    ask.fabrics = {};
    ask.nodes = {1};
    ask.years = 3.0;
    ask.utilisation = 0.6;
    const SizeAnswer answer = size(jobs, ask, bench(), {}).value();
    const RentOrBuy& both = *answer.rentOrBuy;
    const double hours = 3.0 * 8766.0 * 0.6;
    const double perHour = both.years[2].buy.count() / hours / 8.0;
    EXPECT_NEAR(answer.pick->plans.front().cost->gpuHour.price->count(), perHour, 1e-6 * perHour);
    EXPECT_EQ(both.purchase.ownedYears, 3.0);
    EXPECT_EQ(both.purchase.utilisation, 0.6);
}

TEST(Spares, AreEnoughNinetyNineTimesInAHundred) {
    BudgetFacts facts;
    facts.site.reliability.gpuMtbf = {.value = Seconds(3600.0 * 50000)};
    facts.site.reliability.hardwareShare = {.value = 0.5};
    facts.site.reliability.repair = {.value = Seconds(3600.0 * 24)};
    const Spares spares = *sparesOf(16384, facts);
    const double mean = 16384.0 * 24.0 / 50000.0 * 0.5;
    EXPECT_NEAR(spares.inRepair, mean, 1e-9 * mean);
    double sum = 0.0;
    for (std::int64_t failed = 0; failed <= spares.nodes; ++failed) {
        sum += std::exp(static_cast<double>(failed) * std::log(mean) - mean -
                        std::lgamma(static_cast<double>(failed) + 1.0));
        EXPECT_EQ(failed == spares.nodes, sum >= 0.99) << failed;
    }
    EXPECT_NEAR(spares.enough, sum, 1e-9);
    // A spot GPU that is taken back is not broken.
    facts.kind = PriceKind::Spot;
    facts.gpuMtbf = Seconds(3600.0 * 50);
    EXPECT_EQ(sparesOf(16384, facts)->nodes, spares.nodes);
    facts.kind = PriceKind::OnDemand;
    facts.gpuMtbf = Seconds(std::numeric_limits<double>::infinity());
    EXPECT_FALSE(sparesOf(16384, facts));
}

struct BadSizeCase {
    const char* target;
    const char* why;
};
TEST(SizeAsk, RefusesWhatIsNoTarget) {
    for (const BadSizeCase& bad : {BadSizeCase{"mfu=3", "is not a target of hardware"},
                                   BadSizeCase{"days=-1", "must be a number above 0"},
                                   BadSizeCase{"days=x", "must be a number above 0"},
                                   BadSizeCase{"budget=0", "must be a number above 0"}}) {
        const auto read = readSizeTargets({bad.target});
        ASSERT_FALSE(read) << bad.target;
        EXPECT_NE(read.error().why.find(bad.why), std::string::npos) << read.error().why;
    }
    EXPECT_FALSE(readSizeTargets({"budget=6,00"}));
    EXPECT_FALSE(readSizeTargets({"days=10 moons"}));
    EXPECT_FALSE(readRacks("2"));
    EXPECT_FALSE(readRacks("racks=0"));
    EXPECT_EQ(readRacks("racks=2").value(), 2);
    EXPECT_FALSE(readCounts({"0"}, "-n"));
    EXPECT_EQ(readCounts({"8", "2", "8"}, "-n").value(), (std::vector<std::int64_t>{2, 8}));
}

struct WordedTarget {
    const char* target;
    double wanted;
};
TEST(SizeAsk, TakesAmountsAsTheyAreWritten) {
    for (const WordedTarget& one : {WordedTarget{"budget=$1.5M", 1.5e6},
                                    WordedTarget{"budget=$6,000", 6000.0},
                                    WordedTarget{"budget=6000 USD", 6000.0},
                                    WordedTarget{"budget=$1.5 million", 1.5e6},
                                    WordedTarget{"tokens-per-s=100k tok/s", 1e5},
                                    WordedTarget{"tokens-per-s=125,000 tokens/s", 125000.0},
                                    WordedTarget{"days=240h", 10.0},
                                    WordedTarget{"days=10 days", 10.0},
                                    WordedTarget{"days=1w", 7.0},
                                    WordedTarget{"hours=12", 0.5},
                                    WordedTarget{"hours=2 d", 2.0}}) {
        const auto read = readSizeTargets({one.target});
        ASSERT_TRUE(read) << one.target << read.error().text();
        EXPECT_DOUBLE_EQ(read->front().wanted, one.wanted) << one.target;
    }
}

TEST(Size, AsksForWhatWouldDifferFromClusterToCluster) {
    const std::vector<Question> open = {job({{"workload.global_batch", "null", "--set"}})};
    const SizeAsk ask = smallCatalogue({});
    EXPECT_FALSE(size(open, ask, bench(), {}));
    const std::vector<Question> idle = {job({{"search.allow", "idle_gpus", "--allow"}})};
    EXPECT_FALSE(size(idle, ask, bench(), {}));
    const std::vector<Question> endless = {job({{"workload.tokens", "null", "--set"}})};
    EXPECT_FALSE(size(endless, smallCatalogue({kHalfDay}), bench(), {}));
}

}  // namespace
}  // namespace fabricast
