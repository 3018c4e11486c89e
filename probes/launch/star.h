#pragma once
#include "probes/launch/hello.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fabricast::probe {

/// The ranks' control plane: a star of sockets with rank 0 in the middle, over which they agree on
/// what comes next while NCCL or MPI moves the data. All ranks make the same calls in the same
/// order. No call waits for ever: a rank that hangs up, or says nothing for `silence` seconds, ends
/// the star, and every other rank gets the same sentence that names it. Once ended it stays so.
class Star {
public:
    Star(Meeting meeting, int rank, double silence);
    Star(Star&&) = default;
    Star& operator=(Star&&) = default;
    Star(const Star&) = delete;
    Star& operator=(const Star&) = delete;
    ~Star() = default;

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

    /// For a loop that waits for something else: says that this rank is alive, and hears whether
    /// the others are. Ctrl-C on any rank reaches interrupted() at rank 0 through it.
    Done watch();

    /// Something failed here. Tells the others, and answers what all will say: who is gone if one
    /// is, as that explains the failures of the rest.
    Trouble fail(const std::string& why);

    /// Leaves in peace, when all know that nothing more comes. Without it the others hear that this
    /// rank is gone.
    void leave();

private:
    struct Peer {
        int rank = 0;
        FrameSocket wire;
        std::vector<std::string> inbox;        ///< data that nobody has asked for yet, oldest first
        bool left = false;                     ///< in peace
        std::optional<std::string> complaint;  ///< why it cannot go on
    };

    Done until(const std::function<bool()>& ready);
    void turn(int milliseconds);
    void sort(Peer& peer);
    void speakUp();
    std::optional<std::string> verdict();
    std::optional<std::string> whoIsGone(bool alsoSilent) const;
    std::string explained(const std::string& why);
    Trouble end(const std::string& why);
    [[nodiscard]] std::string nameOfRank(int rank) const;
    std::string taken(Peer& peer);

    std::vector<Member> members_;
    int rank_ = 0;
    double silence_ = 0.0;
    std::vector<Peer> peers_;
    std::optional<std::string> ended_;  ///< why
    bool toldStop_ = false;
};

}  // namespace fabricast::probe
