#pragma once
#include "planner/base/result.h"
#include "planner/spec/model_spec.h"

#include <cstdint>
#include <string>

namespace fabricast {

/// Bounds of a user's model. They are far beyond any that was trained (of layers a thousand), keep
/// every count of parameters, bytes and FLOPs inside 64 bits, and a walk over all of them short.
inline constexpr std::int64_t kMostModelLayers = 1'024;
/// Layers that predict tokens further on (MTP): models have one to three, and each is walked alone.
inline constexpr std::int64_t kMostPredictionLayers = 64;
inline constexpr std::int64_t kMostModelExperts = 100'000;
inline constexpr std::int64_t kMostModelWidth = 1'000'000'000;
inline constexpr double kMostModelParameters = 1e15;

/// Refuses an impossible model: sizes that do not divide, more experts per token than
/// experts, lists that are not one per layer. `where` is what the error points at.
Result<void> checkModel(const ModelSpec& model, const std::string& where);

}  // namespace fabricast
