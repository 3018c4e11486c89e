#include "probes/record/run_points.h"

#include <atomic>
#include <csignal>

namespace fabricast::probe {

namespace {

// A signal belongs to the process, and so must this. The thread that watches the time writes it
// while measurements read it, and a handler may only touch what takes no lock.
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<bool> asked = false;
std::atomic<bool> late = false;
std::atomic<int> signalled = SIGINT;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

extern "C" void onSignal(int number) {
    signalled = number;
    asked = true;
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
    return asked || late;
}

int interruptedCode() {
    constexpr int kOfSignals = 128;
    return kOfSignals + signalled;
}

bool isTimeUp() {
    return !asked && late;
}

void setTimeUp(bool isUp) {
    late = isUp;
}

void interrupt() {
    asked = true;
}

}  // namespace fabricast::probe
