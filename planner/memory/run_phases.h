#pragma once
#include "planner/base/result.h"
#include "planner/memory/device/device.h"
#include "planner/memory/program/engine.h"
#include "planner/memory/program/stage_program.h"
#include "planner/result/memory_breakdown.h"
#include "planner/spec/scenario.h"

#include <string_view>
#include <vector>

namespace fabricast {

/// What a run does beside its steps, on the device that the steps are walked on: loading before
/// the states are there, evaluation and a checkpoint behind the last step. Each has its own fullest
/// moment; a run with steps alone has none of this.
///     RunPhases phases(scenario, device);
///     phases.load(program);   … the step … phases.end("steps");
///     phases.evaluate(evaluated, engine);
///     phases.save(program, engine);
class RunPhases {
public:
    RunPhases(const Scenario& scenario, Device& device);
    /// Weights come to the GPU and are cut to shards, which the engine then holds.
    void load(const StageProgram& program);
    /// The phase that ran until now has this name.
    void end(std::string_view name);
    /// `program`: the stage's for the evaluation's batches.
    void evaluate(const StageProgram& program, ParallelEngine& engine);
    void save(const StageProgram& program, ParallelEngine& engine);

    [[nodiscard]] bool isAny() const { return isAny_; }
    [[nodiscard]] bool loads() const;
    [[nodiscard]] bool evaluates() const;
    [[nodiscard]] std::vector<PhasePeak> take() && { return std::move(peaks_); }

private:
    void loadUnit(const Unit& unit, std::vector<Storage>& wholes, std::vector<Storage>& shards);
    [[nodiscard]] std::vector<const Unit*> inOrder(const StageProgram& program) const;

    const Scenario& scenario_;
    Device& device_;
    bool isAny_ = false;
    std::vector<PhasePeak> peaks_;
};

/// The question of an evaluation's forward: its batch, nothing dropped out.
Scenario evaluatedScenario(const Scenario& scenario);

}  // namespace fabricast
