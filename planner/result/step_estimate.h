#pragma once
#include "planner/base/units.h"
#include "planner/result/evidence.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fabricast {

/// What a step's seconds go to. Parts sum to the whole.
enum class TimePart {
    Gemm,
    Attention,
    MemoryBound,
    Tensor,   ///< exposed communication of tensor parallelism
    Context,  ///< of context parallelism
    Expert,   ///< of expert parallelism
    Shard,    ///< exposed gathers of parameters and reductions of gradients
    Stage,    ///< transfers between pipeline stages
    Bubble,   ///< waiting for other stages
    Optimizer,
    Host,  ///< the device waits for the host
    Count_
};
inline constexpr std::size_t kTimeParts = static_cast<std::size_t>(TimePart::Count_);

struct TimeByPart {
    std::array<double, kTimeParts> seconds{};

    double& of(TimePart part) { return seconds[static_cast<std::size_t>(part)]; }
    [[nodiscard]] double of(TimePart part) const { return seconds[static_cast<std::size_t>(part)]; }
    [[nodiscard]] double total() const {
        double sum = 0.0;
        for (const double part : seconds) {
            sum += part;
        }
        return sum;
    }
    TimeByPart& operator+=(const TimeByPart& other) {
        for (std::size_t i = 0; i < kTimeParts; ++i) {
            seconds[i] += other.seconds[i];
        }
        return *this;
    }
    friend TimeByPart operator+(TimeByPart a, const TimeByPart& b) { return a += b; }
    friend TimeByPart operator*(TimeByPart time, double factor) {
        for (double& part : time.seconds) {
            part *= factor;
        }
        return time;
    }
};

/// This is the answer to "how long does a step take, and why?"
struct StepEstimate {
    Headline<Seconds> step;
    TimeByPart parts;          ///< of the stage that decides; sums to `step.value`
    std::int64_t slowest = 0;  ///< that stage
    double tokensPerGpuSecond = 0.0;
    std::vector<std::string> notes;
};

}  // namespace fabricast
