#pragma once
#include "probes/nccl/guarded.h"
#include "probes/nccl/nccl_calls.h"

#include <cstddef>
#include <vector>

namespace fabricast::probe {

/// A CUDA stream and the events between its calls.
class CallClock {
public:
    static Answer<CallClock> make();
    CallClock(CallClock&& other) noexcept;
    CallClock& operator=(CallClock&&) = delete;
    CallClock(const CallClock&) = delete;
    CallClock& operator=(const CallClock&) = delete;
    ~CallClock();

    [[nodiscard]] cudaStream_t stream() const { return stream_; }
    /// Makes so many marks, so that setting them takes no time.
    Done hold(std::size_t marks);
    /// Sets a mark at this moment of the stream.
    [[nodiscard]] Done mark(std::size_t number) const;
    /// Waits for a mark, unless it is unwanted by then.
    Done await(std::size_t number, const WorkSigns& signs) const;
    /// Seconds from one mark to the next.
    [[nodiscard]] Answer<double> between(std::size_t number) const;

private:
    CallClock() = default;

    cudaStream_t stream_ = nullptr;
    std::vector<cudaEvent_t> marks_;
};

/// How long calls took that were sent to the GPU one behind another.
struct CallTimes {
    std::vector<double> each;  ///< seconds in the stream, call by call
    double wall = 0.0;         ///< seconds per call on the host's clock, as nccl-tests has it
};

/// What is called again and again: sends one call to the stream.
using SendCall = std::function<Done(cudaStream_t)>;

/// The calls that are not timed. The clock holds a mark.
Done warmUp(const CallClock& clock, const SendCall& send, int calls, WorkSigns& signs);

/// One call more than `calls`, and all but the first are timed: it waits for the last rank to come,
/// and so the others wait for nobody. The clock holds
/// a mark for each.
Answer<CallTimes> timedCalls(const CallClock& clock,
                             const SendCall& send,
                             int calls,
                             WorkSigns& signs);

}  // namespace fabricast::probe
