#pragma once
#include "planner/comm/engine_calls.h"
#include "planner/estimate/chunk_comm.h"
#include "planner/estimate/comm_clock.h"
#include "planner/estimate/segment_time.h"
#include "planner/evidence/host_evidence.h"
#include "planner/evidence/software_timing.h"
#include "planner/evidence/step_intervals.h"
#include "planner/result/step_estimate.h"
#include "planner/spec/scenario.h"

#include <cstdint>
#include <span>
#include <vector>

namespace fabricast {

/// What is moved for one microbatch in one direction, and what of it the direction waits for.
struct PassComm {
    CommSeconds moved;
    CommSeconds exposed;
};

/// One microbatch through one model chunk of one pipeline rank, each way.
struct ChunkTime {
    TimeByPart forward;
    TimeByPart backward;         ///< recompute, input and weight gradients
    TimeByPart recompute;        ///< of backward: kernels that a checkpoint runs again
    double weightSeconds = 0.0;  ///< of backward: weight gradients
    double sendSeconds = 0.0;    ///< handing one activation to the next stage
    double farSeconds = 0.0;     ///< the same, to a stage at another site
    PassComm forwardComm;
    PassComm backwardComm;
};

/// Everything of a step that is one rank's own.
struct StageTime {
    std::vector<ChunkTime> chunks;
    std::vector<CommCall> calls;   ///< all that it makes
    double gradientReduce = 0.0;   ///< once a step, all of it
    double parameterGather = 0.0;  ///< likewise
    double gatherCopies = 0.0;     ///< of parameters, out of what was gathered
    double sharedGradients = 0.0;  ///< tied embeddings, norms
    double bookkeeping = 0.0;      ///< gradient norm and the like
    double trained = 0.0;          ///< parameters of this rank, before sharding
    double trainedExperts = 0.0;
    double newtonSchulz = 0.0;  ///< seconds of Muon's products for them, before sharding
    double newtonSchulzExperts = 0.0;
};

/// See StageShape.
using WeightLists = decltype(StageView::layerLists);

struct StepContext {
    const Scenario& scenario;
    const KernelProfile& kernels;
    const SoftwareTiming& software;
    const ModelTime& model;
    CommClock& clock;
    const HostProfile& host;
    const StepInterval* interval = nullptr;  ///< of this evidence; may be missing
};
Result<StageTime> stageTime(const StepContext& context, const StageView& view);

/// A chunk of it with the calls inside its layers alone: parameters are not sharded, and nothing is
/// sent to other stages.
ChunkTime layersTime(const StepContext& context, const StageView& view, const ChunkView& chunk);
/// Adds the parameters of a chunk to those of its rank.
void addTrained(const ModelTime& model, const ChunkView& chunk, StageTime& stage);

/// Adds what a chunk's stage hands to the next, of the calls that it makes.
void addSends(std::span<const CommCall> calls, CommClock& clock, ChunkTime& chunk);
/// Adds the calls that are made once a step.
void addStepCalls(const Scenario& scenario,
                  const std::vector<CommCall>& calls,
                  CommClock& clock,
                  StageTime& stage);

/// All pipeline ranks of a step, in order. Ranks inside the pipeline that run as many layers of
/// each kind make the same calls and take the same time: one of them is timed.
/// `lists`: of its layers' weights, as far as they were made.
Result<std::vector<StageTime>> stageTimes(const StepContext& context, WeightLists& lists);

/// The optimizer's pass over a stage's states: gradients are cleared, their norm taken and scaled,
/// and the rank's share of moments and weights stepped. Ranks that share the states of Muon share
/// its matrices.
double optimizerSeconds(const StepContext& context, const StageTime& stage);
/// What it is made of.
OptimizerTerms optimizerTerms(const StepContext& context, const StageTime& stage);

/// What a rank does in one pass with the parameters and gradients that it keeps, beside the copies
/// of gathered parameters and whole gradients that `copies` of the software counts. Microbatches
/// after the first are added to the gradients. FSDP2 also casts its shards and puts them where a
/// gather reads them, and casts what a reduction leaves; on one rank, where nothing is sent, its
/// code copies all the same, unit by unit.
struct KeptWork {
    double bytes = 0.0;
    double units = 0.0;  ///< that no call stands for
};

/// `parameters`: those that are trained in the chunk of this rank, before they are sharded.
KeptWork keptWork(const Scenario& scenario, double parameters, double layers, Way way);

}  // namespace fabricast
