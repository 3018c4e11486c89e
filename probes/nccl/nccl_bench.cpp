#include "probes/nccl/nccl_bench.h"

#include "probes/nccl/nccl_calls.h"
#include "probes/record/statistics.h"

#include <algorithm>
#include <numeric>

namespace fabricast::probe {

namespace {

std::size_t bytesOf(const CollectiveTask& task, std::int64_t elements) {
    return static_cast<std::size_t>(elements * task.type.bytes);
}

}  // namespace

Answer<NcclBench> NcclBench::make(ControlChannel& channel,
                                  const SweepFlags& flags,
                                  double seconds) {
    Answer<CallClock> clock = CallClock::make();
    Done held =
        clock ? clock->hold(static_cast<std::size_t>(flags.iterations) + 1) : Done(clock.trouble());
    if (!held) {
        return channel.fail(held.trouble().why);
    }
    NcclBench bench(channel, flags, seconds, std::move(*clock));
    const Answer<double> bytes = bench.initBytes();
    if (!bytes) {
        return bytes.trouble();
    }
    bench.initBytes_ = *bytes;
    return bench;
}

Answer<Measurement> NcclBench::measure(const Point& point) {
    if (point.what == "footprint") {
        return measureFootprint(point);
    }
    const Answer<CollectiveTask> task = taskOf(point);
    return task ? measureCollective(point, *task) : Answer<Measurement>(task.trouble());
}

std::string NcclBench::refusal(const CollectiveTask& task) const {
    if (groupsIn(task.shape, channel_->world()) == 0) {
        return "a world of " + std::to_string(channel_->world()) + " has no " +
               std::to_string(task.shape.ranks) + " ranks " + std::to_string(task.shape.stride) +
               " apart";
    }
    if (countsOf(task).count == 0) {
        return std::to_string(task.bytes) + " bytes are not one element for each rank";
    }
    std::vector<std::string> hosts;
    for (const Member& member : channel_->members()) {
        hosts.push_back(member.host);
    }
    for (int group = 0; group < (task.oneGroup ? 1 : groupsIn(task.shape, channel_->world()));
         ++group) {
        const int nodes = nodesSpanned(membersOf(task.shape, group), hosts);
        if (nodes != task.nodes) {
            return "group " + std::to_string(group) + " spans " + std::to_string(nodes) +
                   " nodes here, not " + std::to_string(task.nodes);
        }
    }
    return "";
}

Done NcclBench::dropGroup() {
    groupShape_.reset();
    Done done = group_.close(*channel_, seconds_);
    return done ? done : channel_->fail(done.trouble().why);
}

Done NcclBench::takeGroup(const CollectiveTask& task) {
    if (groupShape_ == task.shape && groupAlone_ == task.oneGroup) {
        return std::monostate();
    }
    Done dropped = dropGroup();
    if (!dropped) {
        return dropped;
    }
    seat_ = seatOf(task.shape, channel_->world(), channel_->rank());
    if (seat_ && task.oneGroup && seat_->group != 0) {
        seat_.reset();
    }
    Answer<Communicator> part = world_.split(*channel_, seconds_, seat_);
    if (!part) {
        return part.trouble();
    }
    group_ = std::move(*part);
    groupShape_ = task.shape;
    groupAlone_ = task.oneGroup;
    return std::monostate();
}

Answer<bool> NcclBench::holdBuffers(const CollectiveTask& task) {
    const CollectiveCounts counts = countsOf(task);
    const std::size_t most = static_cast<std::size_t>(counts.bytes);
    bool held = true;
    // A driver may take seconds for them, or stand still: the other ranks are watched meanwhile.
    const Done done = guarded(
        *channel_,
        seconds_,
        "buffers of " + std::to_string(task.bytes) + " bytes",
        [&](WorkSigns& signs) -> Done {
            held = !seat_ || send_.hold(bytesOf(task, counts.sent));
            if (signs.unwanted) {
                return Trouble{"called off"};
            }
            held = held && (!seat_ || receive_.hold(most));
            return std::monostate();
        },
        [] {});
    if (!done) {
        return done.trouble();
    }
    const Answer<std::vector<double>> lacking = channel_->maxima({held ? 0.0 : 1.0});
    return lacking ? Answer<bool>(lacking->front() == 0.0) : lacking.trouble();
}

/// Work on the GPU that the other ranks take part in.
Done NcclBench::runCalls(const CollectiveTask& task,
                         const std::string& what,
                         const GuardedWork& work) {
    const auto ofSeated = [&](WorkSigns& signs) -> Done {
        return seat_ ? work(signs) : Done(std::monostate());
    };
    return guarded(
        *channel_,
        seconds_,
        what + std::string(nameOf(task.call)) + " of " + std::to_string(task.bytes) + " bytes",
        ofSeated,
        [this] { group_.callOff(); });
}

Done NcclBench::check(const CollectiveTask& task, Side& side) {
    const CheckPattern pattern(task);
    if (seat_) {
        const CollectiveCounts counts = countsOf(task);
        // What lay there must not pass for a result; in place, the result of the call before.
        Done done = doneBy(cudaMemset(side.buffers.receive, 0xA5, bytesOf(task, counts.received)),
                           "cudaMemset");
        done = done ? sendPattern(pattern, task, seat_->place, side.buffers.send) : done;
        if (!done) {
            return channel_->fail(done.trouble().why);
        }
    }
    Done called = runCalls(task, "the check of ", [&](WorkSigns& signs) {
        return warmUp(
            clock_,
            [&](cudaStream_t stream) {
                return enqueue(task, group_, seat_->place, side.buffers, stream);
            },
            1,
            signs);
    });
    if (!called || !seat_) {
        return called;
    }
    const Answer<std::int64_t> wrong =
        wrongElements(*channel_, pattern, task, seat_->place, side.buffers.receive);
    side.wrong = wrong ? *wrong : 0;
    return wrong ? Done(std::monostate()) : wrong.trouble();
}

Done NcclBench::time(const CollectiveTask& task, Side& side) {
    const SendCall send = [&](cudaStream_t stream) {
        return enqueue(task, group_, seat_->place, side.buffers, stream);
    };
    Done done = runCalls(task, "warming up ", [&](WorkSigns& signs) {
        return warmUp(clock_, send, flags_.warmUps, signs);
    });
    if (done) {
        done = channel_->barrier();
    }
    if (!done) {
        return done;
    }
    return runCalls(task, "", [&](WorkSigns& signs) -> Done {
        Answer<CallTimes> times = timedCalls(clock_, send, flags_.iterations, signs);
        if (!times) {
            return times.trouble();
        }
        side.times = std::move(*times);
        return std::monostate();
    });
}

Done NcclBench::runSide(const CollectiveTask& task, bool sameMemory, Side& side) {
    side.times.each.assign(static_cast<std::size_t>(flags_.iterations), 0.0);
    if (seat_) {
        side.buffers = sameMemory ? inPlace(task, seat_->place, receive_.at())
                                  : CallBuffers{.send = send_.at(), .receive = receive_.at()};
    }
    Done done =
        flags_.check && CheckPattern(task).possible() ? check(task, side) : Done(std::monostate());
    return done ? time(task, side) : done;
}

Answer<Measurement> NcclBench::measureCollective(const Point& point, const CollectiveTask& task) {
    Measurement measurement{.point = point};
    measurement.refused = refusal(task);
    if (!measurement.refused.empty()) {
        return measurement;
    }
    Done done = takeGroup(task);
    if (!done) {
        return done.trouble();
    }
    const Answer<bool> held = holdBuffers(task);
    if (!held) {
        return held.trouble();
    }
    if (!*held) {
        measurement.refused = "the GPUs lack the memory for it";
        return measurement;
    }
    Side out;
    Side same;
    done = runSide(task, false, out);
    if (done && hasInPlace(task.call)) {
        done = runSide(task, true, same);
    }
    if (done) {
        done = report(task, out, same, measurement);
    }
    return done ? Answer<Measurement>(std::move(measurement)) : done.trouble();
}

Done NcclBench::close() {
    Done done = dropGroup();
    return done ? world_.close(*channel_, seconds_) : done;
}

}  // namespace fabricast::probe
