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

/// A rank's own sends and receives of a group, and how far each has come.
struct Progress {
    const std::vector<PeerCall>& calls;
    std::vector<std::size_t> moved = std::vector<std::size_t>(calls.size());

    /// As much as the area holds of what is still to be sent, in the order of the calls.
    void show(RankPage& own, char* area) {
        std::size_t filled = 0;
        own.parcels = 0;
        own.goesOn = false;
        for (std::size_t at = 0; at < calls.size(); ++at) {
            const PeerCall& call = calls[at];
            const std::size_t left = call.sends ? call.bytes - moved[at] : 0;
            const std::size_t piece =
                own.parcels < kMostSends ? std::min(left, kAreaBytes - filled) : 0;
            own.goesOn = own.goesOn || piece < left;
            if (piece == 0) {
                continue;
            }
            std::memcpy(area + filled, call.from + moved[at], piece);
            own.sends[own.parcels++] = {call.peer, filled, piece};
            moved[at] += piece;
            filled += piece;
        }
    }

    /// The receive from this rank that its next bytes are for.
    std::size_t receiveFrom(int peer) const {
        std::size_t at = 0;
        while (at < calls.size() &&
               (calls[at].sends || calls[at].peer != peer || moved[at] == calls[at].bytes)) {
            ++at;
        }
        return at;
    }

    /// What others show for this rank; false if no rank waits for this size.
    bool take(const ncclComm& comm) {
        for (int peer = 0; peer < comm.ranks; ++peer) {
            const RankPage& page = comm.pages->page(peer);
            for (std::uint32_t parcel = 0; parcel < page.parcels; ++parcel) {
                const auto& [to, offset, bytes] = page.sends[parcel];
                if (to != comm.rank) {
                    continue;
                }
                const std::size_t at = receiveFrom(peer);
                if (at == calls.size() || moved[at] + bytes > calls[at].bytes) {
                    return false;
                }
                std::memcpy(calls[at].to + moved[at], comm.pages->area(peer) + offset, bytes);
                moved[at] += bytes;
            }
        }
        return true;
    }

    [[nodiscard]] bool complete() const {
        for (std::size_t at = 0; at < calls.size(); ++at) {
            if (moved[at] != calls[at].bytes) {
                return false;
            }
        }
        return true;
    }
};

bool anyGoesOn(const ncclComm& comm) {
    for (int rank = 0; rank < comm.ranks; ++rank) {
        if (comm.pages->page(rank).goesOn) {
            return true;
        }
    }
    return false;
}

/// Whether what is sent lies in what is received, or the other way round.
bool inPlace(const void* from, const void* to, const Parts& parts) {
    const auto* const send = static_cast<const char*>(from);
    const auto* const receive = static_cast<const char*>(to);
    return send < receive + parts.received * parts.bytes &&
           receive < send + parts.shown * parts.bytes;
}

/// Copies a piece of each of some parts: from `step` apart to one after the other, or back.
void gatherPieces(
    char* to, const char* from, std::size_t parts, std::size_t bytes, std::size_t step) {
    for (std::size_t part = 0; part < parts; ++part) {
        std::memcpy(to + part * bytes, from + part * step, bytes);
    }
}
void scatterPieces(
    char* to, const char* from, std::size_t parts, std::size_t bytes, std::size_t step) {
    for (std::size_t part = 0; part < parts; ++part) {
        std::memcpy(to + part * step, from + part * bytes, bytes);
    }
}

}  // namespace

ncclResult_t collective(ncclComm* comm,
                        const void* from,
                        void* to,
                        const Parts& parts,
                        cudaStream_t stream,
                        const TakePiece& take) {
    constexpr std::size_t kWidest = 8;  // bytes of a number
    const std::size_t most = kAreaBytes / parts.shown / kWidest * kWidest;
    ncclResult_t outcome = playFault(*comm);
    for (std::size_t first = 0; outcome == ncclSuccess && first < parts.bytes; first += most) {
        const std::size_t piece = std::min(most, parts.bytes - first);
        const char* const source = static_cast<const char*>(from) + first;
        // In place, what is taken lies where what was shown came from.
        std::vector<char> result(parts.received * piece);
        outcome = exchange(
            *comm,
            [&](RankPage&, char* area) {
                gatherPieces(area, source, parts.shown, piece, parts.bytes);
            },
            [&] { return take(*comm, piece, result.data()); });
        if (playedFault() == "idle" && inPlace(from, to, parts)) {
            continue;
        }
        scatterPieces(
            static_cast<char*>(to) + first, result.data(), parts.received, piece, parts.bytes);
    }
    spoil(to, parts.received * parts.bytes);
    return done(outcome, std::max(parts.shown, parts.received) * parts.bytes, stream);
}

ncclResult_t exchangeParcels(const std::vector<PeerCall>& calls) {
    ncclComm& comm = *calls.front().comm;
    Progress progress = {calls};
    ncclResult_t outcome = playFault(comm);
    for (bool goesOn = true; outcome == ncclSuccess && goesOn;) {
        outcome = exchange(
            comm,
            [&](RankPage& own, char* area) { progress.show(own, area); },
            [&] {
                // Looked at before the others may show what comes next.
                goesOn = anyGoesOn(comm);
                return progress.take(comm);
            });
    }
    outcome = outcome == ncclSuccess && !progress.complete() ? ncclInvalidArgument : outcome;
    std::size_t sent = 0;
    for (const PeerCall& call : calls) {
        sent += call.sends ? call.bytes : 0;
        if (!call.sends) {
            spoil(call.to, call.bytes);
        }
    }
    return done(outcome, sent, calls.front().stream);
}

}  // namespace fabricast::null_device
