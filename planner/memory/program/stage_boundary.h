#pragma once
#include "planner/memory/device/device.h"
#include "planner/memory/program/ordered_stages.h"
#include "planner/memory/program/stage_program.h"

#include <memory>

namespace fabricast {

/// Who holds the tensors that cross the ends of a pipeline stage, and for how long. The step walk
/// asks for what a pass reads and hands over what it made; a reference goes with each storage.
class StageBoundary {
public:
    StageBoundary(Device& device, const StageProgram& program)
        : device_(device), program_(program) {}
    StageBoundary(const StageBoundary&) = delete;
    StageBoundary& operator=(const StageBoundary&) = delete;
    virtual ~StageBoundary() = default;

    /// Takes what is held between steps.
    virtual void hold() {}
    /// The action of this index in the order is next.
    virtual void beforeAction(std::size_t /*index*/) {}
    /// The activation received for a forward; kNoStorage on the model's first chunk.
    virtual Storage input(const PipelineAction& action) = 0;
    /// What a forward sends on; kNoStorage on the model's last chunk.
    virtual void takeOutput(const PipelineAction& action, Storage output) = 0;
    /// The gradient received for a backward; kNoStorage on the model's last chunk.
    virtual Storage outputGradient(const PipelineAction& action) = 0;
    /// The gradient that a backward sends back; kNoStorage on the model's first chunk.
    virtual void takeInputGradient(const PipelineAction& action, Storage gradient) = 0;
    /// Whether all that forwards have sent is kept until the first backward.
    [[nodiscard]] virtual bool keepsOutputsTogether() const { return false; }
    /// The schedule's function returns.
    virtual void end() {}

protected:
    [[nodiscard]] const StageChunk& chunk(int index) const {
        return program_.chunks[static_cast<std::size_t>(index)];
    }
    Storage receiveActivation(int index) {
        const std::int64_t bytes = chunk(index).receivedBytes;
        return bytes > 0 ? device_.take(bytes, MemoryKind::Activations, 0, "received activation")
                         : kNoStorage;
    }
    Storage receiveGradient(int index) {
        const std::int64_t bytes = chunk(index).sentBytes;
        return bytes > 0 ? device_.take(bytes, MemoryKind::Backward, 0, "received gradient")
                         : kNoStorage;
    }
    void drop(Storage storage) {
        if (storage != kNoStorage) {
            device_.release(storage);
        }
    }

    Device& device_;
    const StageProgram& program_;
};

/// What is received and sent lives as long as the pass that needs it.
class PassBoundary final : public StageBoundary {
public:
    using StageBoundary::StageBoundary;
    Storage input(const PipelineAction& action) override { return receiveActivation(action.chunk); }
    void takeOutput(const PipelineAction& /*action*/, Storage output) override { drop(output); }
    Storage outputGradient(const PipelineAction& action) override {
        return receiveGradient(action.chunk);
    }
    void takeInputGradient(const PipelineAction& /*action*/, Storage gradient) override {
        drop(gradient);
    }
};

}  // namespace fabricast
