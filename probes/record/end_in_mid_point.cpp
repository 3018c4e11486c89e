#include "probes/record/end_in_mid_point.h"

#include "planner/output/publish_files.h"
#include "probes/record/run_points.h"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <stop_token>
#include <utility>

namespace fabricast::probe {

namespace {

using std::chrono::milliseconds;

/// Seldom enough that a measurement does not feel it.
constexpr milliseconds kLook(100);
/// mpirun kills a rank that is there a second after it was asked to end.
constexpr milliseconds kPatience(500);

/// False once it is over.
bool passes(milliseconds time, const std::stop_token& over) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    (void)wake.wait_for(lock, over, time, [] { return false; });
    return !over.stop_requested();
}

}  // namespace

EndInMidPoint::EndInMidPoint(Rule rule) {
    // The thread takes no signals: whoever waits in the other one is to be woken.
    const SignalsHeld held;
    watcher_ = std::jthread([rule = std::move(rule)](const std::stop_token& over) {
        while (!interrupted()) {
            if (std::chrono::steady_clock::now() >= rule.time) {
                setTimeUp(true);
            } else if (!passes(kLook, over)) {
                return;
            }
        }
        while (passes(kPatience, over)) {
            if (rule.lastWords && (rule.endsInTime || !isTimeUp())) {
                std::_Exit(rule.lastWords());
            }
        }
    });
}

}  // namespace fabricast::probe
