// NCCL's communicators, over memory that the ranks share.
#include "tests/probes/null_device/null_nccl.h"

#include <unistd.h>

#include <chrono>
#include <cstring>

namespace null = fabricast::null_device;

namespace {

/// Names all ranks of one color as the parent has them by now.
void joinPart(ncclComm& comm) {
    ncclComm& part = *comm.part;
    const null::RankPage& own = comm.pages->page(comm.rank);
    part.ranks = 0;
    for (int rank = 0; rank < comm.ranks; ++rank) {
        const null::RankPage& other = comm.pages->page(rank);
        if (other.color == own.color) {
            ++part.ranks;
            part.rank += other.key < own.key || (other.key == own.key && rank < comm.rank) ? 1 : 0;
        }
    }
    part.name = comm.name + "." + std::to_string(comm.calls) + "." + std::to_string(own.color);
    part.pages = std::make_unique<null::SharedPages>(part.name, part.ranks);
    part.pages->page(part.rank).taken = 1;
    part.pages->page(part.rank).shown = 1;
    comm.part = nullptr;
}

ncclResult_t stateOf(ncclComm& comm) {
    if (comm.aborted) {
        return ncclInternalError;
    }
    if (comm.splitting) {
        // No rank may still be reading the colors of the split before.
        if (!null::allReached(comm, &null::RankPage::taken, comm.calls)) {
            return ncclInProgress;
        }
        null::RankPage& own = comm.pages->page(comm.rank);
        own.color = comm.color;
        own.key = comm.key;
        comm.splitting = false;
        own.shown.store(++comm.calls, std::memory_order_release);
    }
    if (comm.pages == nullptr || !null::allReached(comm, &null::RankPage::shown, comm.calls)) {
        return ncclInProgress;
    }
    comm.pages->forgetName();
    if (comm.part != nullptr) {
        joinPart(comm);
    }
    comm.pages->page(comm.rank).taken.store(comm.calls, std::memory_order_release);
    return ncclSuccess;
}

}  // namespace

extern "C" {

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    const std::string name =
        "fabricast-null-nccl-" + std::to_string(getpid()) + "-" + std::to_string(now);
    std::memset(id, 0, sizeof *id);
    std::memcpy(id->internal, name.data(), name.size());
    return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(
    ncclComm_t* comm, int ranks, ncclUniqueId id, int rank, ncclConfig_t* config) {
    auto made = std::make_unique<ncclComm>();
    made->name = id.internal;
    made->rank = rank;
    made->ranks = ranks;
    made->blocking = config->blocking != 0;
    made->pages = std::make_unique<null::SharedPages>(made->name, ranks);
    if (!made->pages->mapped() || made->blocking) {
        return ncclSystemError;
    }
    made->take(3);
    made->pages->page(rank).taken = 1;
    made->pages->page(rank).shown = 1;
    *comm = made.release();
    return ncclInProgress;
}

ncclResult_t ncclCommSplit(
    ncclComm_t comm, int color, int key, ncclComm_t* part, ncclConfig_t* config) {
    if (comm->blocking) {
        return ncclInvalidUsage;
    }
    *part = nullptr;
    if (color != NCCL_SPLIT_NOCOLOR) {
        *part = new ncclComm;
        (*part)->blocking = config->blocking != 0;
        (*part)->take(2);
    }
    comm->part = *part;
    comm->color = color;
    comm->key = key;
    comm->splitting = true;
    return ncclInProgress;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
    *error = stateOf(*comm);
    return ncclSuccess;
}

// It works on the communicator's GPU, and gives the thread's own back: that makes a context there.
ncclResult_t ncclCommFinalize(ncclComm_t comm) {
    const int before = ncclComm::deviceNow();
    const bool chosen =
        cudaSetDevice(comm->device) == cudaSuccess && cudaSetDevice(before) == cudaSuccess;
    return chosen ? ncclSuccess : ncclUnhandledCudaError;
}
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
    const ncclResult_t given = ncclCommFinalize(comm);
    delete comm;
    return given;
}
ncclResult_t ncclCommAbort(ncclComm_t comm) {
    // Another thread may still be in a call on it.
    comm->aborted = true;
    return ncclSuccess;
}

}  // extern "C"
