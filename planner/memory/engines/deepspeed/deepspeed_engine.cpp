#include "planner/memory/engines/deepspeed/deepspeed_engine.h"

#include "planner/memory/engines/deepspeed/zero_groups.h"

#include <numeric>

namespace fabricast {

namespace {

/// DeepSpeedEngine.allreduce_gradients flattens gradients in pieces of about this many elements.
constexpr std::int64_t kElementsPerReduce = 500'000'000;

}  // namespace

DeepSpeedEngine::DeepSpeedEngine(Device& device,
                                 const std::vector<Unit>& units,
                                 DeepSpeedOptions options)
    : device_(device), options_(options), parameters_(parameterTensors(units, options.width)) {
    for (const Unit& unit : units) {
        gradients_.emplace_back(unit.weights.size(), kNoStorage);
    }
    groupParameters(units);
    switch (options_.master) {
        case MasterCopy::None:
            stepped_ = parameters_;
            break;
        case MasterCopy::Flat:
            for (const FlatGroup& group : groups_) {
                stepped_.push_back({.elements = group.sum()});
            }
            break;
        case MasterCopy::PerParameter:
            stepped_ = parameterTensors(units, kFp32);
            break;
    }
}

std::int64_t DeepSpeedEngine::FlatGroup::sum() const {
    return std::accumulate(elements.begin(), elements.end(), std::int64_t{0});
}

void DeepSpeedEngine::groupParameters(const std::vector<Unit>& units) {
    std::vector<ZeroParameter> parameters;
    for (const bool expert : {false, true}) {
        for (std::size_t unit = 0; unit < units.size(); ++unit) {
            for (std::size_t weight = 0; weight < units[unit].weights.size(); ++weight) {
                const WeightUse& use = units[unit].weights[weight];
                if (use.trained && !use.tied && use.expert == expert) {
                    parameters.push_back({.unit = static_cast<int>(unit),
                                          .weight = static_cast<int>(weight),
                                          .elements = use.elements,
                                          .expert = expert});
                }
            }
        }
    }
    const ZeroGroups cut(parameters, {}, {});
    for (const ZeroGroups::Group& group : cut.groups()) {
        FlatGroup flat{.at = {}, .elements = {}, .experts = group.experts};
        for (std::size_t index = group.begin; index < group.end; ++index) {
            flat.at.emplace_back(parameters[index].unit, parameters[index].weight);
            flat.elements.push_back(parameters[index].elements);
        }
        groups_.push_back(std::move(flat));
    }
}

void DeepSpeedEngine::holdStates() {
    if (options_.master == MasterCopy::Flat) {  // the parameters are views of one buffer too
        for (const StepTensor& flat : stepped_) {
            device_.take(options_.width * flat.elements, MemoryKind::Weights, 0, "flat parameters");
        }
    } else {
        for (const StepTensor& parameter : parameters_) {
            device_.take(options_.width * parameter.elements, MemoryKind::Weights, 0, "parameters");
        }
    }
    for (const StepTensor& tensor : stepped_) {
        if (options_.master != MasterCopy::None) {
            device_.take(kFp32 * tensor.elements, MemoryKind::Optimizer, 0, "fp32 parameters");
        }
        device_.take(optimizerState(options_.optimizer, tensor).device, MemoryKind::Optimizer);
    }
}

void DeepSpeedEngine::takeGradient(int unit, int weight, Storage gradient) {
    Storage& mine = gradients_[static_cast<std::size_t>(unit)][static_cast<std::size_t>(weight)];
    if (mine == kNoStorage) {
        device_.rename(gradient, MemoryKind::Gradients);
        mine = gradient;
    } else {
        device_.release(gradient);  // added in place
    }
}

/// The engine all-reduces copies, flattened until they pass a fixed number of elements; those of
/// experts after the others.
void DeepSpeedEngine::endBackward() {
    if (lastMicroStep_) {
        reduceGradients(false);
        reduceGradients(true);
    }
}

void DeepSpeedEngine::reduceGradients(bool experts) {
    std::int64_t waiting = 0;
    const auto reduce = [&] {
        device_.release(
            device_.take(options_.width * waiting, MemoryKind::Communication, 0, "flat gradients"));
        waiting = 0;
    };
    for (const FlatGroup& group : groups_) {
        for (const std::int64_t elements : group.elements) {
            waiting += group.experts == experts ? elements : 0;
            if (waiting > kElementsPerReduce) {
                reduce();
            }
        }
    }
    if (waiting > 0) {
        reduce();
    }
}

void DeepSpeedEngine::dropGradient(std::size_t unit, std::size_t weight) {
    Storage& gradient = gradients_[unit][weight];
    if (gradient != kNoStorage) {
        device_.release(gradient);
        gradient = kNoStorage;
    }
}

void DeepSpeedEngine::dropGradients() {
    for (std::size_t unit = 0; unit < gradients_.size(); ++unit) {
        for (std::size_t weight = 0; weight < gradients_[unit].size(); ++weight) {
            dropGradient(unit, weight);
        }
    }
}

void DeepSpeedEngine::runOptimizer() {
    device_.release(
        device_.take(stepTemporaries(options_.optimizer, stepped_), MemoryKind::Optimizer));
}

/// Of each group every gradient is cast, then all are copied into one flat fp32 gradient; one
/// alone is that itself.
void DeepSpeedEngine::stepFlat() {
    std::vector<Storage> flats;
    for (const FlatGroup& group : groups_) {
        std::vector<Storage> casts;
        for (const std::int64_t elements : group.elements) {
            casts.push_back(
                device_.take(kFp32 * elements, MemoryKind::Gradients, 0, "fp32 gradients"));
        }
        if (casts.size() == 1) {
            flats.push_back(casts.front());
        } else {
            flats.push_back(
                device_.take(kFp32 * group.sum(), MemoryKind::Gradients, 0, "flat fp32 gradient"));
            for (const Storage cast : casts) {
                device_.release(cast);
            }
        }
        for (const auto& [unit, weight] : group.at) {
            dropGradient(unit, weight);
        }
    }
    runOptimizer();
    for (const Storage flat : flats) {
        device_.release(flat);
    }
}

/// Every gradient is cast, beside the 16-bit ones, for the length of the step.
void DeepSpeedEngine::stepPerParameter() {
    std::vector<Storage> casts;
    for (const StepTensor& parameter : parameters_) {
        casts.push_back(
            device_.take(kFp32 * parameter.elements, MemoryKind::Gradients, 0, "fp32 gradients"));
    }
    runOptimizer();
    for (const Storage cast : casts) {
        device_.release(cast);
    }
    dropGradients();
}

void DeepSpeedEngine::optimizerStep() {
    switch (options_.master) {
        case MasterCopy::Flat:
            stepFlat();
            return;
        case MasterCopy::PerParameter:
            stepPerParameter();
            return;
        case MasterCopy::None:
            runOptimizer();
            dropGradients();
            return;
    }
}

void DeepSpeedEngine::beginMicroStep(std::int64_t index, std::int64_t count) {
    lastMicroStep_ = index + 1 == count;
}

}  // namespace fabricast
