// How ranks hand each other what they send.
#include "tests/probes/null_device/null_device.h"
#include "tests/probes/null_device/null_nccl.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace fabricast::null_device {

bool allReached(const ncclComm& comm, PageCount count, std::uint32_t call) {
    for (int rank = 0; rank < comm.ranks; ++rank) {
        if ((comm.pages->page(rank).*count).load(std::memory_order_acquire) < call) {
            return false;
        }
    }
    return true;
}

namespace {

bool waitForAll(const ncclComm& comm, PageCount count, std::uint32_t call) {
    while (!allReached(comm, count, call)) {
        if (comm.aborted) {
            return false;
        }
        usleep(50);
    }
    return true;
}

/// Plays this rank's fault; trouble where the call ends with it.
ncclResult_t playFault(ncclComm& comm) {
    const std::string fault = playedFault();
    if (++comm.timesCalled == 1) {
        comm.take(5);
    }
    const bool begun = comm.timesCalled > 3;
    while (begun && (fault == "deaf" || (fault == "hang" && !comm.aborted))) {
        usleep(1000);
    }
    usleep(static_cast<useconds_t>(setting("FABRICAST_NULL_NCCL_SLOW", 0)) * 1000);
    return begun && fault == "error" ? ncclRemoteError
           : comm.aborted            ? ncclInternalError
                                     : ncclSuccess;
}

using Show = std::function<void(RankPage& own, char* area)>;
using Take = std::function<bool()>;

/// All show what they have, and then take what they want of it.
ncclResult_t exchange(ncclComm& comm, const Show& show, const Take& take) {
    const ncclResult_t played = playFault(comm);
    if (played != ncclSuccess) {
        return played;
    }
    if (!waitForAll(comm, &RankPage::taken, comm.calls)) {
        return ncclInternalError;
    }
    ++comm.calls;
    RankPage& own = comm.pages->page(comm.rank);
    show(own, comm.pages->area(comm.rank));
    own.shown.store(comm.calls, std::memory_order_release);
    if (!waitForAll(comm, &RankPage::shown, comm.calls)) {
        return ncclInternalError;
    }
    const bool known = take();
    own.taken.store(comm.calls, std::memory_order_release);
    return known ? ncclSuccess : ncclInvalidArgument;
}

ncclResult_t done(ncclResult_t result, std::size_t bytes, cudaStream_t stream) {
    constexpr double kLatency = 12e-6;
    constexpr double kRate = 150e9;
    spend(stream, kLatency + static_cast<double>(bytes) / kRate);
    return result;
}

void spoil(void* result, std::size_t bytes) {
    if (playedFault() == "wrong" && bytes > 0) {
        static_cast<char*>(result)[bytes / 2] ^= 0x10;
    }
}

}  // namespace

ncclResult_t collective(ncclComm* comm,
                        const void* from,
                        std::size_t sent,
                        void* to,
                        std::size_t received,
                        cudaStream_t stream,
                        const std::function<bool(ncclComm&, char* to)>& take) {
    if (std::max(sent, received) > kAreaBytes) {
        return ncclInvalidArgument;
    }
    // In place, what is taken lies where what was shown came from.
    std::vector<char> result(received);
    const ncclResult_t outcome = exchange(
        *comm,
        [&](RankPage&, char* area) { std::memcpy(area, from, sent); },
        [&] { return take(*comm, result.data()); });
    std::memcpy(to, result.data(), received);
    spoil(to, received);
    return done(outcome, std::max(sent, received), stream);
}

ncclResult_t exchangeParcels(const std::vector<PeerCall>& calls) {
    ncclComm& comm = *calls.front().comm;
    std::size_t total = 0;
    const auto show = [&](RankPage& own, char* area) {
        own.parcels = 0;
        for (const PeerCall& call : calls) {
            if (call.sends && own.parcels < kMostSends && total + call.bytes <= kAreaBytes) {
                std::memcpy(area + total, call.from, call.bytes);
                own.sends[own.parcels++] = {call.peer, total, call.bytes};
                total += call.bytes;
            }
        }
    };
    const auto take = [&] {
        std::vector<std::uint32_t> next(static_cast<std::size_t>(comm.ranks));
        for (const PeerCall& call : calls) {
            if (call.sends) {
                continue;
            }
            const RankPage& peer = comm.pages->page(call.peer);
            std::uint32_t& at = next[static_cast<std::size_t>(call.peer)];
            while (at < peer.parcels && peer.sends[at].to != comm.rank) {
                ++at;
            }
            if (at == peer.parcels || peer.sends[at].bytes != call.bytes) {
                return false;
            }
            std::memcpy(call.to, comm.pages->area(call.peer) + peer.sends[at++].offset, call.bytes);
            spoil(call.to, call.bytes);
        }
        return true;
    };
    return done(exchange(comm, show, take), total, calls.front().stream);
}

}  // namespace fabricast::null_device
