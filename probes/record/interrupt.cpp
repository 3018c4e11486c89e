#include "probes/record/run_points.h"

#include <csignal>

namespace fabricast::probe {

namespace {

// A signal belongs to the process, and so must this.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
volatile std::sig_atomic_t asked = 0;
volatile std::sig_atomic_t late = 0;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

extern "C" void onSignal(int number) {
    asked = 1;
    std::signal(number, SIG_DFL);
}

}  // namespace

void catchInterrupts() {
    struct sigaction action = {};
    action.sa_handler = onSignal;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() {
    return asked != 0 || late != 0;
}

bool isTimeUp() {
    return asked == 0 && late != 0;
}

void setTimeUp(bool isUp) {
    late = isUp ? 1 : 0;
}

void interrupt() {
    asked = 1;
}

}  // namespace fabricast::probe
