// NCCL's collectives.
#include "tests/probes/null_device/null_nccl.h"

#include <cstring>
#include <utility>

namespace null = fabricast::null_device;

namespace {

struct OpenGroup {
    int depth = 0;
    std::vector<null::PeerCall> calls;
};

OpenGroup& openGroup() {
    thread_local OpenGroup group;
    return group;
}

/// Of all ranks, the bytes at `offset` of what they show.
bool addAll(
    const ncclComm& comm, std::size_t offset, std::size_t bytes, ncclDataType_t type, char* to) {
    std::memcpy(to, comm.pages->area(0) + offset, bytes);
    for (int rank = 1; rank < comm.ranks; ++rank) {
        const char* const more = comm.pages->area(rank) + offset;
        if (!null::addInto(to, more, bytes / null::bytesOfType(type), type)) {
            return false;
        }
    }
    return true;
}

std::size_t sizeOf(const ncclComm& comm) {
    return static_cast<std::size_t>(comm.ranks);
}

ncclResult_t peerCall(const null::PeerCall& call) {
    OpenGroup& group = openGroup();
    group.calls.push_back(call);
    return group.depth > 0 ? ncclSuccess : null::exchangeParcels(std::exchange(group.calls, {}));
}

}  // namespace

extern "C" {

ncclResult_t ncclAllReduce(const void* from,
                           void* to,
                           std::size_t count,
                           ncclDataType_t type,
                           ncclRedOp_t,
                           ncclComm_t comm,
                           cudaStream_t stream) {
    const null::Parts parts = {.bytes = count * null::bytesOfType(type)};
    return null::collective(
        comm, from, to, parts, stream, [&](ncclComm& of, std::size_t bytes, char* into) {
            return addAll(of, 0, bytes, type, into);
        });
}

ncclResult_t ncclReduceScatter(const void* from,
                               void* to,
                               std::size_t count,
                               ncclDataType_t type,
                               ncclRedOp_t,
                               ncclComm_t comm,
                               cudaStream_t stream) {
    const null::Parts parts = {.bytes = count * null::bytesOfType(type), .shown = sizeOf(*comm)};
    return null::collective(
        comm, from, to, parts, stream, [&](ncclComm& of, std::size_t bytes, char* into) {
            return addAll(of, bytes * static_cast<std::size_t>(of.rank), bytes, type, into);
        });
}

ncclResult_t ncclAllGather(const void* from,
                           void* to,
                           std::size_t count,
                           ncclDataType_t type,
                           ncclComm_t comm,
                           cudaStream_t stream) {
    const null::Parts parts = {.bytes = count * null::bytesOfType(type), .received = sizeOf(*comm)};
    return null::collective(
        comm, from, to, parts, stream, [&](ncclComm& of, std::size_t bytes, char* into) {
            for (int rank = 0; rank < of.ranks; ++rank, into += bytes) {
                std::memcpy(into, of.pages->area(rank), bytes);
            }
            return true;
        });
}

ncclResult_t ncclBroadcast(const void* from,
                           void* to,
                           std::size_t count,
                           ncclDataType_t type,
                           int root,
                           ncclComm_t comm,
                           cudaStream_t stream) {
    const null::Parts parts = {.bytes = count * null::bytesOfType(type)};
    return null::collective(
        comm, from, to, parts, stream, [&](ncclComm& of, std::size_t bytes, char* into) {
            std::memcpy(into, of.pages->area(root), bytes);
            return true;
        });
}

ncclResult_t ncclSend(const void* from,
                      std::size_t count,
                      ncclDataType_t type,
                      int peer,
                      ncclComm_t comm,
                      cudaStream_t stream) {
    return peerCall({true,
                     static_cast<const char*>(from),
                     nullptr,
                     count * null::bytesOfType(type),
                     peer,
                     comm,
                     stream});
}
ncclResult_t ncclRecv(void* to,
                      std::size_t count,
                      ncclDataType_t type,
                      int peer,
                      ncclComm_t comm,
                      cudaStream_t stream) {
    return peerCall({false,
                     nullptr,
                     static_cast<char*>(to),
                     count * null::bytesOfType(type),
                     peer,
                     comm,
                     stream});
}

ncclResult_t ncclGroupStart() {
    ++openGroup().depth;
    return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
    OpenGroup& group = openGroup();
    if (--group.depth > 0 || group.calls.empty()) {
        return ncclSuccess;
    }
    return null::exchangeParcels(std::exchange(group.calls, {}));
}

}  // extern "C"
