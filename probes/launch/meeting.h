#pragma once
#include "probes/launch/frame_socket.h"
#include "probes/launch/place.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricast::probe {

/// One of the processes that were started together.
struct Member {
    int rank = 0;
    int localRank = 0;  ///< among those on its host
    std::string host;
    std::int64_t pid = 0;
    std::string about;  ///< what it has to say of itself: its GPU, say
};

/// "rank 2 (node01, pid 4711)".
std::string nameOf(const Member& member);

/// What all must agree on, and what each says of itself.
struct MeetingRules {
    std::string version;     ///< of the program; all must be the same
    std::string token;       ///< who does not know it is turned away; sent as it is
    double seconds = 120.0;  ///< how long rank 0 waits for the others, and they for it
    std::string host;        ///< empty: this host's name
    std::string about;
};

/// All ranks, and the wires of a star: at rank 0 one to each other rank (none to itself), at any
/// other rank the one to rank 0.
struct Meeting {
    std::vector<Member> members;
    std::vector<FrameSocket> wires;
};

/// Brings all ranks together. A rank that never comes, comes twice, or was started with another
/// world, version or job ends the meeting for all, on each with the same sentence, and no later
/// than the rules' time and a few seconds. A caller that lacks the token only is turned away.
Answer<Meeting> meet(const Place& place, const MeetingRules& rules);

}  // namespace fabricast::probe
