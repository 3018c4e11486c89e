#pragma once
#include "probes/launch/hello.h"

#include <optional>
#include <string>
#include <vector>

namespace fabricast::probe {

/// Rank 0's side of a meeting: takes calls until all ranks are there. Many may call at once, and
/// one that says nothing keeps nobody waiting.
class Doorkeeper {
public:
    Doorkeeper(Socket listener, Hello own);

    [[nodiscard]] bool complete() const { return here_ == own_.world; }
    /// Takes calls and hellos for no longer than this.
    void attend(int milliseconds);
    /// Why this meeting cannot take place.
    [[nodiscard]] const std::optional<std::string>& trouble() const { return trouble_; }
    /// "ranks 1, 3 and 5 others", which have not come.
    [[nodiscard]] std::string missing() const;
    /// Who was turned away, as the end of a sentence; may be empty.
    [[nodiscard]] const std::string& strangers() const { return strangers_; }

    /// Tells all that came why there is no meeting; and those who come within a moment, where some
    /// may be on the way.
    void turnAllAway(const std::string& reason, bool moreMayCome);
    /// Tells all who is there.
    Meeting welcomeAll();

private:
    struct Caller {
        FrameSocket wire;
        WaitLimit patience;
    };

    void hear(Caller& caller);
    void judge(const Hello& hello, FrameSocket wire);
    void watchGuests();

    Socket listener_;
    Hello own_;
    int here_ = 1;
    std::vector<Caller> callers_;          ///< have said nothing yet
    std::vector<FrameSocket> turnedAway_;  ///< read what they were told before their socket closes
    std::vector<FrameSocket> wires_;       ///< by rank
    std::vector<std::optional<Member>> members_;
    std::optional<std::string> trouble_;
    std::string strangers_;
};

}  // namespace fabricast::probe
