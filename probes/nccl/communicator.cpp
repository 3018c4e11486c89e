#include "probes/nccl/communicator.h"

#include "probes/nccl/guarded.h"
#include "probes/nccl/nccl_calls.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <thread>
#include <utility>

namespace fabricast::probe {

namespace {

ncclConfig_t configOf(bool blocking) {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = blocking ? 1 : 0;
    return config;
}

/// What is under way has begun well.
ncclResult_t startedWell(ncclResult_t result) {
    return result == ncclInProgress ? ncclSuccess : result;
}

/// Whether what was begun on it has come to an end, and well.
Answer<bool> isSettled(ncclComm_t handle, const std::string& what) {
    ncclResult_t state = ncclSuccess;
    const ncclResult_t asked = ncclCommGetAsyncError(handle, &state);
    const Done done = doneBy(asked != ncclSuccess ? asked : startedWell(state), handle, what);
    return done ? Answer<bool>(state != ncclInProgress) : done.trouble();
}

}  // namespace

Communicator::Communicator(Communicator&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), aborted_(other.aborted_) {}

Communicator& Communicator::operator=(Communicator&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(aborted_, other.aborted_);
    return *this;
}

Communicator::~Communicator() {
    callOff();
}

Done Communicator::settled(ControlChannel& channel,
                           double seconds,
                           ncclResult_t result,
                           const std::string& what) const {
    if (startedWell(result) != ncclSuccess) {
        return channel.fail(doneBy(result, handle_, what).trouble().why);
    }
    return awaited(channel, seconds, what, [&] { return isSettled(handle_, what); });
}

Answer<Communicator> Communicator::ofWorld(ControlChannel& channel, double seconds) {
    ncclUniqueId id = {};
    const ncclResult_t made = channel.rank() == 0 ? ncclGetUniqueId(&id) : ncclSuccess;
    if (made != ncclSuccess) {
        return channel.fail(doneBy(made, nullptr, "ncclGetUniqueId").trouble().why);
    }
    const Answer<std::string> told =
        channel.broadcast(std::string(id.internal, sizeof id.internal));
    if (!told) {
        return told.trouble();
    }
    std::memcpy(id.internal, told->data(), std::min(told->size(), sizeof id.internal));
    ncclConfig_t config = configOf(false);
    Communicator world;
    const ncclResult_t begun =
        ncclCommInitRankConfig(&world.handle_, channel.world(), id, channel.rank(), &config);
    if (world.handle_ == nullptr) {
        return channel.fail(
            doneBy(begun == ncclSuccess ? ncclInternalError : begun, nullptr, "ncclCommInitRank")
                .trouble()
                .why);
    }
    const Done done = world.settled(channel, seconds, begun, "ncclCommInitRank");
    return done ? Answer<Communicator>(std::move(world)) : done.trouble();
}

Answer<Communicator> Communicator::split(ControlChannel& channel,
                                         double seconds,
                                         const std::optional<GroupSeat>& seat) {
    ncclConfig_t config = configOf(true);
    // A thread of NCCL fills it, after this call too where the split is given up: it stays.
    static std::deque<ncclComm_t> places;
    ncclComm_t& place = places.emplace_back(nullptr);
    const ncclResult_t begun = ncclCommSplit(
        handle_, seat ? seat->group : NCCL_SPLIT_NOCOLOR, seat ? seat->place : 0, &place, &config);
    Done done = settled(channel, seconds, begun, "ncclCommSplit");
    Communicator part(done ? place : nullptr);
    if (done && seat && part.handle_ == nullptr) {
        done = channel.fail("ncclCommSplit gave no communicator");
    }
    if (done && part.handle_ != nullptr) {
        done = part.settled(channel, seconds, ncclSuccess, "ncclCommSplit");
    }
    return done ? Answer<Communicator>(std::move(part)) : done.trouble();
}

Done Communicator::close(ControlChannel& channel, double seconds) {
    if (handle_ == nullptr) {
        return std::monostate();
    }
    const auto finalize = [this](WorkSigns& signs) -> Done {
        Done done = doneBy(startedWell(ncclCommFinalize(handle_)), handle_, "ncclCommFinalize");
        for (bool settled = false; done && !settled;) {
            const Answer<bool> is = isSettled(handle_, "ncclCommFinalize");
            done = is ? done : Done(is.trouble());
            settled = is && *is;
            if (signs.unwanted) {
                return Trouble{"called off"};
            }
            std::this_thread::yield();
        }
        return done ? doneBy(ncclCommDestroy(handle_), nullptr, "ncclCommDestroy") : done;
    };
    const Done done =
        guarded(channel, seconds, "ncclCommFinalize", finalize, [this] { callOff(); });
    if (done) {
        handle_ = nullptr;
    }
    return done;
}

}  // namespace fabricast::probe
