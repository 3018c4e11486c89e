#pragma once
#include "planner/base/result.h"

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string_view>

namespace fabricast {

/// How the caller follows long work and stops it. All members may be empty. Callbacks run on the
/// thread that called, between two pieces of work, and may request the stop themselves.
///     std::stop_source stop;
///     const Watch watch{.stop = stop.get_token(),
///                       .progress = [&](std::size_t done, std::size_t all) { bar.set(done, all);
///                       }};
///     const auto report = findPlans(task, timing, options, watch);
/// Stopped work returns an error with Error::Code::Stopped: `FABRICAST_TRY(watch.check());`
struct Watch {
    std::stop_token stop{};
    std::function<void(std::size_t done, std::size_t all)> progress{};
    std::function<void(std::string_view)> status{};  ///< what is being done now
    bool mayTakeLong = true;  ///< else more than some seconds is refused: expected_work.h

    [[nodiscard]] bool stopped() const { return stop.stop_requested(); }
    /// An error once the stop has been requested.
    [[nodiscard]] Result<void> check() const {
        return stopped() ? fail(Error::Code::Stopped, "", "stopped before it was done")
                         : Result<void>();
    }
    void report(std::size_t done, std::size_t all) const {
        if (progress) {
            progress(done, all);
        }
    }
    void say(std::string_view what) const {
        if (status) {
            status(what);
        }
    }
};

}  // namespace fabricast
