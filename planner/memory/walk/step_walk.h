#pragma once
#include "planner/base/watch.h"
#include "planner/memory/device/device.h"
#include "planner/memory/program/engine.h"
#include "planner/memory/program/ordered_stages.h"
#include "planner/memory/program/stage_boundary.h"
#include "planner/memory/program/stage_program.h"
#include "planner/memory/walk/segment_walk.h"
#include "planner/result/memory_names.h"
#include "planner/spec/scenario.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// What a loop over evaluation's batches keeps of their logits.
struct KeptLogits {
    std::int64_t batches = 0;  ///< 0: none
    std::int64_t bytes = 0;    ///< of one batch and all ranks
    std::int64_t widened = 0;  ///< of one batch in fp32, as autocast's outputs are made; 0: not
    bool held = false;  ///< a batch's own have a name until the next has made its (torchtitan)
};

/// Walks one training step of one rank on the device: states, forwards and backwards in pipeline
/// order with the engine's hooks around them, then the optimizer.
class StepWalk {
public:
    StepWalk(Device& device, ParallelEngine& engine, const StageProgram& program, bool autocast);
    /// A stop ends it between two passes.
    Result<void> run(const PipelineOrder& order, StageBoundary& boundary, const Watch& watch = {});
    /// What came before the run counts: loading may be the fullest moment.
    void keepPeak() { keepsPeak_ = true; }
    /// After the run: forwards of an evaluation's batches, of which no graph is kept.
    void evaluate(const KeptLogits& kept);
    /// The run writes here what is live after each action, and the most within it.
    void keepMarks(MemoryMarks& marks) { marks_ = &marks; }
    /// Live bytes before the step, its batch included.
    [[nodiscard]] std::int64_t betweenSteps() const { return betweenSteps_; }
    /// What autograd saves goes to the host where that is asked for, in the framework's way; a
    /// checkpoint's input too.
    void saveOnHost(const Scenario& scenario);
    /// The most that lay there.
    [[nodiscard]] std::int64_t savedOnHost() const { return hostSaves_.most; }
    /// How many of the device's events made the states.
    [[nodiscard]] std::size_t statesEnd() const { return statesEnd_; }

private:
    /// What one microbatch left behind.
    struct Pass {
        std::vector<Frame> frames;
        std::vector<Storage> inputs;       ///< of checkpointed segments
        std::vector<std::int64_t> packed;  ///< bytes of the same on the host
        std::vector<Storage> tables;
        Storage output = kNoStorage;
        Storage embedded = kNoStorage;    ///< the embedding's output, while the layers run
        Storage hidden = kNoStorage;      ///< head's input, while the model's forward runs
        Storage logits = kNoStorage;      ///< where the pipeline's stage keeps its output
        std::vector<Storage> variables;   ///< of a checkpoint that runs backward inside its own
        std::vector<std::size_t> layers;  ///< the frames of those that forward is behind
        std::size_t moved = 0;            ///< layers that are on the host
        int chunk = 0;
    };
    struct Alive;
    void holdBetweenSteps(StageBoundary& boundary);
    void runForward(const PipelineAction& action, Alive& alive);
    void runBackward(const PipelineAction& action, Alive& alive);
    void releaseAll(std::vector<Storage>& storages);
    void endMark();
    void drop(Storage& storage);
    void keepInput(Storage input, Pass& pass);
    void commitForward(const PlacedSegment& segment, Pass& pass);
    void commitBackward(const PlacedSegment& segment, Pass& pass);
    [[nodiscard]] const SegmentPlace& placeOf(const Pass& pass, std::size_t frame) const;
    Pass forward(int chunk, Storage received);
    void releaseTables(const Pass& pass);
    [[nodiscard]] Keep keepOf(const PlacedSegment& segment) const {
        return keepsGraph_ ? keepFor(segment.checkpoint) : Keep::Nothing;
    }
    void leaveInput(Storage input, const PlacedSegment& segment, Pass& pass);
    Storage joinLogits(const KeptLogits& kept, std::int64_t before, Storage all, Storage made);
    void enterAround(int module, bool inBackward);
    [[nodiscard]] ModuleCall callAround(int module) const;
    [[nodiscard]] static std::vector<Storage> tablesOf(const PlacedSegment& segment,
                                                       const Pass& pass);
    Storage chunkedLoss(Storage hidden);
    /// Consumes the gradient of what was sent; returns that of what was received.
    Storage backward(Pass pass, Storage received);
    void runCheckpoint(std::size_t last, Storage input, Pass& pass, Storage gradient);
    Storage backwardSegment(std::size_t segment, Pass& pass, Storage gradient);
    [[nodiscard]] std::vector<Storage> given(const PlacedSegment& segment,
                                             Storage input,
                                             const Pass& pass) const;

    Device& device_;
    ParallelEngine& engine_;
    const StageProgram& program_;
    CastCache casts_;
    SegmentWalk walk_;
    HostSaves hostSaves_;
    bool savesOnHost_ = false;           ///< by node
    bool passesHead_ = false;            ///< but for the head
    std::vector<std::int64_t> windows_;  ///< of Transformer Engine's offload, by layer
    bool keepsPeak_ = false;
    bool keepsGraph_ = true;
    std::vector<Storage> persistentTables_;
    std::int64_t betweenSteps_ = 0;
    std::size_t statesEnd_ = 0;
    MemoryMarks* marks_ = nullptr;
};

}  // namespace fabricast
