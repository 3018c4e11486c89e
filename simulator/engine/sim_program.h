#pragma once
#include "planner/base/units.h"
#include "simulator/core/sim_time.h"
#include "simulator/network/fair_share.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {

using OpIndex = std::uint32_t;
using ActorIndex = std::uint32_t;
inline constexpr OpIndex kNoOp = std::numeric_limits<OpIndex>::max();
inline constexpr std::uint32_t kNoFlow = std::numeric_limits<std::uint32_t>::max();

/// The lanes of an actor. Each runs its ops in the order they were added; transfers between
/// actors (Pipeline) run concurrently.
enum class SimStream : std::uint8_t { Compute, Tensor, Expert, Data, Pipeline, Copy, Host, Count_ };
inline constexpr std::size_t kSimStreams = static_cast<std::size_t>(SimStream::Count_);

/// What an op is: for reports, and for what its actor is slowed by.
enum class SimKind : std::uint8_t {
    Forward,
    Backward,
    InputGradient,
    WeightGradient,
    HandOver,
    Transfer,  ///< during the kernels of a pass
    Meeting,   ///< takes nothing: several actors are ready
    Gather,
    Reduce,
    SharedGradient,
    Bookkeeping,
    Optimizer,
    Loop
};

struct SimOp {
    SimTime duration{};
    ActorIndex actor = 0;
    std::int32_t microBatch = -1;  ///< -1: once a step
    std::int16_t stage = -1;       ///< of the model; -1: all that the actor has
    SimKind kind = SimKind::Forward;
    SimStream stream = SimStream::Compute;
    bool slowed = false;  ///< kernels, slowed by concurrent ops with `slows` on their actor
    bool slows = false;
    std::uint32_t flow = kNoFlow;  ///< of the program's; kNoFlow: it shares nothing
};

/// The share of links that transfers of one kind use at full speed.
struct SimFlow {
    std::vector<ResourceUse> uses;  ///< of each link's rate, the share
    double weight = 1.0;            ///< of two that share a full link, speeds are as the weights
};

/// Bytes that an op brings from one actor to another, once `made` has made them.
struct SimHop {
    OpIndex op = kNoOp;
    OpIndex made = kNoOp;
    ActorIndex from = 0;
    ActorIndex to = 0;
    Bytes bytes;
};

/// This is what every actor of a simulation does: ops on streams, and what they wait for. An actor
/// is a rank, or represents all ranks that do the same at the same time.
///     SimProgram program({.actors = 2});
///     const OpIndex made = program.add({.duration = simTime(Seconds(1e-3)), .actor = 0});
///     const OpIndex used = program.add({.duration = simTime(Seconds(2e-3)), .actor = 1});
///     program.wait(used, made);
class SimProgram {
public:
    struct Setting {
        ActorIndex actors = 1;
        double contention = 0.0;  ///< of their rate, what kernels lose during ops with `slows`
    };
    struct Edge {
        OpIndex op = kNoOp;
        OpIndex after = kNoOp;
    };

    explicit SimProgram(Setting setting);

    OpIndex add(const SimOp& op);
    /// `op` starts when `after` has ended, not before. What is waited for may be added later.
    void wait(OpIndex op, OpIndex after);
    void hop(const SimHop& hop) { hops_.push_back(hop); }
    void setFlows(std::vector<SimFlow> flows) { flows_ = std::move(flows); }

    [[nodiscard]] const Setting& setting() const { return setting_; }
    [[nodiscard]] const std::vector<SimOp>& ops() const { return ops_; }
    [[nodiscard]] const std::vector<Edge>& edges() const { return edges_; }
    [[nodiscard]] const std::vector<SimHop>& hops() const { return hops_; }
    /// What the flow of ops means; ops whose flow uses nothing run as if alone.
    [[nodiscard]] const std::vector<SimFlow>& flows() const { return flows_; }
    /// The op that follows on its stream; kNoOp for the last one.
    [[nodiscard]] const std::vector<OpIndex>& next() const { return next_; }

private:
    Setting setting_;
    std::vector<SimOp> ops_;
    std::vector<OpIndex> next_;
    std::vector<OpIndex> lastOf_;  ///< by actor and stream
    std::vector<Edge> edges_;
    std::vector<SimHop> hops_;
    std::vector<SimFlow> flows_;
};

/// "backward of microbatch 3 in stage 1, rank 1".
std::string opText(const SimOp& op);

}  // namespace fabricast
