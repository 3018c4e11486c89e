#pragma once
#include <array>
#include <cstddef>
#include <string_view>

namespace fabricast {

/// What a group of GPUs does together. Sizes are as nccl-tests counts them: of the whole tensor,
/// which is what an all-gather puts out and a reduce-scatter takes in; of all that one rank sends
/// in an all-to-all; of the message of a send.
enum class CollectiveKind {
    AllReduce,
    AllGather,
    ReduceScatter,
    Broadcast,
    Reduce,
    AllToAll,
    SendReceive
};
inline constexpr std::array<std::string_view, 7> kCollectiveNames = {
    "all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce", "alltoall", "sendrecv"};

/// NCCL's ways to do it, in NCCL's order, and its point-to-point kernels.
enum class CollectiveAlgorithm {
    Tree,
    Ring,
    CollNetDirect,
    CollNetChain,
    Nvls,
    NvlsTree,
    Pat,
    PointToPoint
};
inline constexpr std::size_t kAlgorithms = 7;  ///< those of NCCL's tuner
inline constexpr std::array<std::string_view, kAlgorithms + 1> kAlgorithmNames = {
    "tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat", "p2p"};

/// How a kernel detects that data has arrived: a flag with every 4 bytes, every 120, or every
/// slice.
enum class CollectiveProtocol { Ll, Ll128, Simple };
inline constexpr std::size_t kProtocols = 3;
inline constexpr std::array<std::string_view, kProtocols> kProtocolNames = {
    "ll", "ll128", "simple"};

constexpr std::string_view collectiveName(CollectiveKind kind) {
    return kCollectiveNames[static_cast<std::size_t>(kind)];
}
constexpr std::string_view algorithmName(CollectiveAlgorithm algorithm) {
    return kAlgorithmNames[static_cast<std::size_t>(algorithm)];
}
constexpr std::string_view protocolName(CollectiveProtocol protocol) {
    return kProtocolNames[static_cast<std::size_t>(protocol)];
}

}  // namespace fabricast
