#pragma once
#include "probes/launch/join_message.h"

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace fabricast::probe {

/// The ranks' control channel: a star of sockets with rank 0 in the middle, over which they agree
/// on the next step while NCCL or MPI moves the data. All ranks make the same calls in the same
/// order. No call waits for ever: a rank that closes its socket, or is silent for `silence`
/// seconds, ends the channel, and every other rank gets the same sentence that names it. An ended
/// channel stays ended.
class ControlChannel {
public:
    ControlChannel(Rendezvous rendezvous, int rank, double silence);
    ControlChannel(ControlChannel&&) = default;
    ControlChannel& operator=(ControlChannel&&) = default;
    ControlChannel(const ControlChannel&) = delete;
    ControlChannel& operator=(const ControlChannel&) = delete;
    ~ControlChannel() = default;

    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int world() const { return static_cast<int>(members_.size()); }
    [[nodiscard]] const std::vector<Member>& members() const { return members_; }
    [[nodiscard]] double silence() const { return silence_; }

    /// Rank 0's bytes, on every rank.
    Answer<std::string> broadcast(const std::string& bytes);
    /// Every rank's bytes in the order of ranks, at rank 0; nothing elsewhere.
    Answer<std::vector<std::string>> gather(const std::string& bytes);
    /// Waits until all ranks have come here.
    Done barrier();
    /// The largest that any rank gave, at each place; on every rank.
    Answer<std::vector<double>> maxima(const std::vector<double>& values);
    /// Every rank's values in the order of ranks; on every rank.
    Answer<std::vector<std::vector<double>>> shared(const std::vector<double>& values);

    /// For a loop that waits for something else: reports that this rank is alive, and checks that
    /// the others are. Ctrl-C on any rank reaches interrupted() on all through it.
    Done watch();

    /// Something failed here. Tells the others, and returns what all of them will report: the rank
    /// that is gone if there is one, as that explains the failures of the rest.
    Trouble fail(const std::string& why);

    /// Whether the channel ended because rank 0 left off, as somebody had asked to stop.
    [[nodiscard]] bool stopped() const { return stopped_; }

    /// Leaves in order, once all know that nothing more follows. Without it the others see this
    /// rank as gone.
    void leave();

    /// For the last words of a process that another thread ends in the midst of a step, at rank 0:
    /// tells the others that it was asked to, whatever the thread in the step is doing. The channel
    /// is held from then on.
    void leaveInMidStep();

private:
    /// The wires are one thread's at a time.
    using Held = std::unique_lock<std::timed_mutex>;

    struct Peer {
        int rank = 0;
        FrameSocket wire;
        std::deque<std::string> inbox;         ///< data that was not asked for yet, oldest first
        std::size_t held = 0;                  ///< bytes that the inbox takes
        bool left = false;                     ///< in order
        std::optional<std::string> complaint;  ///< why it cannot go on
    };

    [[nodiscard]] Held hold() const;
    void say(Peer& peer, char kind, const std::string& bytes);
    Done until(const std::function<bool()>& ready);
    void turn(int milliseconds);
    void sort(Peer& peer);
    void speakUp();
    std::optional<std::string> verdict();
    std::optional<std::string> whoIsGone(bool alsoSilent) const;
    void noteStop(bool isGone);
    std::string explained(const std::string& why);
    Trouble end(const std::string& why);
    [[nodiscard]] std::string nameOfRank(int rank) const;
    std::string taken(Peer& peer);

    std::vector<Member> members_;
    int rank_ = 0;
    double silence_ = 0.0;
    std::vector<Peer> peers_;
    std::unique_ptr<std::timed_mutex> wires_ = std::make_unique<std::timed_mutex>();
    std::optional<std::string> ended_;  ///< why
    bool toldStop_ = false;
    bool stopped_ = false;
};

}  // namespace fabricast::probe
