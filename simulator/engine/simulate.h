#pragma once
#include "planner/base/result.h"
#include "simulator/engine/sim_program.h"

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

namespace fabricast {

/// What happened when. Every byte that was sent has arrived, and every op has run: that is checked.
struct SimRun {
    SimTime makespan;
    std::vector<SimTime> start;  ///< by op
    std::vector<SimTime> end;
    std::vector<OpIndex> cause;   ///< what ended as it started: the last it waited for, or kNoOp
    std::vector<Bytes> sent;      ///< by actor
    std::vector<Bytes> received;  ///< likewise
    std::uint64_t events = 0;

    [[nodiscard]] SimTime lasted(OpIndex op) const { return end[op] - start[op]; }
};

/// Runs a program: an op starts as soon as the op before it on its stream and all that it waits for
/// have ended. Kernels lose the program's contention of their rate while something that slows them
/// runs on their actor. Events of one time happen in the order they were planned in, so that equal
/// programs give equal runs. Ops that wait for each other are an error that names some of them.
/// A stop is noticed within a few thousand events.
///     FABRICAST_ASSIGN(const SimRun run, simulate(program));
Result<SimRun> simulate(const SimProgram& program, const std::stop_token& stop = {});

/// Some of the ops that never start, in their order; `waits` is by op.
Error deadlockOf(const SimProgram& program, std::span<const std::uint32_t> waits);

/// Fills in what each actor sent and received. No hop begins before its bytes are made, and what
/// is sent arrives.
void countBytes(const SimProgram& program, SimRun& run);

}  // namespace fabricast
