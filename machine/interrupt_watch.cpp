#include "machine/interrupt_watch.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>

namespace fabricast {
namespace {

constexpr std::array kTaken = {SIGINT, SIGTERM};
int interruptEvent = -1;                   // NOLINT: what a signal handler can reach
volatile std::sig_atomic_t stoppedBy = 0;  // NOLINT

void wakeWaiter() {
    const std::uint64_t one = 1;
    (void)!::write(interruptEvent, &one, sizeof one);
}

void takeSignals() {
    struct sigaction action = {};
    action.sa_handler = [](int number) {
        const int before = errno;
        stoppedBy = number;
        for (const int next : kTaken) {
            (void)std::signal(next, SIG_DFL);
        }
        wakeWaiter();
        errno = before;
    };
    for (const int number : kTaken) {
        (void)::sigaction(number, &action, nullptr);
    }
}

}  // namespace

InterruptWatch::~InterruptWatch() {
    if (waiter_.joinable()) {
        wakeWaiter();
    }
}

std::stop_token InterruptWatch::operator()() {
    std::call_once(started_, [this] { start(); });
    return source_.get_token();
}

void InterruptWatch::start() {
    interruptEvent = ::eventfd(0, EFD_CLOEXEC);
    if (interruptEvent < 0) {
        return;  // Ctrl-C ends the program, as before
    }
    // The main thread takes all signals, so that it can hold them back while it writes a file.
    sigset_t all;
    sigset_t taken;
    (void)sigfillset(&all);
    (void)::pthread_sigmask(SIG_SETMASK, &all, &taken);
    waiter_ = std::jthread([this] {
        std::uint64_t count = 0;
        while (::read(interruptEvent, &count, sizeof count) < 0 && errno == EINTR) {
        }
        source_.request_stop();
    });
    (void)::pthread_sigmask(SIG_SETMASK, &taken, nullptr);
    takeSignals();
}

int interruptedStatus() {
    constexpr int kSignals = 128;
    return kSignals + (stoppedBy != 0 ? static_cast<int>(stoppedBy) : SIGINT);
}

}  // namespace fabricast
