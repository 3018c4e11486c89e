#include "probes/launch/meeting.h"

#include "probes/launch/doorkeeper.h"
#include "probes/launch/hello.h"
#include "probes/record/interrupt.h"

#include <poll.h>

#include <algorithm>
#include <thread>

namespace fabricast::probe {

namespace {

constexpr int kLookAroundMs = 50;
/// Rank 0's own verdict arrives before a rank gives up by itself.
double patienceOf(const MeetingRules& rules) {
    constexpr double kGraceSeconds = 5.0;
    return rules.seconds + std::min(rules.seconds, kGraceSeconds);
}

std::string addressOf(const Place& place) {
    return place.host + ":" + std::to_string(place.port);
}

Trouble interruptedWaiting() {
    return Trouble{"interrupted while the ranks were coming together"};
}

/// What rank 0 says once it has been called. No answer: the call is worth another attempt.
struct Reply {
    std::optional<StarFrame> frame;
    std::string silence;  ///< why there is no frame
};

Reply replyOn(FrameSocket& wire, const WaitLimit& deadline) {
    while (!deadline.passed() && !interrupted()) {
        pollfd wait = {
            wire.handle(), static_cast<short>(POLLIN | (wire.wantsToSend() ? POLLOUT : 0)), 0};
        (void)poll(&wait, 1, deadline.pollMs(kLookAroundMs));
        wire.move();
        std::optional<StarFrame> frame = wire.next();
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

Answer<Meeting> welcomed(const StarFrame& frame, FrameSocket wire, const Place& place) {
    if (frame.kind == frame::kReject) {
        return Trouble{frame.bytes};
    }
    std::optional<std::vector<Member>> members = unpackedMembers(frame.bytes, place.world);
    if (!members) {
        return Trouble{"rank 0 at " + addressOf(place) + " sent no list of ranks"};
    }
    Meeting meeting{.members = std::move(*members)};
    meeting.wires.push_back(std::move(wire));
    return meeting;
}

/// Any rank but 0: calls until rank 0 answers.
Answer<Meeting> comeTo(const Place& place, const MeetingRules& rules) {
    const WaitLimit deadline = WaitLimit::in(rules.seconds);
    std::string last = "nobody answers";
    while (!deadline.passed()) {
        if (interrupted()) {
            return interruptedWaiting();
        }
        Answer<Socket> socket = callOnce(place.host, place.port, deadline);
        if (socket) {
            FrameSocket wire(std::move(*socket));
            wire.say(frame::kHello, packedHello(helloOf(place, rules)));
            const Reply reply = replyOn(wire, WaitLimit::in(patienceOf(rules)));
            if (reply.frame) {
                return welcomed(*reply.frame, std::move(wire), place);
            }
            last = reply.silence;
        } else {
            last = socket.trouble().why;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(kLookAroundMs));
    }
    if (interrupted()) {
        return interruptedWaiting();
    }
    return Trouble{"rank " + std::to_string(place.rank) + " found no rank 0 at " +
                   addressOf(place) + ": " + last};
}

/// Rank 0: waits until all have come.
Answer<Meeting> awaitAll(const Place& place, const MeetingRules& rules) {
    Answer<Socket> listener = listenAt(place.host, place.port);
    if (!listener) {
        return Trouble{"rank 0: " + listener.trouble().why};
    }
    const WaitLimit deadline = WaitLimit::in(rules.seconds);
    Doorkeeper keeper(std::move(*listener), helloOf(place, rules));
    while (!keeper.complete()) {
        keeper.attend(deadline.pollMs(kLookAroundMs));
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

Answer<Meeting> meet(const Place& place, const MeetingRules& rules) {
    if (place.world == 1) {
        Meeting alone;
        alone.members.push_back(helloOf(place, rules).member);
        numberLocally(alone.members);
        return alone;
    }
    return place.rank == 0 ? awaitAll(place, rules) : comeTo(place, rules);
}

}  // namespace fabricast::probe
