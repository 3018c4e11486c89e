#include "probes/cuda/expert_streams.h"

#include <algorithm>

namespace fabricast::probe {

namespace {

Answer<std::shared_ptr<CUevent_st>> makeEvent() {
    cudaEvent_t event = nullptr;
    const Done done =
        cudaDone(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "an event");
    return done ? Answer(std::shared_ptr<CUevent_st>(
                      event, [](cudaEvent_t one) { cudaEventDestroy(one); }))
                : done.trouble();
}

}  // namespace

/// One of the streams.
struct ExpertStreams::Side {
    LtHome home;
    std::shared_ptr<CUstream_st> stream;
    std::shared_ptr<CUevent_st> joined;

    static Answer<std::shared_ptr<Side>> make(const LtHome& home) {
        Answer<LtHome> own = withOwnScratch(home);
        Answer<std::shared_ptr<CUevent_st>> joined = makeEvent();
        cudaStream_t stream = nullptr;
        const Done done =
            cudaDone(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
        std::shared_ptr<CUstream_st> kept(stream, [](cudaStream_t one) {
            if (one != nullptr) {
                cudaStreamDestroy(one);
            }
        });
        if (!own || !joined || !done) {
            return !own ? own.trouble() : !joined ? joined.trouble() : done.trouble();
        }
        return std::make_shared<Side>(Side{std::move(*own), kept, *joined});
    }
};

Answer<ExpertStreams> ExpertStreams::make(const LtHome& home) {
    ExpertStreams made;
    const Answer<std::shared_ptr<CUevent_st>> fork = makeEvent();
    if (!fork) {
        return fork.trouble();
    }
    made.fork_ = *fork;
    for (std::size_t at = 0; at < kStreams; ++at) {
        const Answer<std::shared_ptr<Side>> side = Side::make(home);
        if (!side) {
            return side.trouble();
        }
        made.sides_.push_back(*side);
    }
    return made;
}

Done ExpertStreams::run(cudaStream_t stream,
                        const PlannedGemm& planned,
                        std::size_t experts,
                        std::size_t call) const {
    const std::size_t used = std::min(experts, sides_.size());
    Done done = cudaDone(cudaEventRecord(fork_.get(), stream), "an event");
    for (std::size_t at = 0; done && at < used; ++at) {
        done = cudaDone(cudaStreamWaitEvent(sides_[at]->stream.get(), fork_.get(), 0), "a stream");
    }
    for (std::size_t expert = 0; done && expert < experts; ++expert) {
        const Side& side = *sides_[expert % used];
        done = planned.runWith(side.home, side.stream.get(), call * experts + expert);
    }
    for (std::size_t at = 0; done && at < used; ++at) {
        const Side& side = *sides_[at];
        done = cudaDone(cudaEventRecord(side.joined.get(), side.stream.get()), "an event");
        done =
            done ? cudaDone(cudaStreamWaitEvent(stream, side.joined.get(), 0), "a stream") : done;
    }
    return done;
}

}  // namespace fabricast::probe
