#pragma once
#include "planner/base/units.h"
#include "planner/evidence/comparison_error.h"
#include "planner/result/evidence.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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

/// Calls of one kind that a rank makes in a step. `exposed` is what they add to it: seconds in
/// which nothing else runs, and the slowdown of kernels by overlapping calls.
struct CommLine {
    std::int64_t stage = 0;
    std::string_view axis;            ///< of the layout, of the group: "tp"
    std::string_view collective;      ///< as the framework calls it: "all_gather"
    std::string_view use;             ///< "gradients"
    TimePart part = TimePart::Shard;  ///< where `exposed` is counted
    bool betweenNodes = false;
    std::int64_t sites = 1;  ///< that the group spans
    std::int64_t groupSize = 1;
    Bytes bytes;  ///< of one call
    std::int64_t count = 0;
    std::int64_t every = 1;  ///< steps, in which it is called so often
    double seconds = 0.0;    ///< of all in a step, if nothing hid them
    double exposed = 0.0;
};

/// What the time of an optimizer's step on the device is made of, per rank.
struct OptimizerTerms {
    bool onHost = false;         ///< the CPUs step; then only `stepped` is said
    double held = 0.0;           ///< parameters whose gradients are cleared and read for the norm
    double stepped = 0.0;        ///< parameters that the rank updates
    double gradientBytes = 0.0;  ///< of one
    double updateBytes = 0.0;    ///< of one, read and written by the update
    BytesPerSecond rate;
    Seconds launch;
    double products = 0.0;  ///< seconds of Muon's
};

/// What the step's parts are summed from.
struct StepTerms {
    double microBatches = 1.0;
    TimeByPart forward;  ///< of one microbatch, on the stage that decides
    TimeByPart backward;
    TimeByPart recompute;        ///< of backward: kernels that a checkpoint runs again
    double span = 0.0;           ///< from the first forward to the last backward
    double tail = 0.0;           ///< waited for once a step: gradients, parameters, norms
    std::int64_t tailStage = 0;  ///< the stage that waits longest
    Seconds hostStep;            ///< of the training loop around a step
    Seconds hostMicroBatch;      ///< and around a microbatch
    OptimizerTerms optimizer;    ///< of the stage whose optimizer takes longest
};

/// What sites that train apart do once in many steps, and what it adds to each of these.
struct OuterStep {
    std::int64_t steps = 0;  ///< from one to the next
    double parameters = 0.0;
    Bytes sent;                    ///< by each site
    double exchange = 0.0;         ///< seconds of the transfer between sites
    double update = 0.0;           ///< seconds of the outer optimizer
    double inner = 0.0;            ///< seconds of a step between two of them
    double exposedExchange = 0.0;  ///< of a step's seconds, on average
    double exposedUpdate = 0.0;    ///< likewise

    /// Seconds of a step, on average.
    [[nodiscard]] double total() const { return inner + exposedExchange + exposedUpdate; }
};

/// How much of the GPUs' peak the model's own products use.
struct Utilisation {
    std::optional<double> mfu;
    std::string why;  ///< where there is none
    Flops perToken;   ///< in the convention "matmul"
    FlopsPerSecond peak;
    std::string peakType;  ///< "bf16"
};

/// This is the answer to "how long does a step take, and why?"
struct StepEstimate {
    Headline<Seconds> step;
    TimeByPart parts;          ///< of the stage that decides; sums to `step.value`
    std::int64_t slowest = 0;  ///< that stage
    double tokensPerGpuSecond = 0.0;
    double tokensPerSecond = 0.0;
    Utilisation utilisation;
    StepTerms terms;
    std::optional<OuterStep> outer;  ///< where sites train apart
    /// What the deciding stage calls for every microbatch, and the one that waits longest at the
    /// end once a step; what adds most first. `exposed` sums to the parts that are communication.
    std::vector<CommLine> comm;
    ComparisonError comparison;  ///< how sure its order with another is
    std::vector<std::string> notes;
};

}  // namespace fabricast
