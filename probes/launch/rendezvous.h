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
    std::string about;  ///< what it reports of itself, such as its GPU
};

/// "rank 2 (node01, pid 4711)".
std::string nameOf(const Member& member);

/// What all ranks must agree on, and what each reports of itself.
struct RendezvousRules {
    std::string version;     ///< of the program; all must be the same
    std::string token;       ///< a caller without it is turned away; sent unencrypted
    double seconds = 120.0;  ///< how long rank 0 waits for the others, and they for it
    std::string host;        ///< empty: this host's name
    std::string about;
};

/// All ranks, and their connections in a star: at rank 0 one to each other rank (none to itself),
/// at any other rank the one to rank 0.
struct Rendezvous {
    std::vector<Member> members;
    std::vector<FrameSocket> wires;
};

/// Brings all ranks together. A rank that never comes, comes twice, or was started with another
/// world, version or job ends the rendezvous for all ranks, on each with the same sentence, within
/// the rules' time and a few seconds. A caller without the token is only turned away.
Answer<Rendezvous> meet(const Place& place, const RendezvousRules& rules);

}  // namespace fabricast::probe
