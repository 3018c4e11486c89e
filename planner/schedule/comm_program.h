#pragma once
#include "planner/base/result.h"
#include "planner/schedule/framework_order.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricast {

/// One side of a transfer between two ranks: of the output of a stage, or of an input's gradient.
/// Megatron does not name the tensor: its messages meet in their order, kind by kind.
struct PeerTransfer {
    bool send = true;
    bool forward = true;
    std::int32_t peer = 0;
    std::int32_t stage = -1;  ///< that made it; -1: not given
    std::int32_t microBatch = -1;

    friend bool operator==(const PeerTransfer&, const PeerTransfer&) = default;
};

/// What a rank's program does next: compute; call and wait until all of the call's transfers are
/// done; post transfers and continue; or wait for posted ones.
struct CommStep {
    enum class Kind : std::uint8_t { Compute, Call, Post, Wait };
    Kind kind = Kind::Compute;
    StageAction action{};             ///< Compute
    std::int32_t handle = 0;          ///< Post and Wait: the number of the post
    std::int32_t which = -1;          ///< Wait: one of its transfers; -1: all
    std::vector<PeerTransfer> ops{};  ///< Call, Post; Wait for one: that one
};
/// By rank.
using CommProgram = std::vector<std::vector<CommStep>>;

/// How Megatron's ranks exchange tensors: in blocking batches; posted in the steady phase
/// (overlap_p2p_comm); or posted in all phases (overlap_p2p_comm_warmup_flush).
enum class P2pMode : std::uint8_t { Batch, Overlap, OverlapFlush };

/// A framework's computations and communication calls as its own code makes them. The mode is
/// Megatron's; the others have one way.
Result<CommProgram> commProgram(Framework framework, const FrameworkOrder& order, P2pMode mode);

/// One rank's program: "0F0 C(sn,rn) A1(s1:0F1) wait1", with "&" inside a pair.
std::string programText(const std::vector<CommStep>& steps);

}  // namespace fabricast
