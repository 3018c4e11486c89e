#include "probes/launch/star.h"

#include "probes/launch/together.h"
#include "probes/record/interrupt.h"
#include "tests/probes/launch/forked_ranks.h"

#include <gtest/gtest.h>

#include <numeric>

namespace fabricast::probe {
namespace {

using std::chrono::milliseconds;

std::uint16_t freePort() {
    const Answer<Socket> socket = listenAt("127.0.0.1", 0);
    return socket ? portOf(*socket) : std::uint16_t{0};
}

/// Each rank joins a star whose members say something at least this often, and does this.
std::vector<std::function<std::string()>> starOf(int world,
                                                 double silence,
                                                 const std::function<std::string(Star&)>& does) {
    const std::uint16_t port = freePort();
    std::vector<std::function<std::string()>> ranks;
    for (int rank = 0; rank < world; ++rank) {
        ranks.emplace_back([=]() -> std::string {
            catchInterrupts();
            Answer<Meeting> meeting =
                meet({.rank = rank, .world = world, .host = "127.0.0.1", .port = port},
                     {.seconds = 5.0, .host = "box"});
            if (!meeting) {
                return meeting.trouble().why;
            }
            Star star(std::move(*meeting), rank, silence);
            std::string text = does(star);
            star.leave();
            return text;
        });
    }
    return ranks;
}

std::string withoutPid(std::string text) {
    for (std::size_t at = 0; (at = text.find(", pid ", at)) != std::string::npos;) {
        text.erase(at, text.find(')', at) - at);
    }
    return text;
}

void pass(int ms) {
    std::this_thread::sleep_for(milliseconds(ms));
}

/// Barriers until something is wrong; what that is.
std::string barriersUntilTrouble(Star& star) {
    while (true) {
        const Done done = star.barrier();
        if (!done) {
            return done.trouble().why;
        }
        pass(10);
    }
}

TEST(Star, CarriesNumbersAndBytes) {
    ForkedRanks ranks(starOf(4, 5.0, [](Star& star) -> std::string {
        std::string text;
        for (int round = 0; round < 50; ++round) {
            const auto told = star.broadcast("from 0, round " + std::to_string(round));
            const auto largest = star.maxima({star.rank() * 1.0, -star.rank() * 1.0, 0.25});
            const auto all = star.shared({star.rank() + 0.5});
            if (!told || !largest || !all || !star.barrier() || all->size() != 4) {
                return "trouble";
            }
            text = *told;
            for (const double value : *largest) {
                text += " " + std::to_string(value);
            }
            for (const auto& values : *all) {
                text += " " + std::to_string(values.at(0));
            }
        }
        const auto gathered = star.gather("r" + std::to_string(star.rank()));
        for (const std::string& one : *gathered) {
            text += one;
        }
        return text;
    }));
    const std::string same =
        "from 0, round 49 3.000000 0.000000 0.250000 0.500000 1.500000 2.500000 3.500000";
    EXPECT_EQ(ranks.answer(0), same + "r0r1r2r3");
    EXPECT_EQ(ranks.answer(3), same);
}

TEST(Star, CarriesMoreThanASocketHolds) {
    ForkedRanks ranks(starOf(3, 5.0, [](Star& star) -> std::string {
        std::vector<double> values(300000);
        std::iota(values.begin(), values.end(), star.rank());
        const auto largest = star.maxima(values);
        return largest ? std::to_string(largest->back()) : largest.trouble().why;
    }));
    for (std::size_t rank = 0; rank < 3; ++rank) {
        EXPECT_EQ(ranks.answer(rank), "300001.000000");
    }
}

TEST(Star, OfOneTalksToItself) {
    Answer<Meeting> meeting = meet({}, {});
    ASSERT_TRUE(meeting);
    Star star(std::move(*meeting), 0, 1.0);
    EXPECT_EQ(*star.broadcast("x"), "x");
    EXPECT_EQ(star.maxima({3.0})->front(), 3.0);
    EXPECT_EQ(star.gather("y")->size(), 1U);
    EXPECT_TRUE(star.barrier() && star.watch());
    EXPECT_EQ(star.fail("no GPU").why, "no GPU");
    EXPECT_FALSE(star.barrier()) << "once ended it stays so";
}

TEST(Star, TellsAllWhoDied) {
    for (const std::size_t victim : {0U, 2U}) {
        ForkedRanks ranks(starOf(4, 5.0, barriersUntilTrouble));
        pass(300);
        ranks.signal(victim, SIGKILL);
        for (std::size_t rank = 0; rank < 4; ++rank) {
            if (rank != victim) {
                EXPECT_EQ(withoutPid(ranks.answer(rank)),
                          "rank " + std::to_string(victim) + " (box) is gone");
            }
        }
    }
}

TEST(Star, TellsAllWhoStalled) {
    for (const std::size_t victim : {0U, 2U}) {
        ForkedRanks ranks(starOf(3, 0.4, barriersUntilTrouble));
        pass(300);
        ranks.signal(victim, SIGSTOP);
        const std::string why =
            "rank " + std::to_string(victim) + " (box) has said nothing for 0.4 s";
        for (std::size_t rank = 0; rank < 3; ++rank) {
            if (rank != victim) {
                EXPECT_EQ(withoutPid(ranks.answer(rank)), why);
            }
        }
        // Woken up, it finds itself alone and ends too.
        ranks.signal(victim, SIGCONT);
        EXPECT_NE(withoutPid(ranks.answer(victim)), "hangs");
    }
}

TEST(Star, WaitsForWhoIsBusyButAlive) {
    ForkedRanks ranks(starOf(3, 0.3, [](Star& star) -> std::string {
        const WaitLimit busy = WaitLimit::in(star.rank() == 1 ? 1.2 : 0.0);
        while (!busy.passed()) {
            if (const Done alive = star.watch(); !alive) {
                return alive.trouble().why;
            }
            pass(5);
        }
        const Done done = star.barrier();
        return done ? "fine" : done.trouble().why;
    }));
    for (std::size_t rank = 0; rank < 3; ++rank) {
        EXPECT_EQ(ranks.answer(rank), "fine");
    }
}

TEST(Star, SaysTheSameEverywhereWhereOneFails) {
    for (const int victim : {0, 2}) {
        ForkedRanks ranks(starOf(3, 5.0, [victim](Star& star) -> std::string {
            return star.rank() == victim ? star.fail("no memory left").why
                                         : barriersUntilTrouble(star);
        }));
        const std::string why = "rank " + std::to_string(victim) + " (box): no memory left";
        for (std::size_t rank = 0; rank < 3; ++rank) {
            EXPECT_EQ(withoutPid(ranks.answer(rank)), why);
        }
    }
}

TEST(Star, ExplainsAFailureByWhoDied) {
    // What rank 1 sees of rank 2's end comes to rank 0 before that end does.
    ForkedRanks ranks(starOf(3, 5.0, [](Star& star) -> std::string {
        if (star.rank() == 1) {
            return star.fail("the connection was reset").why;
        }
        if (star.rank() == 2) {
            pass(200);
            _exit(3);
        }
        return barriersUntilTrouble(star);
    }));
    const std::string why = "rank 2 (box) is gone; rank 1 (box): the connection was reset";
    EXPECT_EQ(withoutPid(ranks.answer(0)), why);
    EXPECT_EQ(withoutPid(ranks.answer(1)), why);
}

TEST(Star, NoticesThatRanksMeasureDifferentThings) {
    ForkedRanks ranks(starOf(2, 5.0, [](Star& star) -> std::string {
        const auto largest = star.maxima(std::vector<double>(star.rank() == 0 ? 2U : 3U));
        return largest ? "fine" : largest.trouble().why;
    }));
    const std::string why =
        "rank 0 (box): the ranks do not measure the same: 2 values here, 3 elsewhere";
    EXPECT_EQ(withoutPid(ranks.answer(0)), why);
    EXPECT_EQ(withoutPid(ranks.answer(1)), why);
}

/// Rank 0 measures points until asked to stop; the others follow.
std::string pointsUntilStopped(Star& star) {
    int measured = 0;
    const MeasureTogether measure = [&](const Point& point) -> Answer<Measurement> {
        ++measured;
        pass(5);
        const auto largest = star.maxima({1.0 * star.rank()});
        return largest ? Answer<Measurement>(Measurement{.point = point, .samples = *largest})
                       : largest.trouble();
    };
    if (star.rank() != 0) {
        const Done followed = followPoints(star, measure);
        return (followed ? "followed " : followed.trouble().why) + std::to_string(measured);
    }
    while (!interrupted()) {
        const auto measurement = leadPoint(star, *parsePoint("barrier n=1"), measure);
        if (!measurement) {
            return measurement.trouble().why;
        }
    }
    endPoints(star);
    return "followed " + std::to_string(measured);
}

TEST(Star, CarriesCtrlCOfAnyRankToAll) {
    for (const std::size_t rank : {0U, 1U}) {
        ForkedRanks ranks(starOf(3, 5.0, pointsUntilStopped));
        pass(400);
        ranks.signal(rank, SIGINT);
        const std::string same = ranks.answer(0);
        EXPECT_EQ(same.substr(0, 9), "followed ");
        EXPECT_NE(same, "followed 0");
        EXPECT_EQ(ranks.answer(1), same) << "all measured the same points";
        EXPECT_EQ(ranks.answer(2), same);
    }
}

TEST(Together, EndsForAllWhereOneCannotMeasure) {
    ForkedRanks ranks(starOf(3, 5.0, [](Star& star) -> std::string {
        const MeasureTogether measure = [&](const Point& point) -> Answer<Measurement> {
            if (star.rank() == 1) {
                return Trouble{"the GPU fell off the bus"};
            }
            const Done done = star.barrier();
            return done ? Answer<Measurement>(Measurement{.point = point}) : done.trouble();
        };
        if (star.rank() == 0) {
            return leadPoint(star, *parsePoint("x"), measure).trouble().why;
        }
        return followPoints(star, measure).trouble().why;
    }));
    for (std::size_t rank = 0; rank < 3; ++rank) {
        EXPECT_EQ(withoutPid(ranks.answer(rank)), "rank 1 (box): the GPU fell off the bus");
    }
}

}  // namespace
}  // namespace fabricast::probe
