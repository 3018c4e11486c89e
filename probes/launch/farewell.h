#pragma once
#include "probes/launch/frame_socket.h"

#include <vector>

namespace fabricast::probe {

/// Closes wires so that what was said on them arrives: sends the rest, says that this was all, and
/// waits for the other ends to hang up, but no longer than this. (A socket that is closed while
/// unread bytes lie in it takes back what it has sent.)
void sayFarewell(std::vector<FrameSocket>& wires, double seconds);

}  // namespace fabricast::probe
