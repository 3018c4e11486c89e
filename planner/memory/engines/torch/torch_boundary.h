#pragma once
#include "planner/memory/engines/torch/receives.h"
#include "planner/memory/program/stage_boundary.h"

#include <map>
#include <utility>
#include <vector>

namespace fabricast {

/// How a schedule of torch.distributed.pipelining lets go of what it has sent.
enum class TorchSends {
    OneFOneB,  ///< an output by the next pass, a gradient by the next backward
    Gpipe,     ///< outputs when all forwards are done, a gradient by the next backward
    Runtime,   ///< an output when its own backward is done, gradients when the step is
};

/// This is what torch's pipeline schedules keep of the tensors between stages. What a pass received
/// stays until its backward is done; on the last chunk, whose losses are kept with their graphs,
/// until the end of the step.
class TorchBoundary final : public StageBoundary {
public:
    struct Options {
        TorchSends sends = TorchSends::OneFOneB;
        std::int64_t further = 0;  ///< microbatches of the step beside those that are walked
        ReceiveOrder receives{};   ///< which receives are posted ahead; empty: none is
    };
    TorchBoundary(Device& device, const StageProgram& program, Options options)
        : StageBoundary(device, program), options_(std::move(options)) {}
    void hold() override;
    void beforeAction(std::size_t index) override;
    Storage input(const PipelineAction& action) override;
    void takeOutput(const PipelineAction& action, Storage output) override;
    Storage outputGradient(const PipelineAction& action) override;
    void takeInputGradient(const PipelineAction& action, Storage gradient) override;
    [[nodiscard]] bool keepsOutputsTogether() const override {
        return options_.sends == TorchSends::Gpipe;
    }
    void end() override;

private:
    using Key = std::pair<int, std::int64_t>;
    using Held = std::map<Key, Storage>;
    static Key keyOf(const PipelineAction& action) { return {action.chunk, action.microBatch}; }
    [[nodiscard]] bool isLast(int index) const { return chunk(index).sentBytes == 0; }
    Storage take(Held& posted, const PipelineAction& action);
    void dropAll(Held& held);
    void dropOne(Held& held, const Key& key);
    void dropSentGradients();

    Options options_;
    Held postedInputs_;
    Held postedGradients_;
    Held inputs_;    ///< received, until the pass's backward is done
    Held received_;  ///< gradients of outputs, until that backward is done
    Held outputs_;   ///< sent
    std::vector<Storage> sentGradients_;
    std::int64_t furtherBytes_ = 0;
    Storage further_ = kNoStorage;
};

}  // namespace fabricast
