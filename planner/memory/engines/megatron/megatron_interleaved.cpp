#include "planner/memory/engines/megatron/megatron_interleaved.h"

namespace fabricast {

namespace {
std::size_t at(std::int64_t index) {
    return static_cast<std::size_t>(index);
}
}  // namespace

InterleavedBoundary::InterleavedBoundary(Device& device,
                                         const StageProgram& program,
                                         const PipelineOrder& order,
                                         const Place& place)
    : MegatronBoundary(device, program, place.options),
      place_(place),
      inputs_(program.chunks.size()),
      gradients_(program.chunks.size()) {
    for (const PipelineAction& action : order.actions) {
        if (action.forward) {
            chunks_.push_back(action.chunk);
        }
    }
}

/// The ranks follow each other: what comes next is what the neighbour has just made. On the rank
/// that leads, it comes round the ring from a chunk further on.
int InterleavedBoundary::receives(std::int64_t pass, bool forward) const {
    const auto chunks = static_cast<int>(inputs_.size());
    const auto chunkOf = [&](std::int64_t index) {
        const int chunk = chunks_[at(index)];
        return forward ? chunk : chunks - 1 - chunk;
    };
    const bool leads = place_.stage == (forward ? 0 : place_.stages - 1);
    if (!leads) {
        return pass + 1 < count() ? chunkOf(pass + 1) : -1;
    }
    const std::int64_t sent = pass - (place_.stages - 1);
    if (sent < 0) {
        return -1;
    }
    const int next = chunkOf(sent) + (forward ? 1 : -1);
    return next >= 0 && next < chunks ? next : -1;
}

/// At the end of a pass. The last forward of all receives no activation, the last backward no
/// gradient.
void InterleavedBoundary::receive(bool activation, bool gradient) {
    const int next = activation && forwards_ < count() ? receives(forwards_ - 1, true) : -1;
    const int nextGradient =
        gradient && backwards_ < count() ? receives(backwards_ - 1, false) : -1;
    const Input input = next >= 0 ? receiveInput(next) : nullptr;
    const Storage received = nextGradient >= 0 ? receiveGradient(nextGradient) : kNoStorage;
    if (activation) {
        inputTensor_ = input;
    }
    if (gradient) {
        if (received != kNoStorage) {
            device_.retain(received);
        }
        setVariable(outputTensorGrad_, received);
    }
    if (next >= 0) {
        inputs_[at(next)].push_back(input);
    }
    if (nextGradient >= 0) {
        gradients_[at(nextGradient)].push_back(received);
    }
}

Storage InterleavedBoundary::input(const PipelineAction& action) {
    std::deque<Input>& waiting = inputs_[at(action.chunk)];
    if (waiting.empty()) {  // the model's first chunk, or the very first activation
        waiting.push_back(receiveInput(action.chunk));
    }
    popped_ = waiting.front();
    waiting.pop_front();
    return giveToModel(action.chunk, popped_);
}

/// In the warm-up, activations are received here; the first gradient comes with its last one.
void InterleavedBoundary::takeOutput(const PipelineAction& action, Storage output) {
    const auto made = std::make_shared<OutputTensor>(device_, output, popped_);
    popped_.reset();
    inFlight_[keyOf(action)] = made;
    outputTensor_ = output == kNoStorage ? nullptr : made;
    ++forwards_;
    if (forwards_ > warmUp_) {  // freed after the backward that follows
        return;
    }
    const bool firstGradient = forwards_ == warmUp_ && warmUp_ < count();
    receive(true, false);
    if (firstGradient && place_.stage + 1 < place_.stages) {
        const int chunk = static_cast<int>(inputs_.size()) - 1 - chunks_.front();
        const Storage received = receiveGradient(chunk);
        device_.retain(received);
        setVariable(outputTensorGrad_, received);
        gradients_[at(chunk)].push_back(received);
    }
    freeOutput(made);
}

Storage InterleavedBoundary::outputGradient(const PipelineAction& action) {
    const auto found = inFlight_.find(keyOf(action));
    popped_ = found->second->input();
    poppedOutput_ = found->second;
    inFlight_.erase(found);
    std::deque<Storage>& waiting = gradients_[at(action.chunk)];
    if (waiting.empty()) {
        waiting.push_back(receiveGradient(action.chunk));
    }
    poppedGradient_ = waiting.front();
    waiting.pop_front();
    if (poppedGradient_ != kNoStorage) {
        device_.retain(poppedGradient_);
    }
    return poppedGradient_;
}

void InterleavedBoundary::takeInputGradient(const PipelineAction& /*action*/, Storage gradient) {
    if (gradient != kNoStorage) {
        device_.retain(gradient);
        popped_->setGradient(gradient);
    }
    popped_.reset();
    poppedOutput_.reset();
    setVariable(poppedGradient_, kNoStorage);
    setVariable(inputTensorGrad_, gradient);
    const bool steady = ++backwards_ + warmUp_ <= count();
    receive(steady, true);
    if (steady && outputTensor_ != nullptr) {
        freeOutput(outputTensor_);
    }
}

void InterleavedBoundary::dropVariables() {
    inputTensor_.reset();
    outputTensor_.reset();
    popped_.reset();
    setVariable(outputTensorGrad_, kNoStorage);
    setVariable(inputTensorGrad_, kNoStorage);
    for (std::deque<Storage>& waiting : gradients_) {
        for (const Storage gradient : waiting) {
            drop(gradient);
        }
        waiting.clear();
    }
}

}  // namespace fabricast
