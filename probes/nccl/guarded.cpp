#include "probes/nccl/guarded.h"

#include "probes/nccl/nccl_calls.h"
#include "probes/record/probe_program.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <optional>
#include <thread>

namespace fabricast::probe {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr double kMomentSeconds = 3.0;

struct Guard {
    WorkSigns signs;
    std::atomic<bool> ended = false;
    Done outcome = std::monostate();
};

Trouble tooLong(const std::string& what, double seconds) {
    return Trouble{what + " did not get on for " + std::to_string(static_cast<long>(seconds)) +
                   " s"};
}

/// Until the work has ended: trouble of the channel, or of a work that stands still.
std::optional<Trouble> watchOver(ControlChannel& channel,
                                 double seconds,
                                 const std::string& what,
                                 Guard& guard) {
    int seen = -1;
    WaitLimit limit = WaitLimit::in(seconds);
    while (!guard.ended.load(std::memory_order_acquire)) {
        if (const Done alive = channel.watch(); !alive) {
            return alive.trouble();
        }
        if (const int steps = guard.signs.steps.load(); steps != seen) {
            seen = steps;
            limit = WaitLimit::in(seconds);
        }
        if (limit.passed()) {
            return tooLong(what, seconds);
        }
        std::this_thread::sleep_for(microseconds(500));
    }
    return std::nullopt;
}

// A signal belongs to the process, and so must what it ends with.
volatile std::sig_atomic_t endCode =
    0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

extern "C" void onAlarm(int) {
    _exit(endCode);
}

/// After it nothing is measured any more. What is left is to give back what a GPU holds, which
/// must not take for ever where that GPU hangs.
Trouble lastTrouble(ControlChannel& channel, const std::string& why) {
    constexpr unsigned kSeconds = 15;
    endWithin(kSeconds, kEnvironment);
    Trouble told = channel.fail(why);
    endWhereStopped(channel);
    return told;
}

/// Work that is called off ends in a moment, or the process does.
void awaitEnd(const Guard& guard, const std::string& why) {
    const WaitLimit limit = WaitLimit::in(kMomentSeconds);
    while (!guard.ended.load(std::memory_order_acquire)) {
        if (limit.passed()) {
            std::fprintf(stderr, "error: %s; the GPU does not answer\n", why.c_str());
            (void)std::fflush(nullptr);
            _exit(kEnvironment);
        }
        std::this_thread::sleep_for(milliseconds(1));
    }
}

}  // namespace

Done guarded(ControlChannel& channel,
             double seconds,
             const std::string& what,
             const GuardedWork& work,
             const std::function<void()>& callOff) {
    Guard guard;
    // A new thread begins with GPU 0, and NCCL gives back whatever GPU it found: each would get a
    // context of every rank.
    int device = 0;
    const Done found = doneBy(cudaGetDevice(&device), "cudaGetDevice");
    if (!found) {
        return channel.fail(found.trouble().why);
    }
    std::thread thread([&guard, &work, device] {
        const Done set = doneBy(cudaSetDevice(device), "cudaSetDevice");
        guard.outcome = set ? work(guard.signs) : set;
        guard.ended.store(true, std::memory_order_release);
    });
    const std::optional<Trouble> trouble = watchOver(channel, seconds, what, guard);
    if (trouble) {
        guard.signs.unwanted = true;
        const Trouble told = lastTrouble(channel, trouble->why);
        callOff();
        awaitEnd(guard, told.why);
        thread.join();
        return told;
    }
    thread.join();
    return guard.outcome ? guard.outcome : lastTrouble(channel, guard.outcome.trouble().why);
}

Done awaited(ControlChannel& channel,
             double seconds,
             const std::string& what,
             const std::function<Answer<bool>()>& ready) {
    const WaitLimit limit = WaitLimit::in(seconds);
    while (true) {
        const Answer<bool> is = ready();
        if (!is) {
            return lastTrouble(channel, is.trouble().why);
        }
        if (*is) {
            return std::monostate();
        }
        if (const Done alive = channel.watch(); !alive) {
            return lastTrouble(channel, alive.trouble().why);
        }
        if (limit.passed()) {
            return lastTrouble(channel, tooLong(what, seconds).why);
        }
        std::this_thread::sleep_for(microseconds(500));
    }
}

void endWhereStopped(const ControlChannel& channel) {
    if (channel.stopped()) {
        (void)std::fflush(nullptr);
        _exit(kDone);
    }
}

void endWithin(unsigned seconds, int code) {
    endCode = code;
    (void)std::signal(SIGALRM, onAlarm);
    (void)alarm(seconds);
}

}  // namespace fabricast::probe
