#include "probes/mpi/mpi_checks.h"

#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <ctime>

namespace fabricast::probe {

void await(const std::function<bool()>& there) {
    using Clock = std::chrono::steady_clock;
    using std::chrono::microseconds;
    // What two processes on one machine need to answer each other.
    constexpr microseconds kEager(60);
    // A socket's buffer holds what arrives at 10 Gb/s meanwhile.
    constexpr microseconds kLongest(200);
    constexpr long kNanoseconds = 1000;
    // Sleeps are otherwise rounded up by 50 us.
    thread_local const int kSharp = prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
    static_cast<void>(kSharp);
    const Clock::time_point begin = Clock::now();
    while (!there()) {
        const auto passed = std::chrono::duration_cast<microseconds>(Clock::now() - begin);
        if (passed < kEager) {
            sched_yield();
            continue;
        }
        // An eighth of what was waited already.
        const microseconds pause = std::clamp(passed / 8, microseconds(10), kLongest);
        const std::timespec time{.tv_sec = 0, .tv_nsec = pause.count() * kNanoseconds};
        nanosleep(&time, nullptr);
    }
}

}  // namespace fabricast::probe
