#include "probes/nccl/timed_calls.h"

#include "probes/nccl/nccl_calls.h"

#include <chrono>
#include <thread>
#include <utility>

namespace fabricast::probe {

namespace {

double now() {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(since).count();
}

}  // namespace

Answer<CallClock> CallClock::make() {
    CallClock clock;
    const Done made = doneBy(cudaStreamCreateWithFlags(&clock.stream_, cudaStreamNonBlocking),
                             "cudaStreamCreate");
    return made ? Answer<CallClock>(std::move(clock)) : made.trouble();
}

CallClock::CallClock(CallClock&& other) noexcept
    : stream_(std::exchange(other.stream_, nullptr)), marks_(std::exchange(other.marks_, {})) {}

CallClock::~CallClock() {
    for (cudaEvent_t mark : marks_) {
        (void)cudaEventDestroy(mark);
    }
    if (stream_ != nullptr) {
        (void)cudaStreamDestroy(stream_);
    }
}

Done CallClock::hold(std::size_t marks) {
    while (marks_.size() < marks) {
        cudaEvent_t event = nullptr;
        Done made = doneBy(cudaEventCreate(&event), "cudaEventCreate");
        if (!made) {
            return made;
        }
        marks_.push_back(event);
    }
    return std::monostate();
}

Done CallClock::mark(std::size_t number) const {
    return doneBy(cudaEventRecord(marks_[number], stream_), "cudaEventRecord");
}

Done CallClock::await(std::size_t number, const WorkSigns& signs) const {
    for (cudaError_t state = cudaErrorNotReady; state == cudaErrorNotReady;) {
        state = cudaEventQuery(marks_[number]);
        if (state == cudaErrorNotReady) {
            if (signs.unwanted) {
                return Trouble{"called off"};
            }
            std::this_thread::yield();
        } else if (state != cudaSuccess) {
            return doneBy(state, "the GPU");
        }
    }
    return std::monostate();
}

Answer<double> CallClock::between(std::size_t number) const {
    float milliseconds = 0.0F;
    const Done done =
        doneBy(cudaEventElapsedTime(&milliseconds, marks_[number], marks_[number + 1]),
               "cudaEventElapsedTime");
    return done ? Answer<double>(static_cast<double>(milliseconds) / 1e3) : done.trouble();
}

Done warmUp(const CallClock& clock, const SendCall& send, int calls, WorkSigns& signs) {
    for (int call = 0; call < calls; ++call) {
        Done done = send(clock.stream());
        if (done) {
            done = clock.mark(0);
        }
        // The first may take seconds, in which connections are made.
        if (done) {
            done = clock.await(0, signs);
        }
        if (!done) {
            return done;
        }
        ++signs.steps;
    }
    return std::monostate();
}

Answer<CallTimes> timedCalls(const CallClock& clock,
                             const SendCall& send,
                             int calls,
                             WorkSigns& signs) {
    const double begin = now();
    const auto all = static_cast<std::size_t>(calls) + 1;
    for (std::size_t call = 0; call < all; ++call) {
        Done done = send(clock.stream());
        if (done) {
            done = clock.mark(call);
        }
        if (!done) {
            return done.trouble();
        }
        ++signs.steps;
    }
    for (std::size_t call = 0; call < all; ++call) {
        const Done done = clock.await(call, signs);
        if (!done) {
            return done.trouble();
        }
        ++signs.steps;
    }
    CallTimes times{.wall = (now() - begin) / static_cast<double>(all)};
    for (std::size_t call = 0; call + 1 < all; ++call) {
        const Answer<double> seconds = clock.between(call);
        if (!seconds) {
            return seconds.trouble();
        }
        times.each.push_back(*seconds);
    }
    return times;
}

}  // namespace fabricast::probe
