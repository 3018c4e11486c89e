#include "probes/launch/star.h"

#include "probes/launch/farewell.h"
#include "probes/launch/packed.h"
#include "probes/record/interrupt.h"
#include "probes/record/json_line.h"

#include <poll.h>

#include <algorithm>

namespace fabricast::probe {

namespace {

using Clock = WaitLimit::Clock;

constexpr int kLookAroundMs = 50;
constexpr double kFarewellSeconds = 2.0;
/// How long after one failure others are waited for that may explain it.
constexpr double kAftermathSeconds = 0.5;

std::string secondsText(double seconds) {
    return jsonNumber(seconds) + " s";
}

double secondsSince(Clock::time_point then) {
    return std::chrono::duration<double>(Clock::now() - then).count();
}

}  // namespace

Star::Star(Meeting meeting, int rank, double silence)
    : members_(std::move(meeting.members)), rank_(rank), silence_(silence) {
    for (std::size_t at = 0; at < meeting.wires.size(); ++at) {
        if (meeting.wires[at].open()) {
            peers_.push_back({.rank = rank == 0 ? static_cast<int>(at) : 0,
                              .wire = std::move(meeting.wires[at])});
            sort(peers_.back());  // something may have come with the last words of the meeting
        }
    }
}

std::string Star::nameOfRank(int rank) const {
    return nameOf(members_[static_cast<std::size_t>(rank)]);
}

void Star::sort(Peer& peer) {
    while (std::optional<StarFrame> frame = peer.wire.next()) {
        switch (frame->kind) {
            case frame::kData:
                peer.inbox.push_back(std::move(frame->bytes));
                break;
            case frame::kStop:
                interrupt();
                break;
            case frame::kAbort:
                peer.complaint = std::move(frame->bytes);
                break;
            case frame::kBye:
                peer.left = true;
                break;
            default:
                break;  // a beat has been heard already
        }
    }
    if (peer.wire.garbled() && !peer.complaint) {
        peer.complaint = nameOfRank(peer.rank) + " sent what is no message";
    }
}

void Star::speakUp() {
    for (Peer& peer : peers_) {
        if (!peer.wire.open()) {
            continue;
        }
        if (rank_ != 0 && interrupted() && !toldStop_) {
            peer.wire.say(frame::kStop, "");
            toldStop_ = true;
        }
        if (secondsSince(peer.wire.spoke()) > silence_ / 4) {
            peer.wire.say(frame::kBeat, "");
        }
    }
}

void Star::turn(int milliseconds) {
    std::vector<pollfd> waits;
    for (const Peer& peer : peers_) {
        if (peer.wire.open()) {
            const int events = POLLIN | (peer.wire.wantsToSend() ? POLLOUT : 0);
            waits.push_back({peer.wire.handle(), static_cast<short>(events), 0});
        }
    }
    if (poll(waits.data(), waits.size(), milliseconds) > 0) {
        for (Peer& peer : peers_) {
            if (peer.wire.open()) {
                peer.wire.move();
                sort(peer);
            }
        }
    }
    speakUp();
}

std::optional<std::string> Star::whoIsGone(bool alsoSilent) const {
    for (const Peer& peer : peers_) {
        if (!peer.wire.open() && !peer.left && !peer.complaint) {
            return nameOfRank(peer.rank) + " is gone";
        }
    }
    for (const Peer& peer : peers_) {
        if (alsoSilent && peer.wire.open() && !peer.left &&
            secondsSince(peer.wire.heard()) > silence_) {
            return nameOfRank(peer.rank) + " has said nothing for " + secondsText(silence_);
        }
    }
    return std::nullopt;
}

std::optional<std::string> Star::verdict() {
    const auto complains = [](const Peer& peer) { return peer.complaint.has_value(); };
    const auto complaining = std::find_if(peers_.begin(), peers_.end(), complains);
    if (complaining == peers_.end()) {
        return whoIsGone(true);
    }
    if (rank_ != 0) {
        return complaining->complaint;  // rank 0 has heard all
    }
    return explained(*complaining->complaint);
}

// A failure here, or of one rank, is often the echo of another rank's end.
std::string Star::explained(const std::string& why) {
    const WaitLimit deadline = WaitLimit::in(kAftermathSeconds);
    std::optional<std::string> gone = whoIsGone(false);
    while (!gone && !deadline.passed() && rank_ == 0 && !peers_.empty()) {
        turn(deadline.pollMs(kLookAroundMs));
        gone = whoIsGone(false);
    }
    return gone ? *gone + "; " + why : why;
}

Trouble Star::end(const std::string& why) {
    ended_ = why;
    std::vector<FrameSocket> wires;
    for (Peer& peer : peers_) {
        if (peer.wire.open()) {
            peer.wire.say(frame::kAbort, why);
            if (secondsSince(peer.wire.heard()) <= silence_) {
                wires.push_back(std::move(peer.wire));
            }
        }
    }
    peers_.clear();
    sayFarewell(wires, kFarewellSeconds);
    return Trouble{why};
}

Done Star::until(const std::function<bool()>& ready) {
    if (ended_) {
        return Trouble{*ended_};
    }
    for (bool first = true;; first = false) {
        turn(first || ready() ? 0 : kLookAroundMs);
        if (const std::optional<std::string> why = ready() ? std::nullopt : verdict()) {
            return end(*why);
        }
        if (ready()) {
            return std::monostate();
        }
    }
}

Done Star::watch() {
    if (ended_) {
        return Trouble{*ended_};
    }
    turn(0);
    if (const std::optional<std::string> why = verdict()) {
        return end(*why);
    }
    return std::monostate();
}

Trouble Star::fail(const std::string& why) {
    if (ended_) {
        return Trouble{*ended_};
    }
    const std::string mine = nameOfRank(rank_) + ": " + why;
    if (rank_ == 0 || peers_.empty()) {
        return end(peers_.empty() ? why : explained(mine));
    }
    // Rank 0 hears of all and tells all the same.
    Peer& middle = peers_.front();
    middle.wire.say(frame::kAbort, mine);
    const WaitLimit deadline = WaitLimit::in(kAftermathSeconds + kFarewellSeconds);
    while (middle.wire.open() && !middle.complaint && !deadline.passed()) {
        turn(deadline.pollMs(kLookAroundMs));
    }
    const std::optional<std::string> gone = whoIsGone(false);
    return end(middle.complaint.value_or(gone ? *gone + "; " + mine : mine));
}

void Star::leave() {
    // All are done before one hangs up. Who is gone by now took nothing along.
    if (ended_ || !barrier()) {
        return;
    }
    ended_ = "this rank has left";
    std::vector<FrameSocket> wires;
    for (Peer& peer : peers_) {
        if (peer.wire.open()) {
            peer.wire.say(frame::kBye, "");
            wires.push_back(std::move(peer.wire));
        }
    }
    peers_.clear();
    sayFarewell(wires, kFarewellSeconds);
}

}  // namespace fabricast::probe
