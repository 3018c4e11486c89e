#include "planner/memory/engines/megatron/megatron_boundary.h"

namespace fabricast {

InputTensor::~InputTensor() {
    for (const Storage storage : {data_, gradient_}) {
        if (storage != kNoStorage) {
            device_.release(storage);
        }
    }
}

void OutputTensor::free() {
    if (data_ != kNoStorage) {
        device_.release(data_);
        data_ = kNoStorage;
    }
}

MegatronBoundary::MegatronBoundary(Device& device,
                                   const StageProgram& program,
                                   const Options& options)
    : StageBoundary(device, program),
      warmUp_(options.warmUp),
      kept_(program.chunks.size()),
      freesOutputs_(options.freesOutputs) {}

void MegatronBoundary::hold() {
    for (std::size_t i = 0; i < kept_.size(); ++i) {
        const std::int64_t bytes = program_.chunks[i].receivedBytes;
        kept_[i].bytes = bytes;
        kept_[i].data = device_.take(bytes, MemoryKind::Activations, 0, "last received activation");
        kept_[i].gradient = device_.take(bytes, MemoryKind::Backward, 0, "its gradient");
    }
}

MegatronBoundary::Input MegatronBoundary::receiveInput(int chunk) {
    const Storage data = receiveActivation(chunk);
    return data == kNoStorage ? nullptr : std::make_shared<InputTensor>(device_, data);
}

Storage MegatronBoundary::giveToModel(int chunk, const Input& input) {
    if (input == nullptr) {
        return kNoStorage;
    }
    Kept& kept = kept_[static_cast<std::size_t>(chunk)];
    kept.now = input;
    device_.resize(kept.data, 0);
    device_.resize(kept.gradient, 0);
    device_.retain(input->data());
    return input->data();
}

void MegatronBoundary::freeOutput(const Output& output) {
    if (freesOutputs_) {
        output->free();
    }
}

void MegatronBoundary::setVariable(Storage& variable, Storage value) {
    drop(variable);
    variable = value;
}

void MegatronBoundary::end() {
    inFlight_.clear();
    dropVariables();
    for (Kept& kept : kept_) {
        kept.now.reset();
        device_.resize(kept.data, kept.bytes);
        device_.resize(kept.gradient, kept.bytes);
    }
}

Storage OneFOneBBoundary::input(const PipelineAction& action) {
    inputTensor_ = receiveInput(action.chunk);
    return giveToModel(action.chunk, inputTensor_);
}

void OneFOneBBoundary::takeOutput(const PipelineAction& action, Storage output) {
    outputTensor_ = std::make_shared<OutputTensor>(device_, output, inputTensor_);
    inFlight_[keyOf(action)] = outputTensor_;
    received_ = forwards_++ >= warmUp_;
    if (received_) {
        setVariable(outputTensorGrad_, receiveGradient(action.chunk));
    }
    freeOutput(outputTensor_);
}

Storage OneFOneBBoundary::outputGradient(const PipelineAction& action) {
    const auto found = inFlight_.find(keyOf(action));
    inputTensor_ = found->second->input();
    outputTensor_ = found->second;
    inFlight_.erase(found);
    if (!received_) {
        setVariable(outputTensorGrad_, receiveGradient(action.chunk));
    }
    received_ = false;
    if (outputTensorGrad_ != kNoStorage) {
        device_.retain(outputTensorGrad_);
    }
    return outputTensorGrad_;
}

void OneFOneBBoundary::takeInputGradient(const PipelineAction& /*action*/, Storage gradient) {
    if (gradient == kNoStorage) {
        return;
    }
    device_.retain(gradient);
    inputTensor_->setGradient(gradient);
    setVariable(inputTensorGrad_, gradient);
}

void OneFOneBBoundary::dropVariables() {
    inputTensor_.reset();
    outputTensor_.reset();
    setVariable(outputTensorGrad_, kNoStorage);
    setVariable(inputTensorGrad_, kNoStorage);
}

}  // namespace fabricast
