#include "probes/launch/rendezvous.h"

#include "probes/launch/join_message.h"
#include "tests/probes/launch/forked_ranks.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>

namespace fabricast::probe {
namespace rendezvous_test {

using std::chrono::milliseconds;
using Ranks = std::vector<std::function<std::string()>>;

/// A port that is free now: the kernel does not hand it out again at once.
std::uint16_t freePort() {
    const Answer<Socket> socket = listenAt("127.0.0.1", 0);
    return socket ? portOf(*socket) : std::uint16_t{0};
}

Place placeAt(std::uint16_t port, int rank, int world) {
    return {.rank = rank, .world = world, .host = "127.0.0.1", .port = port};
}

RendezvousRules rulesOf(double seconds = 5.0) {
    return {.version = "1.0", .token = "t", .seconds = seconds, .host = "box"};
}

/// "4 here" or what was wrong.
std::string told(const Answer<Rendezvous>& rendezvous) {
    return rendezvous ? std::to_string(rendezvous->members.size()) + " here"
                      : rendezvous.trouble().why;
}

std::function<std::string()> comes(Place place, RendezvousRules rules, int afterMs = 0) {
    return [=] {
        std::this_thread::sleep_for(milliseconds(afterMs));
        return told(meet(place, rules));
    };
}

/// Pids differ from run to run.
std::string withoutPid(std::string text) {
    for (std::size_t at = 0; (at = text.find(", pid ", at)) != std::string::npos;) {
        text.erase(at, text.find(')', at) - at);
    }
    return text;
}

TEST(Rendezvous, BringsAllTogetherInAnyOrder) {
    const std::uint16_t port = freePort();
    const auto tells = [port](int rank, int afterMs) {
        return [=] {
            std::this_thread::sleep_for(milliseconds(afterMs));
            RendezvousRules rules = rulesOf();
            rules.host = rank < 2 ? "a" : "b";
            rules.about = "gpu" + std::to_string(rank);
            const Answer<Rendezvous> rendezvous = meet(placeAt(port, rank, 4), rules);
            std::string text = told(rendezvous);
            for (const Member& member : rendezvous->members) {
                text += " " + member.host + std::to_string(member.localRank) + member.about;
            }
            return text;
        };
    };
    ForkedRanks ranks({tells(0, 100), tells(1, 0), tells(2, 200), tells(3, 50)});
    for (std::size_t rank = 0; rank < 4; ++rank) {
        EXPECT_EQ(ranks.answer(rank), "4 here a0gpu0 a1gpu1 b0gpu2 b1gpu3");
    }
}

TEST(Rendezvous, TakesASocketThatListensAlready) {
    const Answer<Socket> listener = listenAt("127.0.0.1", 0);
    ASSERT_TRUE(listener);
    const std::uint16_t port = portOf(*listener);
    const auto first = [&](int handle) {
        Place place = placeAt(port, 0, 2);
        place.listener = handle;
        return place;
    };
    // The port is taken, by the socket that is handed on.
    ForkedRanks ranks(
        {comes(first(listener->handle()), rulesOf(), 200), comes(placeAt(port, 1, 2), rulesOf())});
    EXPECT_EQ(ranks.answer(0), "2 here");
    EXPECT_EQ(ranks.answer(1), "2 here");
    EXPECT_EQ(told(meet(first(STDERR_FILENO), rulesOf())),
              "rank 0: FABRICAST_PROBE_LISTENER: descriptor 2 is not a listening socket");
}

TEST(Rendezvous, OfOneNeedsNoPort) {
    EXPECT_EQ(told(meet({}, rulesOf())), "1 here");
}

TEST(Rendezvous, NamesWhoNeverCame) {
    const std::uint16_t port = freePort();
    ForkedRanks ranks(
        {comes(placeAt(port, 0, 4), rulesOf(0.5)), comes(placeAt(port, 2, 4), rulesOf(0.5))});
    const std::string why =
        "ranks 1, 3 did not come to 127.0.0.1:" + std::to_string(port) + " within 0 s";
    EXPECT_EQ(ranks.answer(0), why);
    EXPECT_EQ(ranks.answer(1), why);
}

TEST(Rendezvous, SaysThatRankZeroNeverCame) {
    const std::uint16_t port = freePort();
    ForkedRanks ranks({comes(placeAt(port, 1, 2), rulesOf(0.5))});
    EXPECT_EQ(
        ranks.answer(0),
        "rank 1 found no rank 0 at 127.0.0.1:" + std::to_string(port) + ": Connection refused");
    EXPECT_NE(
        told(meet({.rank = 1, .world = 2, .host = "no.such.host.invalid", .port = 9}, rulesOf(0.2)))
            .find("no.such.host.invalid"),
        std::string::npos);
}

TEST(Rendezvous, EndsForAllWhereOneDoesNotBelong) {
    struct Case {
        const char* what;
        Place place;
        RendezvousRules rules;
        std::string why;
    };
    const std::uint16_t port = freePort();
    Place otherJob = placeAt(port, 1, 3);
    otherJob.job = "8";
    RendezvousRules old = rulesOf();
    old.version = "0.9";
    for (const Case& one :
         {Case{"world",
               placeAt(port, 1, 4),
               rulesOf(),
               "rank 1 (box) was started with a world of 4, rank 0 with one of 3"},
          Case{"twice",
               placeAt(port, 2, 3),
               rulesOf(),
               "rank 2 (box) was started twice: rank 2 (box) is here already"},
          Case{"job", otherJob, rulesOf(), "rank 1 (box) belongs to job '8', rank 0 to ''"},
          Case{
              "version", placeAt(port, 1, 3), old, "rank 1 (box) is version 0.9, rank 0 is 1.0"}}) {
        SCOPED_TRACE(one.what);
        ForkedRanks ranks({comes(placeAt(port, 0, 3), rulesOf()),
                           comes(placeAt(port, 2, 3), rulesOf()),
                           comes(one.place, one.rules, 150)});
        for (std::size_t rank = 0; rank < 3; ++rank) {
            EXPECT_EQ(withoutPid(ranks.answer(rank)), one.why);
        }
    }
}

TEST(Rendezvous, TurnsAwayWhoLacksTheToken) {
    const std::uint16_t port = freePort();
    RendezvousRules other = rulesOf(1.0);
    other.token = "guessed";
    ForkedRanks ranks({comes(placeAt(port, 0, 2), rulesOf(1.0)),
                       comes(placeAt(port, 1, 2), other),
                       comes(placeAt(port, 1, 2), rulesOf(1.0), 300)});
    EXPECT_EQ(ranks.answer(0), "2 here") << "a stranger ends no meeting";
    EXPECT_EQ(withoutPid(ranks.answer(1)),
              "rank 1 (box) has another token than rank 0: set FABRICAST_PROBE_TOKEN alike on all");
    EXPECT_EQ(ranks.answer(2), "2 here");
    ForkedRanks few({comes(placeAt(port, 0, 2), rulesOf(0.5)), comes(placeAt(port, 1, 2), other)});
    EXPECT_EQ(withoutPid(few.answer(0)),
              "rank 1 did not come to 127.0.0.1:" + std::to_string(port) +
                  " within 0 s; rank 1 (box) was turned away, as its token is not rank 0's");
}

/// Hundreds with the wrong token, who keep their sockets open.
std::function<std::string()> crowdOfStrangers(std::uint16_t port) {
    return [=]() -> std::string {
        const JoinMessage join{.version = "1.0",
                               .token = "guessed",
                               .world = 2,
                               .member = {.rank = 1, .host = "\x1b]0;title\nerror: forged"}};
        std::vector<FrameSocket> wires;
        for (int caller = 0; caller < 300; ++caller) {
            Answer<Socket> socket = callOnce("127.0.0.1", port, WaitLimit::in(2.0));
            for (int attempt = 0; !socket && caller == 0 && attempt < 50; ++attempt) {
                std::this_thread::sleep_for(milliseconds(20));
                socket = callOnce("127.0.0.1", port, WaitLimit::in(2.0));
            }
            if (socket) {
                wires.emplace_back(std::move(*socket));
                wires.back().say(frame::kJoin, packedJoinMessage(join));
            }
        }
        std::this_thread::sleep_for(milliseconds(5000));
        return std::to_string(wires.size());
    };
}

TEST(Rendezvous, ForgetsWhomItTurnedAway) {
    const std::uint16_t port = freePort();
    const auto withFewDescriptors = [port]() -> std::string {
        const rlimit limit{.rlim_cur = 100, .rlim_max = 100};
        (void)setrlimit(RLIMIT_NOFILE, &limit);
        return told(meet(placeAt(port, 0, 2), rulesOf(4.0)));
    };
    ForkedRanks ranks({withFewDescriptors,
                       crowdOfStrangers(port),
                       comes(placeAt(port, 1, 2), rulesOf(4.0), 1500)});
    EXPECT_EQ(ranks.answer(0), "2 here");
    EXPECT_EQ(ranks.answer(2), "2 here") << "the strangers hold on to their sockets";
    ForkedRanks alone({comes(placeAt(port, 0, 2), rulesOf(1.0)), crowdOfStrangers(port)});
    const std::string text = alone.answer(0);
    EXPECT_NE(text.find("\\x1b]0;title\\x0aerror: forged"), std::string::npos) << text;
}

TEST(Rendezvous, ListensAtTheGivenAddressOnly) {
    const Answer<Socket> elsewhere = listenAt("192.0.2.1", 0);
    EXPECT_EQ(elsewhere.trouble().why,
              "'192.0.2.1' is not an address of " + hostName() +
                  ": give rank 0's own with --rendezvous HOST:PORT or MASTER_ADDR");
    for (const char* const name : {"a b", "127.0.0.1:29713"}) {
        const Answer<Socket> nowhere = listenAt(name, 0);
        ASSERT_FALSE(nowhere) << name;
        EXPECT_NE(nowhere.trouble().why.find("has no address"), std::string::npos);
    }
    const Answer<Socket> here = listenAt("127.0.0.2", 0);
    ASSERT_TRUE(here);
    EXPECT_FALSE(callOnce("127.0.0.1", portOf(*here), WaitLimit::in(0.5)));
    EXPECT_TRUE(callOnce("127.0.0.2", portOf(*here), WaitLimit::in(0.5)));
}

TEST(Rendezvous, NamesATakenPort) {
    const Answer<Socket> holder = listenAt("127.0.0.1", 0);
    ASSERT_TRUE(holder);
    const std::uint16_t port = portOf(*holder);
    ForkedRanks ranks(
        {comes(placeAt(port, 0, 2), rulesOf(0.5)), comes(placeAt(port, 1, 2), rulesOf(0.2))});
    EXPECT_EQ(ranks.answer(0),
              "rank 0: port " + std::to_string(port) + " is taken on " + hostName() +
                  ": give another with --rendezvous HOST:PORT or FABRICAST_PROBE_PORT");
    EXPECT_EQ(ranks.answer(1),
              "rank 1 found no rank 0 at 127.0.0.1:" + std::to_string(port) +
                  ": it took the call but said nothing");
}

// Only a rank 0 that has been heard is waited for beyond that: its own verdict comes later.
TEST(Rendezvous, EndsInItsTimeWhereRankZeroSaysNothing) {
    const Answer<Socket> holder = listenAt("127.0.0.1", 0);
    ASSERT_TRUE(holder);
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_NE(told(meet(placeAt(portOf(*holder), 1, 2), rulesOf(2.0))).find("said nothing"),
              std::string::npos);
    EXPECT_LT(std::chrono::steady_clock::now() - begun, milliseconds(3500));
}

TEST(Rendezvous, IsNotHeldUpByWhoSaysNothingOrNonsense) {
    const std::uint16_t port = freePort();
    const auto stranger = [port](std::string says) {
        return [=] {
            const WaitLimit deadline = WaitLimit::in(2.0);
            Answer<Socket> socket = callOnce("127.0.0.1", port, deadline);
            while (!socket && !deadline.passed()) {
                socket = callOnce("127.0.0.1", port, deadline);
            }
            (void)send(socket->handle(), says.data(), says.size(), MSG_NOSIGNAL);
            std::this_thread::sleep_for(milliseconds(400));
            return std::string("called");
        };
    };
    ForkedRanks ranks({comes(placeAt(port, 0, 2), rulesOf()),
                       comes(placeAt(port, 1, 2), rulesOf(), 300),
                       stranger(""),
                       stranger("GET / HTTP/1.1\r\n\r\n"),
                       stranger(std::string("\x03\0\0\0Habc", 8)),
                       stranger(std::string(100000, '\xff'))});
    EXPECT_EQ(ranks.answer(0), "2 here");
    EXPECT_EQ(ranks.answer(1), "2 here");
}

TEST(Rendezvous, HearsOfARankThatDiesMeanwhile) {
    const std::uint16_t port = freePort();
    ForkedRanks ranks({comes(placeAt(port, 0, 4), rulesOf()),
                       comes(placeAt(port, 1, 4), rulesOf()),
                       comes(placeAt(port, 2, 4), rulesOf())});
    std::this_thread::sleep_for(milliseconds(300));
    ranks.signal(2, SIGKILL);
    EXPECT_EQ(withoutPid(ranks.answer(0)), "rank 2 (box) is gone");
    EXPECT_EQ(withoutPid(ranks.answer(1)), "rank 2 (box) is gone");
}

}  // namespace rendezvous_test
}  // namespace fabricast::probe
