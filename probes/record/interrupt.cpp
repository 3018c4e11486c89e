#include "probes/record/run_points.h"

#include <csignal>

namespace fabricast::probe {

namespace {

// A signal belongs to the process, and so must this.
volatile std::sig_atomic_t asked = 0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

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
    return asked != 0;
}

void interrupt() {
    asked = 1;
}

}  // namespace fabricast::probe
