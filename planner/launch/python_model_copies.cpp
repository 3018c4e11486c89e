#include "planner/launch/python_model_tracer.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fabricast {
namespace {

using namespace std::string_view_literals;

/// What copies a model's weights to keep their average: of torch, timm, torch_ema and diffusers.
constexpr std::array kAverages = {"AveragedModel"sv,
                                  "ModelEma"sv,
                                  "ModelEmaV2"sv,
                                  "ModelEmaV3"sv,
                                  "ModelEMA"sv,
                                  "EMA"sv,
                                  "EMAModel"sv,
                                  "ExponentialMovingAverage"sv};

}  // namespace

MaybeRef ModelTracer::givenToTrainer(bool wraps, const std::vector<Argument>& arguments) {
    const Argument* const model = argumentFor(arguments, 0, "model");
    for (const Argument& one : arguments) {
        if (one.ref && one.ref->part.empty()) {
            models_.all[one.ref->model].isOnGpu = true;
            models_.all[one.ref->model].isKept = true;
        }
    }
    if (model == nullptr || !model->ref) {
        return std::nullopt;
    }
    if (model->ref->part.empty() && !models_.trained) {
        models_.trained = model->ref->model;
        if (!wraps) {
            deedsBefore_ = models_.all[model->ref->model].deeds.size();
            modelsBefore_ = models_.all.size();
        }
    }
    return wraps ? model->ref : MaybeRef(ModelRef{model->ref->model, std::string(kTrainerPart)});
}

void ModelTracer::markSharded(const std::string& last, const std::vector<Argument>& arguments) {
    constexpr std::array kShards = {"fully_shard"sv, "FullyShardedDataParallel"sv, "FSDP"sv};
    for (const Argument& one : arguments) {
        if (isAmong(kShards, last) && one.ref && one.ref->part.empty()) {
            models_.all[one.ref->model].isSharded = true;
        }
    }
}

MaybeRef ModelTracer::copyMade(const std::string& last,
                               std::size_t bracket,
                               const std::vector<Argument>& arguments) {
    const bool isCopy =
        last == "deepcopy" || (isAmong(kAverages, last) && !classes_.contains(last));
    if (!isCopy || arguments.empty() || !arguments.front().ref ||
        !arguments.front().ref->part.empty()) {
        return std::nullopt;
    }
    const std::size_t model = arguments.front().ref->model;
    const bool isOnHost = std::ranges::any_of(arguments, [this](const Argument& one) {
        return one.name == "device" &&
               program_.valuesOf(one.value) == std::vector<std::string>{"cpu"};
    });
    PythonModel copy{.call = {bracket - 1, words_[bracket].close + 1},
                     .isOnGpu = models_.all[model].isOnGpu && !isOnHost,
                     .isKept = models_.trained.has_value(),  // wrapped before
                     .isAfterwards = isTraining_,
                     .isAverage = last != "deepcopy",
                     .isSharded = models_.all[model].isSharded,
                     .copyOf = model};
    models_.all.push_back(std::move(copy));
    return ModelRef{models_.all.size() - 1};
}

}  // namespace fabricast
