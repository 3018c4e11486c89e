#pragma once
#include "planner/comm/collective_groups.h"
#include "planner/estimate/pipeline_time.h"

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

namespace fabricast {

/// The least that a microbatch takes in one model chunk, each way.
struct PassFloor {
    double forward = 0.0;
    double backward = 0.0;
    double weight = 0.0;  ///< of backward: weight gradients
};

/// This is a step without what sharding adds, and at one site transfers between stages: of every
/// chunk its kernels, what its layers wait for of tensor, context and expert parallelism and for
/// the host; and around the passes the optimizer and the training loop. No step of the layout is
/// shorter.
struct StepFloor {
    std::vector<PassFloor> chunks;  ///< in the order in which a microbatch visits them
    SendTimes sends;                ///< where a pipeline is at several sites
    Receive receive = Receive::Overlap;
    std::int64_t siteRanks = 0;
    double around = 0.0;
};

/// Passes of chunks that were timed before, by what the chunks are made of.
class PassFloors {
public:
    /// Of a chunk of the same layers and ends of the model; nullptr where there was none.
    [[nodiscard]] const PassFloor* find(const ChunkView& chunk) const;
    const PassFloor& add(const ChunkView& chunk, const PassFloor& pass);

private:
    struct Known {
        bool first = false;
        bool last = false;
        std::int64_t layers = 0;
        std::int64_t sparse = 0;
        PassFloor pass;
    };
    std::vector<Known> known_;
};

/// `layers`: of each chunk, in the same order. `known` may be shared by layouts that differ in
/// nothing that changes what happens inside a chunk: its blocks and their groups are the same.
Result<StepFloor> stepFloor(const StepContext& context,
                            std::span<const std::int64_t> layers,
                            PassFloors& known);

/// The model as one chunk.
ChunkView wholeModel(const Scenario& scenario);
/// All passes of a microbatch at least: its chunks together, where they are not divided. For
/// layouts whose experts are not placed by the data ranks, and which copy nothing to the host.
Result<PassFloor> modelFloor(const StepContext& context, PassFloors& known);

/// Seconds that a layer waits at least for the transfers of one sample inside it, in micro-batches
/// of any size up to the scenario's, and wherever the layer is.
struct LayerWait {
    double forward = 0.0;
    double backward = 0.0;

    friend bool operator==(const LayerWait&, const LayerWait&) = default;
};
struct LayerWaits {
    LayerWait dense;
    LayerWait sparse;  ///< of layers with experts

    friend bool operator==(const LayerWaits&, const LayerWaits&) = default;
};
Result<LayerWaits> leastWaits(const Scenario& scenario,
                              const SoftwareTiming& software,
                              CommClock& clock);

/// One model's layers' weights as a rank has them, which layouts that divide layers alike share: to
/// make the lists takes as long as all that is read of them.
class KnownTensors {
public:
    /// Those of the scenario, empty at first: to be filled by who asks. Those of another model are
    /// forgotten.
    WeightLists& of(const Scenario& scenario);

private:
    struct Known {
        KernelSettings kernels;
        WeightLists lists;
    };
    ModelSpec model_;
    /// By tp, ep, etp, and the engine.
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, Engine>, std::vector<Known>>
        known_;
    WeightLists others_;  ///< where some weights are frozen
};

/// Seconds that a step waits at least beyond its passes for what is moved once a step: gradients
/// and parameters of the first stage.
Result<double> leastTail(const Scenario& scenario,
                         const SoftwareTiming& software,
                         CommClock& clock,
                         WeightLists& lists);

/// What a sample takes at least in micro-batches of any size up to the scenario's, on a GPU that
/// loses nothing to part-filled waves (`smooth`). The scenario recomputes nothing.
Result<ModelTime> leastPerSample(const Scenario& scenario, const KernelProfile& smooth);
/// The same, made of what all of the micro-batch takes.
ModelTime leastPerSample(const Scenario& scenario, ModelTime ofMicroBatch);

/// The fewest seconds of one operation in matrix multiplies.
double leastPerFlop(const Settings& settings, const KernelProfile& limits);

}  // namespace fabricast
