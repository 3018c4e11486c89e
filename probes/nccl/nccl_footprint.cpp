// How much of a GPU's memory NCCL takes.
#include "probes/nccl/nccl_bench.h"
#include "probes/nccl/nccl_calls.h"

namespace fabricast::probe {

namespace {

Answer<double> freeBytes(ControlChannel& channel) {
    std::size_t free = 0;
    std::size_t total = 0;
    const Done done = doneBy(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return done ? Answer<double>(static_cast<double>(free)) : channel.fail(done.trouble().why);
}

/// What `step` takes of the GPU's memory.
Answer<double> takenBy(ControlChannel& channel, const std::function<Done()>& step) {
    // What other ranks still give back or take is not this step's.
    const Done together = channel.barrier();
    const Answer<double> before =
        together ? freeBytes(channel) : Answer<double>(together.trouble());
    if (!before) {
        return before;
    }
    const Done done = step();
    const Answer<double> after = done ? freeBytes(channel) : Answer<double>(done.trouble());
    return after ? Answer<double>(*before - *after) : after;
}

}  // namespace

Answer<double> NcclBench::initBytes() {
    return takenBy(*channel_, [&]() -> Done {
        Answer<Communicator> world = Communicator::ofWorld(*channel_, seconds_);
        if (!world) {
            return world.trouble();
        }
        world_ = std::move(*world);
        return std::monostate();
    });
}

Answer<double> NcclBench::splitBytes() {
    Done dropped = dropGroup();
    if (!dropped) {
        return dropped.trouble();
    }
    CollectiveTask all;
    all.shape = {.ranks = channel_->world(), .stride = 1};
    return takenBy(*channel_, [&] { return takeGroup(all); });
}

Answer<double> NcclBench::firstCallBytes(std::int64_t bytes) {
    const Answer<double> split = splitBytes();
    if (!split) {
        return split;
    }
    CollectiveTask task{
        .bytes = bytes, .shape = *groupShape_, .type = *collectiveTypeNamed("float")};
    const Answer<bool> held = holdBuffers(task);
    if (!held) {
        return held.trouble();
    }
    if (!*held) {
        return channel_->fail("the GPUs lack the memory for buffers of " + std::to_string(bytes) +
                              " bytes");
    }
    const CallBuffers buffers{.send = send_.at(), .receive = receive_.at()};
    return takenBy(*channel_, [&] {
        return runCalls(task, "the first ", [&](WorkSigns& signs) {
            return warmUp(
                clock_,
                [&](cudaStream_t stream) {
                    return enqueue(task, group_, seat_->place, buffers, stream);
                },
                1,
                signs);
        });
    });
}

Answer<Measurement> NcclBench::measureFootprint(const Point& point) {
    Measurement measurement{.point = point, .unit = "B"};
    const std::string of = wordOr(point, "of", "");
    constexpr std::int64_t kUsual = std::int64_t{64} << 20;
    const Answer<std::int64_t> bytes = point.settings.contains("bytes")
                                           ? wholeOf(point, "bytes", 4)
                                           : Answer<std::int64_t>(kUsual);
    if (!bytes) {
        return bytes.trouble();
    }
    const Answer<double> taken = of == "nccl_init"    ? Answer<double>(initBytes_)
                                 : of == "nccl_split" ? splitBytes()
                                                      : firstCallBytes(*bytes);
    const Answer<std::vector<double>> most =
        taken ? channel_->maxima({*taken}) : Answer<std::vector<double>>(taken.trouble());
    if (!most) {
        return most.trouble();
    }
    measurement.samples = *most;
    measurement.facts["ranks"] = channel_->world();
    return measurement;
}

}  // namespace fabricast::probe
