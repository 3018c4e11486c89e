#include "planner/search/find_on_parts.h"
#include "tests/planner/search/search_example.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

using namespace literals;

SearchTask watchedTask() {
    return taskOf({.gpus = 16, .memory = 24_GiB}, {"fsdp2", "megatron", "torchtitan"});
}

/// A watch that stops the work in its n-th call of `progress`; 0: never.
struct StoppingWatch {
    explicit StoppingWatch(std::size_t call) {
        watch.stop = source.get_token();
        watch.progress = [this, call](std::size_t done, std::size_t all) {
            EXPECT_LE(done, all);
            if (++calls == call) {
                source.request_stop();
            }
        };
    }

    std::stop_source source;
    Watch watch;
    std::size_t calls = 0;
};

TEST(WatchedSearch, StopsAtAnyReportOfProgress) {
    const SearchTask task = watchedTask();
    StoppingWatch through(0);
    ASSERT_TRUE(findPlans(task, exampleTiming(), {}, through.watch).has_value());
    ASSERT_GT(through.calls, 5U);
    for (const std::size_t call :
         {std::size_t{1}, std::size_t{2}, through.calls / 2, through.calls}) {
        StoppingWatch stopping(call);
        const auto report = findPlans(task, exampleTiming(), {}, stopping.watch);
        ASSERT_FALSE(report.has_value()) << call;
        EXPECT_EQ(report.error().code, Error::Code::Stopped);
        EXPECT_EQ(stopping.calls, call);
    }
}

TEST(WatchedSearch, IsNotBegunAfterAStop) {
    StoppingWatch stopped(0);
    stopped.source.request_stop();
    std::size_t plans = 0;
    SearchOptions options;
    options.onPlan = [&plans](std::span<const Plan> found) { plans = found.size(); };
    const auto report = findPlans(watchedTask(), exampleTiming(), options, stopped.watch);
    ASSERT_FALSE(report.has_value());
    EXPECT_EQ(report.error().code, Error::Code::Stopped);
    EXPECT_EQ(plans, 0U);
}

TEST(WatchedSearch, StopsWhereNothingFits) {
    const SearchTask task = taskOf({.gpus = 8, .memory = 1_GiB}, {"megatron"});
    StoppingWatch stopping(0);
    stopping.watch.status = [&](std::string_view) { stopping.source.request_stop(); };
    const auto report = findPlans(task, exampleTiming(), {}, stopping.watch);
    ASSERT_FALSE(report.has_value());
    EXPECT_EQ(report.error().code, Error::Code::Stopped);
}

TEST(WatchedSearch, ShowsThePlansFoundSoFar) {
    const SearchTask task = watchedTask();
    std::vector<std::size_t> sizes;
    std::vector<Layout> last;
    SearchOptions options;
    options.onPlan = [&](std::span<const Plan> plans) {
        sizes.push_back(plans.size());
        last.clear();
        for (const Plan& plan : plans) {
            last.push_back(plan.scenario.layout);
        }
    };
    const auto report = findPlans(task, exampleTiming(), options);
    EXPECT_EQ(sizes, (std::vector<std::size_t>{1, 2, 3, 4, 5}));
    std::vector<Layout> answer;
    for (const Plan& plan : report.value().plans) {
        answer.push_back(plan.scenario.layout);
    }
    EXPECT_EQ(last, answer);
}

TEST(WatchedSearch, OnPartsIsOneProgress) {
    const SearchTask task = taskOf({.gpus = 8, .memory = 24_GiB}, {"megatron"});
    std::vector<std::size_t> done;
    Watch watch;
    watch.progress = [&done](std::size_t now, std::size_t all) {
        EXPECT_EQ(all, 4 * 2);  // plans on 8, 4, 2 and 1 GPUs
        done.push_back(now);
    };
    std::size_t stages = 0;
    SearchOptions options{.top = 2};
    options.onPlan = [&stages](std::span<const Plan> plans) {
        EXPECT_LE(plans.size(), 2U);
        ++stages;
    };
    const PlanValue fewest = [](const Plan& plan) {
        return std::optional<double>(static_cast<double>(plan.scenario.layout.world()));
    };
    ASSERT_TRUE(findOnParts(task, exampleTiming(), options, fewest, watch).has_value());
    EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
    EXPECT_GT(stages, 1U);
    StoppingWatch stopping(3);
    const auto report = findOnParts(task, exampleTiming(), options, fewest, stopping.watch);
    ASSERT_FALSE(report.has_value());
    EXPECT_EQ(report.error().code, Error::Code::Stopped);
}

}  // namespace
}  // namespace fabricast
