#include "probes/nccl/nccl_calls.h"

#include <map>

namespace fabricast::probe {

namespace {

ncclDataType_t typeOf(const CollectiveType& type) {
    static const std::map<std::string_view, ncclDataType_t> kTypes = {{"int8", ncclInt8},
                                                                      {"uint8", ncclUint8},
                                                                      {"int32", ncclInt32},
                                                                      {"uint32", ncclUint32},
                                                                      {"int64", ncclInt64},
                                                                      {"half", ncclFloat16},
                                                                      {"bfloat16", ncclBfloat16},
                                                                      {"float", ncclFloat32},
                                                                      {"double", ncclFloat64}};
    return kTypes.at(type.name);
}

/// Sends and receives that belong together.
class NcclGroup {
public:
    NcclGroup() : result_(ncclGroupStart()) {}
    void also(ncclResult_t result) { result_ = result_ == ncclSuccess ? result : result_; }
    ncclResult_t end() {
        const ncclResult_t ended = ncclGroupEnd();
        return result_ == ncclSuccess ? ended : result_;
    }

private:
    ncclResult_t result_;
};

struct Exchange {
    std::size_t count;
    std::size_t bytes;  ///< of one part
    ncclDataType_t type;
    ncclComm_t comm;
    cudaStream_t stream;
    int ranks;
};

ncclResult_t allToAll(const Exchange& how, const CallBuffers& buffers) {
    NcclGroup group;
    for (int peer = 0; peer < how.ranks; ++peer) {
        const std::size_t offset = static_cast<std::size_t>(peer) * how.bytes;
        group.also(
            ncclSend(buffers.send + offset, how.count, how.type, peer, how.comm, how.stream));
        group.also(
            ncclRecv(buffers.receive + offset, how.count, how.type, peer, how.comm, how.stream));
    }
    return group.end();
}

/// To the next, from the one before, in a ring.
ncclResult_t sendRecv(const Exchange& how, int place, const CallBuffers& buffers) {
    NcclGroup group;
    group.also(
        ncclSend(buffers.send, how.count, how.type, (place + 1) % how.ranks, how.comm, how.stream));
    group.also(ncclRecv(buffers.receive,
                        how.count,
                        how.type,
                        (place + how.ranks - 1) % how.ranks,
                        how.comm,
                        how.stream));
    return group.end();
}

}  // namespace

CallBuffers inPlace(const CollectiveTask& task, int place, char* memory) {
    const std::int64_t part = countsOf(task).count * task.type.bytes * place;
    return {.send = memory + (task.call == GroupCall::AllGather ? part : 0),
            .receive = memory + (task.call == GroupCall::ReduceScatter ? part : 0)};
}

Done enqueue(const CollectiveTask& task,
             const Communicator& group,
             int place,
             const CallBuffers& buffers,
             cudaStream_t stream) {
    const auto count = static_cast<std::size_t>(countsOf(task).count);
    const ncclDataType_t type = typeOf(task.type);
    ncclComm_t const comm = group.handle();
    const Exchange exchange{.count = count,
                            .bytes = count * static_cast<std::size_t>(task.type.bytes),
                            .type = type,
                            .comm = comm,
                            .stream = stream,
                            .ranks = task.shape.ranks};
    ncclResult_t result = ncclInvalidUsage;
    switch (task.call) {
        case GroupCall::AllReduce:
            result =
                ncclAllReduce(buffers.send, buffers.receive, count, type, ncclSum, comm, stream);
            break;
        case GroupCall::AllGather:
            result = ncclAllGather(buffers.send, buffers.receive, count, type, comm, stream);
            break;
        case GroupCall::ReduceScatter:
            result = ncclReduceScatter(
                buffers.send, buffers.receive, count, type, ncclSum, comm, stream);
            break;
        case GroupCall::Broadcast:
            result = ncclBroadcast(buffers.send, buffers.receive, count, type, 0, comm, stream);
            break;
        case GroupCall::AllToAll:
            result = allToAll(exchange, buffers);
            break;
        case GroupCall::SendRecv:
            result = sendRecv(exchange, place, buffers);
            break;
    }
    return doneBy(result, comm, std::string(nameOf(task.call)));
}

}  // namespace fabricast::probe
