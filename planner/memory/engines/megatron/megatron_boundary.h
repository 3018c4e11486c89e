#pragma once
#include "planner/memory/program/stage_boundary.h"

#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace fabricast {

/// A received activation, with its gradient once backward has made it; freed with its last owner.
class InputTensor {
public:
    InputTensor(Device& device, Storage data) : device_(device), data_(data) {}
    InputTensor(const InputTensor&) = delete;
    InputTensor& operator=(const InputTensor&) = delete;
    ~InputTensor();
    void setGradient(Storage gradient) { gradient_ = gradient; }
    [[nodiscard]] Storage data() const { return data_; }

private:
    Device& device_;
    Storage data_;
    Storage gradient_ = kNoStorage;
};

/// A chunk's output. Its graph ends in the received activation: while code has a name for the
/// output, that activation is alive too. Its own bytes are freed once they are sent, unless
/// `deallocate_pipeline_outputs` is off.
class OutputTensor {
public:
    OutputTensor(Device& device, Storage data, std::shared_ptr<InputTensor> input)
        : device_(device), data_(data), input_(std::move(input)) {}
    OutputTensor(const OutputTensor&) = delete;
    OutputTensor& operator=(const OutputTensor&) = delete;
    ~OutputTensor() { free(); }
    void free();
    [[nodiscard]] const std::shared_ptr<InputTensor>& input() const { return input_; }

private:
    Device& device_;
    Storage data_;
    std::shared_ptr<InputTensor> input_;
};

/// This is what megatron-core's schedules keep: lists of inputs and outputs in flight, the
/// variables of the schedule's function, and every model chunk's last input, which stays until its
/// next one, across steps.
class MegatronBoundary : public StageBoundary {
public:
    /// `warmUp`: forwards before the first backward's turn.
    struct Options {
        std::int64_t warmUp = 0;
        bool freesOutputs = true;
    };
    MegatronBoundary(Device& device, const StageProgram& program, const Options& options);
    void hold() override;
    void end() override;

protected:
    using Input = std::shared_ptr<InputTensor>;
    using Output = std::shared_ptr<OutputTensor>;
    using Key = std::pair<int, std::int64_t>;
    static Key keyOf(const PipelineAction& action) { return {action.chunk, action.microBatch}; }

    Input receiveInput(int chunk);
    /// The chunk's model is given its input. Returns a reference for the forward.
    Storage giveToModel(int chunk, const Input& input);
    void freeOutput(const Output& output);
    void setVariable(Storage& variable, Storage value);
    virtual void dropVariables() = 0;

    std::map<Key, Output> inFlight_;
    std::int64_t warmUp_;

private:
    /// A chunk's last input and its gradient, as the step before left them.
    struct Kept {
        Storage data = kNoStorage;
        Storage gradient = kNoStorage;
        std::int64_t bytes = 0;
        Input now;
    };
    std::vector<Kept> kept_;
    bool freesOutputs_;
};

/// forward_backward_pipelining_without_interleaving.
class OneFOneBBoundary final : public MegatronBoundary {
public:
    using MegatronBoundary::MegatronBoundary;
    Storage input(const PipelineAction& action) override;
    void takeOutput(const PipelineAction& action, Storage output) override;
    Storage outputGradient(const PipelineAction& action) override;
    void takeInputGradient(const PipelineAction& action, Storage gradient) override;

private:
    void dropVariables() override;

    Input inputTensor_;
    Output outputTensor_;
    Storage outputTensorGrad_ = kNoStorage;
    Storage inputTensorGrad_ = kNoStorage;
    std::int64_t forwards_ = 0;
    bool received_ = false;  ///< the next backward's gradient came right after a forward
};

}  // namespace fabricast
