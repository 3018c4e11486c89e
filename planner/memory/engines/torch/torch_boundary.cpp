#include "planner/memory/engines/torch/torch_boundary.h"

namespace fabricast {

/// Of the microbatches that are not walked, what would be alive at the end of the step.
void TorchBoundary::hold() {
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < program_.chunks.size(); ++i) {
        const StageChunk& mine = program_.chunks[i];
        bytes += isLast(static_cast<int>(i)) ? mine.receivedBytes : 0;
        bytes += options_.sends == TorchSends::Runtime ? mine.receivedBytes : 0;
    }
    furtherBytes_ = options_.further * bytes;
}

void TorchBoundary::dropAll(Held& held) {
    for (const auto& [key, storage] : held) {
        drop(storage);
    }
    held.clear();
}

void TorchBoundary::dropOne(Held& held, const Key& key) {
    if (const auto found = held.find(key); found != held.end()) {
        drop(found->second);
        held.erase(found);
    }
}

void TorchBoundary::dropSentGradients() {
    for (const Storage gradient : sentGradients_) {
        drop(gradient);
    }
    sentGradients_.clear();
}

void TorchBoundary::beforeAction(std::size_t index) {
    if (index == 0 && furtherBytes_ > 0) {
        further_ =
            device_.take(furtherBytes_, MemoryKind::Activations, 0, "sent by further microbatches");
    }
    if (index >= options_.receives.size()) {
        return;
    }
    for (const PipelineAction& posted : options_.receives[index]) {
        (posted.forward ? postedInputs_ : postedGradients_)[keyOf(posted)] =
            posted.forward ? receiveActivation(posted.chunk) : receiveGradient(posted.chunk);
    }
}

/// What was posted for the action, or else is received now.
Storage TorchBoundary::take(Held& posted, const PipelineAction& action) {
    if (const auto found = posted.find(keyOf(action)); found != posted.end()) {
        const Storage storage = found->second;
        posted.erase(found);
        return storage;
    }
    return action.forward ? receiveActivation(action.chunk) : receiveGradient(action.chunk);
}

Storage TorchBoundary::input(const PipelineAction& action) {
    const Storage received = take(postedInputs_, action);
    if (received != kNoStorage) {
        device_.retain(received);
        inputs_[keyOf(action)] = received;
    }
    return received;
}

void TorchBoundary::takeOutput(const PipelineAction& action, Storage output) {
    if (options_.sends == TorchSends::OneFOneB) {
        dropAll(outputs_);
    }
    if (output != kNoStorage) {
        outputs_[keyOf(action)] = output;
    }
}

Storage TorchBoundary::outputGradient(const PipelineAction& action) {
    if (options_.sends == TorchSends::Gpipe) {
        dropAll(outputs_);
    }
    const Storage gradient = take(postedGradients_, action);
    if (gradient != kNoStorage) {
        device_.retain(gradient);
        received_[keyOf(action)] = gradient;
    }
    if (options_.sends == TorchSends::OneFOneB) {
        dropAll(outputs_);
    } else if (options_.sends == TorchSends::Gpipe) {
        dropSentGradients();
    }
    return gradient;
}

void TorchBoundary::takeInputGradient(const PipelineAction& action, Storage gradient) {
    dropOne(received_, keyOf(action));
    if (!isLast(action.chunk)) {
        dropOne(inputs_, keyOf(action));
    }
    if (options_.sends == TorchSends::OneFOneB) {
        dropSentGradients();
    } else if (options_.sends == TorchSends::Runtime) {
        dropOne(outputs_, keyOf(action));
    }
    if (gradient != kNoStorage) {
        sentGradients_.push_back(gradient);
    }
}

void TorchBoundary::end() {
    dropAll(inputs_);
    dropAll(outputs_);
    dropSentGradients();
    drop(further_);
}

}  // namespace fabricast
