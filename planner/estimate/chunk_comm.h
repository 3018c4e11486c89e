#pragma once
#include "planner/comm/engine_calls.h"
#include "planner/estimate/comm_clock.h"
#include "planner/evidence/software_timing.h"
#include "planner/spec/scenario.h"

#include <cstdint>
#include <vector>

namespace fabricast {

enum class Way { Forward, Backward };

/// Seconds of transfers for one microbatch of a chunk in one direction, by what can hide them.
struct CommSeconds {
    double tensor = 0.0;
    double recomputed = 0.0;  ///< of them, those of a second forward
    double regather = 0.0;    ///< inputs of weight gradients, gathered again during other work
    double context = 0.0;
    double expert = 0.0;
    double blockGather = 0.0;  ///< of the layers' parameters
    double endGather = 0.0;    ///< of the other units'
    double blockReduce = 0.0;
    double endReduce = 0.0;
    double shared = 0.0;   ///< gradients of weights that tensor parallel ranks hold whole
    double buffers = 0.0;  ///< of data parallel ranks: DDP's, before a forward
    /// What the network between nodes is busy for, whatever waits; only with experts, whose calls
    /// wait while others move parameters.
    double network = 0.0;
};

/// Which of the sums a call belongs to; a null pointer for transfers between stages, which the
/// order of microbatches times.
double CommSeconds::*sumOf(const CommCall& call);

/// What is moved for one microbatch of a chunk in one direction, in seconds if nothing hid it.
struct ChunkComm : CommSeconds {
    double copyBytes = 0.0;  ///< into and out of the buffers of gathers and reductions
    double calls = 0.0;
    double units = 0.0;  ///< gathered
};

/// Which transfers that are made once a step overlap with its passes, layer by layer, as in the
/// stack: gradients with the last backwards, parameters with the first forwards.
struct TailOverlap {
    bool reduce = false;
    bool gather = false;
};
TailOverlap tailOverlap(const Scenario& scenario);

/// Calls that are made for every microbatch; the others are made once a step, even if within one of
/// its passes.
bool isPerMicroBatch(const Scenario& scenario, const CommCall& call);

/// The calls of one chunk (of the rank's) in one direction; a second forward belongs to backward.
ChunkComm chunkComm(const Scenario& scenario,
                    const SoftwareTiming& software,
                    const std::vector<CommCall>& calls,
                    std::int32_t chunk,
                    Way way,
                    CommClock& clock);

/// What the transfers of a chunk can overlap with in one direction.
struct WorkBeside {
    Way way = Way::Forward;
    double device = 0.0;     ///< kernels of any kind
    double attention = 0.0;  ///< of them
    double weight = 0.0;     ///< of them: gradients of weights
    double layers = 0.0;
};

/// What the transfers add to that direction: the seconds in which nothing else runs, and the
/// slowdown of kernels by those that overlap with them. Each stack hides what its own code hides.
CommSeconds exposedComm(const Scenario& scenario,
                        const SoftwareTiming& software,
                        const CommSeconds& comm,
                        const WorkBeside& work);

}  // namespace fabricast
