#include "probes/launch/rendezvous.h"

#include "planner/output/printable_text.h"
#include "probes/launch/join_message.h"
#include "probes/launch/join_server.h"
#include "probes/record/run_points.h"

#include <poll.h>

#include <algorithm>
#include <thread>

namespace fabricast::probe {

namespace {

constexpr int kJoinTickMs = 50;
/// Rank 0's own verdict arrives before a rank gives up by itself.
double patienceOf(const RendezvousRules& rules) {
    constexpr double kGraceSeconds = 5.0;
    return rules.seconds + std::min(rules.seconds, kGraceSeconds);
}

std::string addressOf(const Place& place) {
    return place.host + ":" + std::to_string(place.port);
}

Trouble interruptedWaiting() {
    return Trouble{"interrupted while the ranks were coming together"};
}

/// What rank 0 says before it is known to be one is short.
constexpr std::size_t kLongestHello = 16384;

/// What rank 0 says once it has been called. No answer: the call is worth another attempt.
struct Reply {
    std::optional<ControlFrame> frame;
    std::string silence;  ///< why there is no frame
};

/// Rank 0 is heard at once, and then there is patience with it.
Reply replyOn(FrameSocket& wire, const WaitLimit& deadline, const WaitLimit& patience) {
    bool isRankZero = false;
    while (!(isRankZero ? patience : deadline).passed() && !interrupted()) {
        pollfd wait = {
            wire.handle(), static_cast<short>(POLLIN | (wire.wantsToSend() ? POLLOUT : 0)), 0};
        (void)poll(&wait, 1, deadline.passed() ? kJoinTickMs : deadline.pollMs(kJoinTickMs));
        wire.move();
        std::optional<ControlFrame> frame = wire.next();
        if (frame && frame->kind == frame::kBeat) {
            isRankZero = true;
            wire.allow(FrameSocket::kLongest);
            frame = wire.next();
        }
        if (frame && (frame->kind == frame::kReject || frame->kind == frame::kWelcome)) {
            return {.frame = std::move(frame)};
        }
        if (frame || wire.garbled()) {
            return {.silence = "what answers there is no rank 0 of this program"};
        }
        if (!wire.open()) {
            return {.silence = "it hung up"};
        }
    }
    return {.silence = "it took the call but said nothing"};
}

Answer<Rendezvous> welcomed(const ControlFrame& frame, FrameSocket wire, const Place& place) {
    if (frame.kind == frame::kReject) {
        return Trouble{printableLine(frame.bytes)};
    }
    std::optional<std::vector<Member>> members = unpackedMembers(frame.bytes, place.world);
    if (!members) {
        return Trouble{"rank 0 at " + addressOf(place) + " sent no list of ranks"};
    }
    Rendezvous rendezvous{.members = std::move(*members)};
    rendezvous.wires.push_back(std::move(wire));
    return rendezvous;
}

/// Any rank but 0: calls until rank 0 answers.
Answer<Rendezvous> comeTo(const Place& place, const RendezvousRules& rules) {
    const WaitLimit deadline = WaitLimit::in(rules.seconds);
    std::string last = "nobody answers";
    while (!deadline.passed()) {
        if (interrupted()) {
            return interruptedWaiting();
        }
        Answer<Socket> socket = callOnce(place.host, place.port, deadline);
        if (socket) {
            FrameSocket wire(std::move(*socket), kLongestHello);
            wire.say(frame::kJoin, packedJoinMessage(joinMessageOf(place, rules)));
            const Reply reply = replyOn(wire, deadline, WaitLimit::in(patienceOf(rules)));
            if (reply.frame) {
                return welcomed(*reply.frame, std::move(wire), place);
            }
            last = reply.silence;
        } else {
            last = socket.trouble().why;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(kJoinTickMs));
    }
    if (interrupted()) {
        return interruptedWaiting();
    }
    return Trouble{"rank " + std::to_string(place.rank) + " found no rank 0 at " +
                   addressOf(place) + ": " + last};
}

/// Rank 0: waits until all have come.
Answer<Rendezvous> awaitAll(const Place& place, const RendezvousRules& rules) {
    Answer<Socket> listener =
        place.listener < 0 ? listenAt(place.host, place.port) : adoptListener(place.listener);
    if (!listener) {
        return Trouble{"rank 0: " + listener.trouble().why};
    }
    const WaitLimit deadline = WaitLimit::in(rules.seconds);
    JoinServer keeper(std::move(*listener), joinMessageOf(place, rules));
    while (!keeper.complete()) {
        keeper.attend(deadline.pollMs(kJoinTickMs));
        std::optional<std::string> reason = keeper.trouble();
        if (!reason && interrupted()) {
            reason = interruptedWaiting().why;
        }
        if (!reason && deadline.passed()) {
            reason = keeper.missing() + " did not come to " + addressOf(place) + " within " +
                     std::to_string(static_cast<long>(rules.seconds)) + " s" + keeper.strangers();
        }
        if (reason) {
            keeper.turnAllAway(*reason, !deadline.passed());
            return Trouble{*reason};
        }
    }
    return keeper.welcomeAll();
}

}  // namespace

Answer<Rendezvous> meet(const Place& place, const RendezvousRules& rules) {
    if (place.world == 1) {
        Rendezvous alone;
        alone.members.push_back(joinMessageOf(place, rules).member);
        numberLocally(alone.members);
        return alone;
    }
    return place.rank == 0 ? awaitAll(place, rules) : comeTo(place, rules);
}

}  // namespace fabricast::probe
