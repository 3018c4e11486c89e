#include "probes/launch/doorkeeper.h"

#include "probes/launch/farewell.h"

#include <poll.h>

#include <algorithm>

namespace fabricast::probe {

namespace {

/// A hello is short, and is there at once.
constexpr std::size_t kLongestHello = 16384;
constexpr double kHelloSeconds = 5.0;
constexpr std::size_t kMostCallers = 4096;
constexpr double kFarewellSeconds = 2.0;

}  // namespace

Doorkeeper::Doorkeeper(Socket listener, Hello own)
    : listener_(std::move(listener)),
      own_(std::move(own)),
      wires_(static_cast<std::size_t>(own_.world)),
      members_(static_cast<std::size_t>(own_.world)) {
    members_[0] = own_.member;
}

void Doorkeeper::attend(int milliseconds) {
    std::vector<pollfd> waits = {{listener_.handle(), POLLIN, 0}};
    for (const Caller& caller : callers_) {
        waits.push_back({caller.wire.handle(), POLLIN, 0});
    }
    (void)poll(waits.data(), waits.size(), milliseconds);
    while (callers_.size() < kMostCallers) {
        Socket socket = acceptFrom(listener_);
        if (!socket.open()) {
            break;
        }
        callers_.push_back({.wire = FrameSocket(std::move(socket), kLongestHello),
                            .patience = WaitLimit::in(kHelloSeconds)});
    }
    for (Caller& caller : callers_) {
        hear(caller);
    }
    std::erase_if(callers_, [](const Caller& caller) { return !caller.wire.open(); });
    watchGuests();
}

void Doorkeeper::hear(Caller& caller) {
    caller.wire.move();
    const std::optional<StarFrame> frame = caller.wire.next();
    if (frame && frame->kind == frame::kHello) {
        const std::optional<Hello> hello = unpackedHello(frame->bytes);
        if (hello) {
            judge(*hello, std::exchange(caller.wire, FrameSocket()));
            return;
        }
    }
    if (frame || caller.wire.garbled() || caller.patience.passed()) {
        strangers_ = "; " + peerOf(caller.wire.socket()) + " called but is no probe";
        caller.wire = FrameSocket();
    }
}

void Doorkeeper::judge(const Hello& hello, FrameSocket wire) {
    if (hello.token != own_.token) {
        // A stranger ends no meeting.
        const std::string who = nameOf(hello.member);
        strangers_ = "; " + who + " was turned away, as its token is not rank 0's";
        wire.say(frame::kReject,
                 who + " has another token than rank 0: set FABRICAST_PROBE_TOKEN alike on all");
        wire.finish();
        turnedAway_.push_back(std::move(wire));
        return;
    }
    std::optional<std::string> reason = mismatch(own_, hello);
    const auto rank = static_cast<std::size_t>(reason ? 0 : hello.member.rank);
    if (!reason && members_[rank]) {
        reason = nameOf(hello.member) + " was started twice: " + nameOf(*members_[rank]) +
                 " is here already";
    }
    if (reason) {
        trouble_ = trouble_ ? trouble_ : reason;
        turnedAway_.push_back(std::move(wire));
        return;
    }
    members_[rank] = hello.member;
    // From now on it may send more than a hello.
    wires_[rank] = std::move(wire);
    ++here_;
}

void Doorkeeper::watchGuests() {
    for (std::size_t rank = 1; rank < wires_.size(); ++rank) {
        if (members_[rank] && !trouble_) {
            wires_[rank].move();
            if (!wires_[rank].open()) {
                trouble_ = nameOf(*members_[rank]) + " is gone";
            }
        }
    }
}

std::string Doorkeeper::missing() const {
    constexpr int kNamed = 8;
    std::string text;
    int count = 0;
    for (std::size_t rank = 1; rank < members_.size(); ++rank) {
        if (!members_[rank] && ++count <= kNamed) {
            text += (text.empty() ? "" : ", ") + std::to_string(rank);
        }
    }
    return (count == 1 ? "rank " : "ranks ") + text +
           (count > kNamed ? " and " + std::to_string(count - kNamed) + " others" : "");
}

void Doorkeeper::turnAllAway(const std::string& reason, bool moreMayCome) {
    // Whoever is on the way learns it too, instead of calling in vain until its time is up.
    const WaitLimit deadline = WaitLimit::in(moreMayCome ? kFarewellSeconds : 0.0);
    const auto world = static_cast<std::size_t>(own_.world);
    const auto tell = [&](FrameSocket& wire) {
        if (wire.open()) {
            wire.say(frame::kReject, reason);
        }
    };
    constexpr int kLookAroundMs = 20;
    while (static_cast<std::size_t>(here_) + turnedAway_.size() < world && !deadline.passed()) {
        attend(deadline.pollMs(kLookAroundMs));
    }
    for (FrameSocket& wire : wires_) {
        tell(wire);
    }
    for (FrameSocket& wire : turnedAway_) {
        tell(wire);
        wires_.push_back(std::move(wire));
    }
    sayFarewell(wires_, kFarewellSeconds);
}

Meeting Doorkeeper::welcomeAll() {
    Meeting meeting;
    for (const std::optional<Member>& member : members_) {
        meeting.members.push_back(*member);
    }
    numberLocally(meeting.members);
    const std::string table = packedMembers(meeting.members);
    for (FrameSocket& wire : wires_) {
        if (wire.open()) {
            wire.allow(FrameSocket::kLongest);
            wire.say(frame::kWelcome, table);
        }
    }
    meeting.wires = std::move(wires_);
    return meeting;
}

}  // namespace fabricast::probe
