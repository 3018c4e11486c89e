#pragma once
#include "probes/collective/sweep.h"
#include "probes/nccl/communicator.h"
#include "probes/nccl/device_bytes.h"
#include "probes/nccl/timed_calls.h"
#include "probes/record/statistics.h"

#include <map>

namespace fabricast::probe {

/// What stays between points: the communicators, a stream, memory on the GPU.
class NcclBench {
public:
    /// Makes the communicator of all ranks; `seconds` is how long anything may stand still.
    static Answer<NcclBench> make(ControlChannel& channel, const SweepFlags& flags, double seconds);

    /// Every rank calls, with the same point; rank 0's answer is the measurement.
    Answer<Measurement> measure(const Point& point);
    /// Gives the communicators back. Only where nothing went wrong.
    Done close();

private:
    /// One side of a point: what is sent where.
    struct Side {
        CallBuffers buffers;
        CallTimes times;
        std::int64_t wrong = 0;
    };

    NcclBench(ControlChannel& channel, SweepFlags flags, double seconds, CallClock clock)
        : channel_(&channel),
          flags_(std::move(flags)),
          seconds_(seconds),
          clock_(std::move(clock)) {}

    Answer<Measurement> measureCollective(const Point& point, const CollectiveTask& task);
    Answer<Measurement> measureFootprint(const Point& point);
    std::string refusal(const CollectiveTask& task) const;
    Done takeGroup(const CollectiveTask& task);
    Answer<bool> holdBuffers(const CollectiveTask& task);
    Done check(const CollectiveTask& task, Side& side);
    Done time(const CollectiveTask& task, Side& side);
    Done runSide(const CollectiveTask& task, bool sameMemory, Side& side);
    Done runCalls(const CollectiveTask& task, const std::string& what, const GuardedWork& work);
    Done report(const CollectiveTask& task, const Side& out, const Side& same, Measurement& into);
    Answer<double> initBytes();
    Answer<double> splitBytes();
    Answer<double> firstCallBytes(std::int64_t bytes);
    Done dropGroup();

    ControlChannel* channel_;
    SweepFlags flags_;
    double seconds_;
    CallClock clock_;
    Communicator world_;
    Communicator group_;
    std::optional<StridedGroup> groupShape_;  ///< what `group_` was split for
    bool groupAlone_ = false;
    std::optional<GroupSeat> seat_;
    DeviceBytes send_;
    DeviceBytes receive_;
    double initBytes_ = 0.0;  ///< of the first communicator of this process
};

}  // namespace fabricast::probe
