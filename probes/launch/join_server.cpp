#include "probes/launch/join_server.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>

namespace fabricast::probe {

namespace {

/// A join message is short, and follows the connection at once.
constexpr std::size_t kLongestJoin = 16384;
constexpr double kJoinSeconds = 5.0;
constexpr std::size_t kMostCallers = 4096;
constexpr double kRejectSeconds = 2.0;
constexpr std::size_t kMostStrangers = 64;

}  // namespace

JoinServer::JoinServer(Socket listener, JoinMessage own)
    : listener_(std::move(listener)),
      own_(std::move(own)),
      wires_(static_cast<std::size_t>(own_.world)),
      members_(static_cast<std::size_t>(own_.world)) {
    members_[0] = own_.member;
}

void JoinServer::attend(int milliseconds) {
    std::vector<pollfd> waits = {{listener_.handle(), POLLIN, 0}};
    for (const Caller& caller : callers_) {
        waits.push_back({caller.wire.handle(), POLLIN, 0});
    }
    (void)poll(waits.data(), waits.size(), milliseconds);
    acceptCallers();
    for (Caller& caller : callers_) {
        hear(caller);
    }
    std::erase_if(callers_, [](const Caller& caller) { return !caller.wire.open(); });
    seeStrangersOff();
    watchJoined();
}

void JoinServer::acceptCallers() {
    for (std::size_t accepted = 0; accepted < kMostCallers; ++accepted) {
        Socket socket = acceptFrom(listener_);
        if (!socket.open()) {
            const bool full = errno == EMFILE || errno == ENFILE || errno == ENOBUFS;
            // A rank speaks at once: whoever has been silent longest makes room.
            std::deque<Caller>& crowd = strangersLeaving_.empty() ? callers_ : strangersLeaving_;
            if (!full || crowd.empty()) {
                return;
            }
            crowd.pop_front();
            continue;
        }
        callers_.push_back({.wire = FrameSocket(std::move(socket), kLongestJoin),
                            .patience = WaitLimit::in(kJoinSeconds)});
        if (callers_.size() > kMostCallers) {
            callers_.pop_front();
        }
    }
}

void JoinServer::seeStrangersOff() {
    for (Caller& stranger : strangersLeaving_) {
        stranger.wire.move();
        while (stranger.wire.next()) {
            // Nobody reads it.
        }
    }
    std::erase_if(strangersLeaving_, [](const Caller& stranger) {
        return !stranger.wire.open() || stranger.wire.garbled() || stranger.patience.passed();
    });
    while (strangersLeaving_.size() > kMostStrangers) {
        strangersLeaving_.pop_front();
    }
}

void JoinServer::hear(Caller& caller) {
    caller.wire.move();
    const std::optional<ControlFrame> frame = caller.wire.next();
    if (frame && frame->kind == frame::kJoin) {
        const std::optional<JoinMessage> join = unpackedJoinMessage(frame->bytes);
        if (join) {
            judge(*join, std::exchange(caller.wire, FrameSocket()));
            return;
        }
    }
    if (frame || caller.wire.garbled() || caller.patience.passed()) {
        strangers_ = "; " + peerOf(caller.wire.socket()) + " called but is no probe";
        caller.wire = FrameSocket();
    }
}

void JoinServer::judge(const JoinMessage& join, FrameSocket wire) {
    if (join.token != own_.token) {
        // A stranger does not end the rendezvous.
        const std::string who = nameOf(join.member);
        strangers_ = "; " + who + " was turned away, as its token is not rank 0's";
        wire.say(frame::kReject,
                 who + " has another token than rank 0: set FABRICAST_PROBE_TOKEN alike on all");
        wire.finish();
        strangersLeaving_.push_back(
            {.wire = std::move(wire), .patience = WaitLimit::in(kRejectSeconds)});
        return;
    }
    wire.say(frame::kBeat, "");
    std::optional<std::string> reason = mismatch(own_, join);
    const auto rank = static_cast<std::size_t>(reason ? 0 : join.member.rank);
    if (!reason && members_[rank]) {
        reason = nameOf(join.member) + " was started twice: " + nameOf(*members_[rank]) +
                 " is here already";
    }
    if (reason) {
        trouble_ = trouble_ ? trouble_ : reason;
        turnedAway_.push_back(std::move(wire));
        return;
    }
    members_[rank] = join.member;
    // From now on it may send more than a join message.
    wires_[rank] = std::move(wire);
    ++here_;
}

void JoinServer::watchJoined() {
    for (std::size_t rank = 1; rank < wires_.size(); ++rank) {
        if (members_[rank] && !trouble_) {
            wires_[rank].move();
            if (!wires_[rank].open()) {
                trouble_ = nameOf(*members_[rank]) + " is gone";
            }
        }
    }
}

std::string JoinServer::missing() const {
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

void JoinServer::turnAllAway(const std::string& reason, bool moreMayCome) {
    // Whoever is on the way learns it too, instead of calling in vain until its time is up.
    const WaitLimit deadline = WaitLimit::in(moreMayCome ? kRejectSeconds : 0.0);
    const auto world = static_cast<std::size_t>(own_.world);
    const auto tell = [&](FrameSocket& wire) {
        if (wire.open()) {
            wire.say(frame::kReject, reason);
        }
    };
    constexpr int kJoinLookMs = 20;
    while (static_cast<std::size_t>(here_) + turnedAway_.size() < world && !deadline.passed()) {
        attend(deadline.pollMs(kJoinLookMs));
    }
    for (FrameSocket& wire : wires_) {
        tell(wire);
    }
    for (FrameSocket& wire : turnedAway_) {
        tell(wire);
        wires_.push_back(std::move(wire));
    }
    for (Caller& stranger : strangersLeaving_) {
        wires_.push_back(std::move(stranger.wire));
    }
    shutDown(wires_, kRejectSeconds);
}

Rendezvous JoinServer::welcomeAll() {
    Rendezvous rendezvous;
    for (const std::optional<Member>& member : members_) {
        rendezvous.members.push_back(*member);
    }
    numberLocally(rendezvous.members);
    const std::string table = packedMembers(rendezvous.members);
    for (FrameSocket& wire : wires_) {
        if (wire.open()) {
            wire.allow(FrameSocket::kLongest);
            wire.say(frame::kWelcome, table);
        }
    }
    rendezvous.wires = std::move(wires_);
    return rendezvous;
}

}  // namespace fabricast::probe
