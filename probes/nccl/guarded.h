#pragma once
#include "probes/launch/control_channel.h"

#include <atomic>
#include <functional>
#include <string>

namespace fabricast::probe {

/// Seen by work that waits for a GPU: it counts its steps, and stops where nobody wants it any
/// more.
struct WorkSigns {
    std::atomic<int> steps = 0;
    std::atomic<bool> unwanted = false;
};

/// Work that may wait for ever: calls of NCCL, and what they have sent to the GPU.
using GuardedWork = std::function<Done(WorkSigns&)>;

/// Does it on a thread of its own, on the GPU of this one, while this one hears whether the other
/// ranks are alive. Where one is gone, or no step was made for `seconds`, the trouble is told to
/// all, `callOff` is called, and the work gets a moment to end. If it does not even end then, the
/// process does, with kEnvironment: nothing of a hanging GPU can be given back. Where rank 0 has
/// left off, as somebody asked to stop, the process ends at once, with kDone.
Done guarded(ControlChannel& channel,
             double seconds,
             const std::string& what,
             const GuardedWork& work,
             const std::function<void()>& callOff);

/// Waits until `ready`, on this thread and in the same way. Trouble of `ready` itself is told to
/// all.
Done awaited(ControlChannel& channel,
             double seconds,
             const std::string& what,
             const std::function<Answer<bool>()>& ready);

/// Ends the process with kDone where the channel has stopped: whoever waits for a GPU that rank 0
/// has left waits in vain.
void endWhereStopped(const ControlChannel& channel);

/// Lets the process end with this code in so many seconds, whatever it waits for by then.
void endWithin(unsigned seconds, int code);

}  // namespace fabricast::probe
