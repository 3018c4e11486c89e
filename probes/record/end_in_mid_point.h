#pragma once
#include <chrono>
#include <functional>
#include <thread>

namespace fabricast::probe {

/// While it lives, a request to stop (see interrupted()) ends the process in the midst of a point:
/// half a second is the time that the point has to end by itself. The last words run first, in
/// another thread, and answer the exit code; empty: the point is waited for. Once it is gone
/// nothing ends the process: what is done with a finished point is done whole. At a time, if that
/// comes, it ends the run's time (setTimeUp) and with it the point, by its last words only if those
/// are for that too.
///     const EndInMidPoint end({.lastWords = [] { return kInterrupted; }});
class EndInMidPoint {
public:
    struct Rule {
        std::function<int()> lastWords;
        std::chrono::steady_clock::time_point time = std::chrono::steady_clock::time_point::max();
        bool endsInTime = false;
    };
    explicit EndInMidPoint(Rule rule);

private:
    std::jthread watcher_;
};

}  // namespace fabricast::probe
