#include "probes/launch/control_channel.h"

#include "planner/output/printable_text.h"
#include "probes/launch/packed.h"
#include "probes/record/json_line.h"
#include "probes/record/run_points.h"

#include <poll.h>

#include <algorithm>

namespace fabricast::probe {

namespace {

using Clock = WaitLimit::Clock;

constexpr int kLookAroundMs = 50;
constexpr double kShutDownSeconds = 2.0;
/// How long after one failure others are waited for that may explain it.
constexpr double kAftermathSeconds = 0.5;
/// A thread lets go of the wires in less, whatever it does.
constexpr std::chrono::milliseconds kWiresHeld(250);

/// What a message costs whoever keeps it, also an empty one.
std::size_t sizeOf(const std::string& message) {
    constexpr std::size_t kOverhead = 256;
    return message.size() + kOverhead;
}

std::string secondsText(double seconds) {
    return jsonNumber(seconds) + " s";
}

double secondsSince(Clock::time_point then) {
    return std::chrono::duration<double>(Clock::now() - then).count();
}

}  // namespace

ControlChannel::ControlChannel(Rendezvous rendezvous, int rank, double silence)
    : members_(std::move(rendezvous.members)), rank_(rank), silence_(silence) {
    for (std::size_t at = 0; at < rendezvous.wires.size(); ++at) {
        // One that has hung up since is a peer too, which is gone or has said why.
        if (rendezvous.wires[at].socket().open()) {
            peers_.push_back({.rank = rank == 0 ? static_cast<int>(at) : 0,
                              .wire = std::move(rendezvous.wires[at])});
            sort(peers_.back());  // frames may have followed the last one of the rendezvous
        }
    }
}

std::string ControlChannel::nameOfRank(int rank) const {
    return nameOf(members_[static_cast<std::size_t>(rank)]);
}

void ControlChannel::sort(Peer& peer) {
    while (std::optional<ControlFrame> frame = peer.wire.next()) {
        switch (frame->kind) {
            case frame::kData:
                peer.held += sizeOf(frame->bytes);
                peer.inbox.push_back(std::move(frame->bytes));
                if (peer.held > FrameSocket::kLongest) {
                    peer.complaint = nameOfRank(peer.rank) + " sends more than anybody asks for";
                    return;
                }
                break;
            case frame::kStop:
                toldStop_ = toldStop_ || rank_ != 0;  // rank 0 has its own reason
                interrupt();
                break;
            case frame::kAbort:
                peer.complaint = printableLine(frame->bytes);
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

ControlChannel::Held ControlChannel::hold() const {
    return Held(*wires_);
}

void ControlChannel::say(Peer& peer, char kind, const std::string& bytes) {
    const Held held = hold();
    peer.wire.say(kind, bytes);
}

void ControlChannel::speakUp() {
    const bool tellsStop = interrupted() && !toldStop_;
    toldStop_ = toldStop_ || tellsStop;
    for (Peer& peer : peers_) {
        if (!peer.wire.open()) {
            continue;
        }
        if (tellsStop) {
            peer.wire.say(frame::kStop, "");
        }
        if (secondsSince(peer.wire.spoke()) > silence_ / 4) {
            peer.wire.say(frame::kBeat, "");
        }
    }
}

void ControlChannel::turn(int milliseconds) {
    const Held held = hold();
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

std::optional<std::string> ControlChannel::whoIsGone(bool alsoSilent) const {
    const Held held = hold();
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

/// Rank 0 goes in the midst of a point where somebody asked to stop.
void ControlChannel::noteStop(bool isGone) {
    stopped_ = stopped_ || (isGone && rank_ != 0 && interrupted());
}

std::optional<std::string> ControlChannel::verdict() {
    const auto complains = [](const Peer& peer) { return peer.complaint.has_value(); };
    const auto complaining = std::find_if(peers_.begin(), peers_.end(), complains);
    if (complaining == peers_.end()) {
        std::optional<std::string> gone = whoIsGone(true);
        noteStop(gone.has_value());
        return gone;
    }
    if (rank_ != 0) {
        return complaining->complaint;  // rank 0 has heard all
    }
    return explained(*complaining->complaint);
}

// A failure here, or of one rank, is often the echo of another rank's end.
std::string ControlChannel::explained(const std::string& why) {
    const WaitLimit deadline = WaitLimit::in(kAftermathSeconds);
    std::optional<std::string> gone = whoIsGone(false);
    while (!gone && !deadline.passed() && rank_ == 0 && !peers_.empty()) {
        turn(deadline.pollMs(kLookAroundMs));
        gone = whoIsGone(false);
    }
    return gone ? *gone + "; " + why : why;
}

Trouble ControlChannel::end(const std::string& why) {
    ended_ = why;
    const Held held = hold();
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
    shutDown(wires, kShutDownSeconds);
    return Trouble{why};
}

Done ControlChannel::until(const std::function<bool()>& ready) {
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

Done ControlChannel::watch() {
    if (ended_) {
        return Trouble{*ended_};
    }
    turn(0);
    if (const std::optional<std::string> why = verdict()) {
        return end(*why);
    }
    return std::monostate();
}

Trouble ControlChannel::fail(const std::string& why) {
    if (ended_) {
        return Trouble{*ended_};
    }
    const std::string mine = nameOfRank(rank_) + ": " + why;
    if (rank_ == 0 || peers_.empty()) {
        return end(peers_.empty() ? why : explained(mine));
    }
    // Rank 0 hears of all and tells all the same.
    Peer& middle = peers_.front();
    say(middle, frame::kAbort, mine);
    const WaitLimit deadline = WaitLimit::in(kAftermathSeconds + kShutDownSeconds);
    const auto isThere = [&] {
        const Held held = hold();
        return middle.wire.open();
    };
    while (isThere() && !middle.complaint && !deadline.passed()) {
        turn(deadline.pollMs(kLookAroundMs));
    }
    const std::optional<std::string> gone = whoIsGone(false);
    noteStop(gone.has_value());
    return end(middle.complaint.value_or(gone ? *gone + "; " + mine : mine));
}

void ControlChannel::leave() {
    // All are done before one hangs up. Who is gone by now took nothing along.
    if (ended_ || !barrier()) {
        return;
    }
    ended_ = "this rank has left";
    const Held held = hold();
    std::vector<FrameSocket> wires;
    for (Peer& peer : peers_) {
        if (peer.wire.open()) {
            peer.wire.say(frame::kBye, "");
            wires.push_back(std::move(peer.wire));
        }
    }
    peers_.clear();
    shutDown(wires, kShutDownSeconds);
}

void ControlChannel::leaveInMidStep() {
    if (!wires_->try_lock_for(kWiresHeld)) {
        return;
    }
    for (Peer& peer : peers_) {
        if (peer.wire.open()) {
            peer.wire.say(frame::kStop, "");
            peer.wire.move();
        }
    }
}

std::string ControlChannel::taken(Peer& peer) {
    std::string bytes = std::move(peer.inbox.front());
    peer.inbox.pop_front();
    peer.held -= sizeOf(bytes);
    return bytes;
}

Answer<std::string> ControlChannel::broadcast(const std::string& bytes) {
    if (rank_ == 0) {
        for (Peer& peer : peers_) {
            say(peer, frame::kData, bytes);
        }
        const Done said = watch();
        return said ? Answer<std::string>(bytes) : said.trouble();
    }
    const Done came = until([&] { return !peers_.front().inbox.empty(); });
    return came ? Answer<std::string>(taken(peers_.front())) : came.trouble();
}

Answer<std::vector<std::string>> ControlChannel::gather(const std::string& bytes) {
    if (rank_ != 0) {
        if (!peers_.empty()) {
            say(peers_.front(), frame::kData, bytes);
        }
        const Done said = watch();
        return said ? Answer<std::vector<std::string>>(std::vector<std::string>()) : said.trouble();
    }
    const Done came = until([&] {
        return std::none_of(
            peers_.begin(), peers_.end(), [](const Peer& peer) { return peer.inbox.empty(); });
    });
    if (!came) {
        return came.trouble();
    }
    std::vector<std::string> all = {bytes};
    for (Peer& peer : peers_) {
        all.push_back(taken(peer));
    }
    return all;
}

Done ControlChannel::barrier() {
    const Answer<std::vector<std::string>> all = gather("");
    if (!all) {
        return all.trouble();
    }
    const Answer<std::string> told = broadcast("");
    return told ? Done(std::monostate()) : told.trouble();
}

Answer<std::vector<double>> ControlChannel::maxima(const std::vector<double>& values) {
    const Answer<std::vector<std::string>> all = gather(packedReals(values));
    if (!all) {
        return all.trouble();
    }
    std::vector<double> largest = values;
    for (const std::string& one : *all) {
        const std::vector<double> other = unpackedReals(one);
        if (other.size() != values.size()) {
            return fail("the ranks do not measure the same: " + std::to_string(values.size()) +
                        " values here, " + std::to_string(other.size()) + " elsewhere");
        }
        std::transform(other.begin(),
                       other.end(),
                       largest.begin(),
                       largest.begin(),
                       [](double left, double right) { return std::max(left, right); });
    }
    const Answer<std::string> told = broadcast(packedReals(largest));
    return told ? Answer<std::vector<double>>(unpackedReals(*told)) : told.trouble();
}

Answer<std::vector<std::vector<double>>> ControlChannel::shared(const std::vector<double>& values) {
    const Answer<std::vector<std::string>> all = gather(packedReals(values));
    if (!all) {
        return all.trouble();
    }
    const Answer<std::string> told = broadcast(packedTexts(*all));
    if (!told) {
        return told.trouble();
    }
    std::vector<std::vector<double>> ofRanks;
    for (const std::string& one : unpackedTexts(*told)) {
        ofRanks.push_back(unpackedReals(one));
    }
    return ofRanks;
}

}  // namespace fabricast::probe
