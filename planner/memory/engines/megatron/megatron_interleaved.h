#pragma once
#include "planner/memory/engines/megatron/megatron_boundary.h"

#include <deque>
#include <vector>

namespace fabricast {

/// forward_backward_pipelining_with_interleaving, without overlapped communication: the tensors of
/// the next pass are received at the end of this one, and an output is freed after them.
class InterleavedBoundary final : public MegatronBoundary {
public:
    struct Place {
        std::int64_t stage = 0;
        std::int64_t stages = 1;
        Options options;
    };
    InterleavedBoundary(Device& device,
                        const StageProgram& program,
                        const PipelineOrder& order,
                        const Place& place);
    Storage input(const PipelineAction& action) override;
    void takeOutput(const PipelineAction& action, Storage output) override;
    Storage outputGradient(const PipelineAction& action) override;
    void takeInputGradient(const PipelineAction& action, Storage gradient) override;

private:
    void dropVariables() override;
    /// The chunk that pass `pass` receives for; -1: nothing comes.
    [[nodiscard]] int receives(std::int64_t pass, bool forward) const;
    void receive(bool activation, bool gradient);
    [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(chunks_.size()); }

    Place place_;
    std::vector<int> chunks_;  ///< of the forwards, in order; the backwards mirror them
    std::vector<std::deque<Input>> inputs_;       ///< by chunk
    std::vector<std::deque<Storage>> gradients_;  ///< by chunk
    Input inputTensor_;
    Output outputTensor_;
    Input popped_;  ///< of the pass that runs
    Output poppedOutput_;
    Storage poppedGradient_ = kNoStorage;
    Storage outputTensorGrad_ = kNoStorage;
    Storage inputTensorGrad_ = kNoStorage;
    std::int64_t forwards_ = 0;
    std::int64_t backwards_ = 0;
};

}  // namespace fabricast
