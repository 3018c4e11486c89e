#pragma once
#include "probes/launch/join_message.h"

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace fabricast::probe {

/// Rank 0's side of the rendezvous: accepts callers until all ranks have joined. Many may call at
/// once, and a silent one delays nobody.
class JoinServer {
public:
    JoinServer(Socket listener, JoinMessage own);

    [[nodiscard]] bool complete() const { return here_ == own_.world; }
    /// Accepts callers and join messages for no longer than this.
    void attend(int milliseconds);
    /// Why the rendezvous has failed.
    [[nodiscard]] const std::optional<std::string>& trouble() const { return trouble_; }
    /// "ranks 1, 3 and 5 others", which have not come.
    [[nodiscard]] std::string missing() const;
    /// Who was turned away, as the end of a sentence; may be empty.
    [[nodiscard]] const std::string& strangers() const { return strangers_; }

    /// Tells all callers why the rendezvous failed; also those that arrive within a moment, if some
    /// may be on the way.
    void turnAllAway(const std::string& reason, bool moreMayCome);
    /// Tells all ranks who has joined.
    Rendezvous welcomeAll();

private:
    struct Caller {
        FrameSocket wire;
        WaitLimit patience;
    };

    void acceptCallers();
    void seeStrangersOff();
    void hear(Caller& caller);
    void judge(const JoinMessage& join, FrameSocket wire);
    void watchJoined();

    Socket listener_;
    JoinMessage own_;
    int here_ = 1;
    std::deque<Caller> callers_;           ///< have sent nothing yet, the oldest first
    std::deque<Caller> strangersLeaving_;  ///< read what they were told before their socket closes
    std::vector<FrameSocket> turnedAway_;  ///< ranks of this job that do not fit into it
    std::vector<FrameSocket> wires_;       ///< by rank
    std::vector<std::optional<Member>> members_;
    std::optional<std::string> trouble_;
    std::string strangers_;
};

}  // namespace fabricast::probe
