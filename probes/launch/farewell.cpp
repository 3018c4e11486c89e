#include "probes/launch/farewell.h"

#include <poll.h>

namespace fabricast::probe {

void sayFarewell(std::vector<FrameSocket>& wires, double seconds) {
    const WaitLimit deadline = WaitLimit::in(seconds);
    constexpr int kLookAroundMs = 20;
    std::vector<bool> finished(wires.size());
    for (bool first = true; first || !deadline.passed(); first = false) {
        std::vector<pollfd> waits;
        for (std::size_t at = 0; at < wires.size(); ++at) {
            FrameSocket& wire = wires[at];
            if (!wire.open()) {
                continue;
            }
            wire.move();
            while (wire.next()) {
                // Nobody listens any more.
            }
            if (!wire.wantsToSend() && !finished[at]) {
                wire.finish();
                finished[at] = true;
            }
            if (wire.open() && !wire.garbled()) {
                const int events = POLLIN | (wire.wantsToSend() ? POLLOUT : 0);
                waits.push_back({wire.handle(), static_cast<short>(events), 0});
            }
        }
        if (waits.empty()) {
            break;
        }
        (void)poll(waits.data(), waits.size(), deadline.pollMs(kLookAroundMs));
    }
    wires.clear();
}

}  // namespace fabricast::probe
