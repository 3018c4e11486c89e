#include "probes/launch/control_channel.h"

#include "probes/launch/launchers.h"
#include "probes/record/run_points.h"
#include "tests/probes/launch/forked_ranks.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <cstdlib>
#include <numeric>
#include <thread>

namespace fabricast::probe {
namespace {

using std::chrono::milliseconds;

std::uint16_t freePort() {
    const Answer<Socket> socket = listenAt("127.0.0.1", 0);
    return socket ? portOf(*socket) : std::uint16_t{0};
}

/// Each rank joins a star whose members send something at least this often, and does this.
std::vector<std::function<std::string()>> starOf(
    int world, double silence, const std::function<std::string(ControlChannel&)>& does) {
    const std::uint16_t port = freePort();
    std::vector<std::function<std::string()>> ranks;
    for (int rank = 0; rank < world; ++rank) {
        ranks.emplace_back([=]() -> std::string {
            catchInterrupts();
            Answer<Rendezvous> rendezvous =
                meet({.rank = rank, .world = world, .host = "127.0.0.1", .port = port},
                     {.seconds = 5.0, .host = "box"});
            if (!rendezvous) {
                return rendezvous.trouble().why;
            }
            ControlChannel channel(std::move(*rendezvous), rank, silence);
            std::string text = does(channel);
            channel.leave();
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
std::string barriersUntilTrouble(ControlChannel& channel) {
    while (true) {
        const Done done = channel.barrier();
        if (!done) {
            return done.trouble().why;
        }
        pass(10);
    }
}

TEST(ControlChannel, CarriesNumbersAndBytes) {
    ForkedRanks ranks(starOf(4, 5.0, [](ControlChannel& channel) -> std::string {
        std::string text;
        for (int round = 0; round < 50; ++round) {
            const auto told = channel.broadcast("from 0, round " + std::to_string(round));
            const auto largest =
                channel.maxima({channel.rank() * 1.0, -channel.rank() * 1.0, 0.25});
            const auto all = channel.shared({channel.rank() + 0.5});
            if (!told || !largest || !all || !channel.barrier() || all->size() != 4) {
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
        const auto gathered = channel.gather("r" + std::to_string(channel.rank()));
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

TEST(ControlChannel, CarriesMoreThanASocketHolds) {
    ForkedRanks ranks(starOf(3, 5.0, [](ControlChannel& channel) -> std::string {
        std::vector<double> values(300000);
        std::iota(values.begin(), values.end(), channel.rank());
        const auto largest = channel.maxima(values);
        return largest ? std::to_string(largest->back()) : largest.trouble().why;
    }));
    for (std::size_t rank = 0; rank < 3; ++rank) {
        EXPECT_EQ(ranks.answer(rank), "300001.000000");
    }
}

TEST(ControlChannel, OfOneTalksToItself) {
    Answer<Rendezvous> rendezvous = meet({}, {});
    ASSERT_TRUE(rendezvous);
    ControlChannel channel(std::move(*rendezvous), 0, 1.0);
    EXPECT_EQ(*channel.broadcast("x"), "x");
    EXPECT_EQ(channel.maxima({3.0})->front(), 3.0);
    EXPECT_EQ(channel.gather("y")->size(), 1U);
    EXPECT_TRUE(channel.barrier() && channel.watch());
    EXPECT_EQ(channel.fail("no GPU").why, "no GPU");
    EXPECT_FALSE(channel.barrier()) << "once ended it stays so";
}

TEST(ControlChannel, TellsAllWhoDied) {
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

TEST(ControlChannel, TellsAllWhoStalled) {
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

TEST(ControlChannel, WaitsForWhoIsBusyButAlive) {
    ForkedRanks ranks(starOf(3, 0.3, [](ControlChannel& channel) -> std::string {
        const WaitLimit busy = WaitLimit::in(channel.rank() == 1 ? 1.2 : 0.0);
        while (!busy.passed()) {
            if (const Done alive = channel.watch(); !alive) {
                return alive.trouble().why;
            }
            pass(5);
        }
        const Done done = channel.barrier();
        return done ? "fine" : done.trouble().why;
    }));
    for (std::size_t rank = 0; rank < 3; ++rank) {
        EXPECT_EQ(ranks.answer(rank), "fine");
    }
}

TEST(ControlChannel, SaysTheSameEverywhereWhereOneFails) {
    for (const int victim : {0, 2}) {
        ForkedRanks ranks(starOf(3, 5.0, [victim](ControlChannel& channel) -> std::string {
            return channel.rank() == victim ? channel.fail("no memory left").why
                                            : barriersUntilTrouble(channel);
        }));
        const std::string why = "rank " + std::to_string(victim) + " (box): no memory left";
        for (std::size_t rank = 0; rank < 3; ++rank) {
            EXPECT_EQ(withoutPid(ranks.answer(rank)), why);
        }
    }
}

TEST(ControlChannel, ExplainsAFailureByWhoDied) {
    // What rank 1 sees of rank 2's end comes to rank 0 before that end does.
    ForkedRanks ranks(starOf(3, 5.0, [](ControlChannel& channel) -> std::string {
        if (channel.rank() == 1) {
            return channel.fail("the connection was reset").why;
        }
        if (channel.rank() == 2) {
            pass(200);
            _exit(3);
        }
        return barriersUntilTrouble(channel);
    }));
    const std::string why = "rank 2 (box) is gone; rank 1 (box): the connection was reset";
    EXPECT_EQ(withoutPid(ranks.answer(0)), why);
    EXPECT_EQ(withoutPid(ranks.answer(1)), why);
}

TEST(ControlChannel, NoticesThatRanksMeasureDifferentThings) {
    ForkedRanks ranks(starOf(2, 5.0, [](ControlChannel& channel) -> std::string {
        const auto largest = channel.maxima(std::vector<double>(channel.rank() == 0 ? 2U : 3U));
        return largest ? "fine" : largest.trouble().why;
    }));
    const std::string why =
        "rank 0 (box): the ranks do not measure the same: 2 values here, 3 elsewhere";
    EXPECT_EQ(withoutPid(ranks.answer(0)), why);
    EXPECT_EQ(withoutPid(ranks.answer(1)), why);
}

/// Rank 0 measures points until asked to stop; the others follow.
std::string pointsUntilStopped(ControlChannel& channel) {
    int measured = 0;
    const MeasureInLockstep measure = [&](const Point& point) -> Answer<Measurement> {
        ++measured;
        pass(5);
        const auto largest = channel.maxima({1.0 * channel.rank()});
        return largest ? Answer<Measurement>(Measurement{.point = point, .samples = *largest})
                       : largest.trouble();
    };
    if (channel.rank() != 0) {
        const Done followed = followPoints(channel, measure);
        return (followed ? "followed " : followed.trouble().why) + std::to_string(measured);
    }
    while (!interrupted()) {
        const auto measurement = leadPoint(channel, *parsePoint("barrier n=1"), measure);
        if (!measurement) {
            return measurement.trouble().why;
        }
    }
    endPoints(channel);
    return "followed " + std::to_string(measured);
}

TEST(ControlChannel, CarriesCtrlCOfAnyRankToAll) {
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

TEST(ControlChannel, TellsAllThatRankZeroEndsInMidStep) {
    ForkedRanks ranks(starOf(3, 5.0, [](ControlChannel& channel) -> std::string {
        if (channel.rank() == 0) {
            // What the first thread does takes longer than anybody waits for.
            const std::jthread lastWords([&] {
                channel.leaveInMidStep();
                std::_Exit(0);
            });
            pass(2000);
        }
        const std::string why = barriersUntilTrouble(channel);
        return channel.stopped() ? "stopped" : why;
    }));
    EXPECT_EQ(ranks.answer(1), "stopped");
    EXPECT_EQ(ranks.answer(2), "stopped");
}

TEST(ControlChannel, TellsAllThatRankZeroDiedAsSoonAsTheyHadMet) {
    ForkedRanks ranks(starOf(3, 5.0, [](ControlChannel& channel) -> std::string {
        if (channel.rank() == 0) {
            std::_Exit(0);
        }
        pass(20);
        return barriersUntilTrouble(channel);
    }));
    EXPECT_EQ(withoutPid(ranks.answer(1)), "rank 0 (box) is gone");
    EXPECT_EQ(withoutPid(ranks.answer(2)), "rank 0 (box) is gone");
}

TEST(LockstepPoints, EndsForAllWhereOneCannotMeasure) {
    ForkedRanks ranks(starOf(3, 5.0, [](ControlChannel& channel) -> std::string {
        const MeasureInLockstep measure = [&](const Point& point) -> Answer<Measurement> {
            if (channel.rank() == 1) {
                return Trouble{"the GPU fell off the bus"};
            }
            const Done done = channel.barrier();
            return done ? Answer<Measurement>(Measurement{.point = point}) : done.trouble();
        };
        if (channel.rank() == 0) {
            return leadPoint(channel, *parsePoint("x"), measure).trouble().why;
        }
        return followPoints(channel, measure).trouble().why;
    }));
    for (std::size_t rank = 0; rank < 3; ++rank) {
        EXPECT_EQ(withoutPid(ranks.answer(rank)), "rank 1 (box): the GPU fell off the bus");
    }
}

TEST(ControlChannel, EndsAMemberThatSendsWithoutEnd) {
    const std::uint16_t port = freePort();
    const auto joins = [port](int rank) {
        return meet({.rank = rank, .world = 2, .host = "127.0.0.1", .port = port},
                    {.seconds = 5.0, .host = "box"});
    };
    const auto measures = [=]() -> std::string {
        Answer<Rendezvous> rendezvous = joins(0);
        ControlChannel channel(std::move(*rendezvous), 0, 2.0);
        const WaitLimit deadline = WaitLimit::in(30.0);
        while (!deadline.passed()) {
            const Done done = channel.watch();
            if (!done) {
                return done.trouble().why;
            }
        }
        return "";
    };
    const auto floods = [=]() -> std::string {
        Answer<Rendezvous> rendezvous = joins(1);
        FrameSocket wire = std::move(rendezvous->wires.front());
        const std::string empty = std::string(4, '\0') + frame::kData;
        std::string many;
        for (int frames = 0; frames < 20'000; ++frames) {
            many += empty;
        }
        const WaitLimit deadline = WaitLimit::in(30.0);
        pollfd wait = {wire.handle(), POLLOUT, 0};
        for (std::size_t at = 0; !deadline.passed();) {
            (void)poll(&wait, 1, 100);
            const ssize_t sent =
                send(wire.handle(), many.data() + at, many.size() - at, MSG_NOSIGNAL);
            if (sent < 0 && errno != EAGAIN) {
                break;
            }
            at = (at + static_cast<std::size_t>(std::max<ssize_t>(sent, 0))) % many.size();
        }
        return "";
    };
    ForkedRanks ranks({measures, floods});
    EXPECT_EQ(withoutPid(ranks.answer(0)), "rank 1 (box) sends more than anybody asks for");
}

TEST(FrameSocket, TakesFramesInLinearTime) {
    int ends[2] = {-1, -1};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    FrameSocket from{Socket(ends[0])};
    FrameSocket into{Socket(ends[1])};
    constexpr int kFrames = 1'000'000;
    const auto begin = std::chrono::steady_clock::now();
    std::string packed;
    for (int frame = 0; frame < kFrames; ++frame) {
        packed += std::string(4, '\0') + frame::kBeat;
    }
    std::size_t sent = 0;
    int taken = 0;
    while (taken < kFrames) {
        const ssize_t some =
            send(ends[0], packed.data() + sent, packed.size() - sent, MSG_NOSIGNAL);
        sent += some > 0 ? static_cast<std::size_t>(some) : 0;
        into.move();
        if (sent == packed.size()) {
            while (into.next()) {
                ++taken;
            }
        }
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(seconds.count(), 5.0) << "5 MB of empty frames; a quadratic reader takes minutes";
}

}  // namespace
}  // namespace fabricast::probe
