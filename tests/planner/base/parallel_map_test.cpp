#include "planner/base/parallel_map.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace fabricast {
namespace {

std::vector<int> numbersUpTo(int count) {
    std::vector<int> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

class ParallelMapOnThreads : public testing::TestWithParam<std::size_t> {};

TEST_P(ParallelMapOnThreads, GivesTheSameBytesInTheOrderOfTheItems) {
    const auto inverseRoot = [](int number) { return std::to_string(1.0 / std::sqrt(number + 1)); };
    for (const int count : {0, 1, 2, 15, 16, 17, 10'000}) {
        const std::vector<int> numbers = numbersUpTo(count);
        std::vector<std::string> oneByOne;
        for (const int number : numbers) {
            oneByOne.push_back(inverseRoot(number));
        }
        EXPECT_EQ(parallelMap(numbers, inverseRoot, {.threads = GetParam()}), oneByOne) << count;
    }
}

TEST_P(ParallelMapOnThreads, CallsTheFunctionOncePerItem) {
    std::vector<std::atomic<int>> calls(1000);
    const auto count = [&](int number) { return ++calls[static_cast<std::size_t>(number)] == 1; };
    const auto firsts = parallelMap(numbersUpTo(1000), count, {.threads = GetParam()});
    ASSERT_TRUE(firsts);
    EXPECT_EQ(*firsts, std::vector<bool>(1000, true));
}

TEST_P(ParallelMapOnThreads, ThrowsWhatTheEarliestItemThrew) {
    const auto refuse = [](int number) -> int {
        return number >= 300 && number % 7 == 0 ? throw std::runtime_error(std::to_string(number))
                                                : number;
    };
    for (int round = 0; round < 20; ++round) {
        try {
            parallelMap(numbersUpTo(1000), refuse, {.threads = GetParam()});
            FAIL() << "item 301 throws";
        } catch (const std::runtime_error& error) {
            EXPECT_STREQ(error.what(), "301");
        }
    }
}

TEST_P(ParallelMapOnThreads, HasNoAnswerWhenStopped) {
    std::stop_source source;
    std::atomic<int> calls = 0;
    const auto stopSoon = [&](int number) {
        if (++calls == 10) {
            source.request_stop();
        }
        return number;
    };
    const auto answer = parallelMap(
        numbersUpTo(100'000), stopSoon, {.threads = GetParam(), .stop = source.get_token()});
    EXPECT_FALSE(answer);
    EXPECT_LT(calls, 100'000);
}

INSTANTIATE_TEST_SUITE_P(Threads, ParallelMapOnThreads, testing::Values(0, 1, 3, 16));

}  // namespace
}  // namespace fabricast
