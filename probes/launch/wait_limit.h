#pragma once
#include <algorithm>
#include <chrono>

namespace fabricast::probe {

/// When waiting ends, on a clock that nobody sets.
class WaitLimit {
public:
    using Clock = std::chrono::steady_clock;

    static WaitLimit in(double seconds) {
        // A few years are as good as for ever, and do not overflow the clock.
        constexpr double kEver = 1e8;
        return WaitLimit(Clock::now() +
                         std::chrono::duration_cast<Clock::duration>(
                             std::chrono::duration<double>(std::clamp(seconds, 0.0, kEver))));
    }

    [[nodiscard]] bool passed() const { return Clock::now() >= end_; }

    /// What is left in milliseconds for poll(): at most `most`, so that whoever waits looks around.
    [[nodiscard]] int pollMs(int most) const {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end_ - Clock::now());
        return static_cast<int>(
            std::clamp<std::chrono::milliseconds::rep>(left.count() + 1, 0, most));
    }

private:
    explicit WaitLimit(Clock::time_point end) : end_(end) {}

    Clock::time_point end_;
};

}  // namespace fabricast::probe
