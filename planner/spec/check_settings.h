#pragma once
#include "planner/base/result.h"
#include "planner/spec/cluster_spec.h"
#include "planner/spec/model_spec.h"
#include "planner/spec/scenario.h"
#include "planner/spec/settings.h"

#include <cstdint>
#include <string>

namespace fabricast {

/// What PyTorch's allocator would refuse of PYTORCH_ALLOC_CONF, or is not modelled, by key.
Result<void> checkAllocator(const Settings& settings);
/// NCCL needs an algorithm.
Result<void> checkNccl(const NcclSettings& settings);

/// What Liger's kernels (`settings.kernels.loss=liger`, and `norm`, `rope` and `activation`) do not
/// go with, or are not modelled beside, by name.
Result<void> checkLiger(const Scenario& scenario);
/// Of that, whether Liger has the kernels for the model at all: no operations are known of others.
Result<void> checkLigerCode(const Scenario& scenario);

/// What of `settings.outer` does not fit the rest of a scenario, or is not modelled, by name.
Result<void> checkOuter(const Scenario& scenario);

/// What of `settings.phases` does not fit the rest of a scenario, or is not modelled, by name.
Result<void> checkPhases(const Scenario& scenario);

/// What does not go with `settings.reference`, or is not modelled beside it, by name.
Result<void> checkReference(const Scenario& scenario);

/// What is not modelled beside `offload=activations`, by name: torch's save_on_cpu is walked around
/// transformers' dense models under DDP, FSDP2 and on one GPU, where everything is trained, and
/// Transformer Engine's offload around its own layers.
Result<void> checkSavedOnHost(const Scenario& scenario);

/// What of `settings.train` does not fit the rest of a scenario, or is not modelled, by name:
/// frozen weights are walked in transformers' dense models under DDP, FSDP2 and on one GPU.
Result<void> checkTrained(const Scenario& scenario);

/// Whether its nodes have NICs and a network of a known rate.
bool hasNetwork(const ClusterSpec& cluster);

/// Refuses GPUs that nothing joins: several nodes, or NVLink domains, without a network.
Result<void> checkNetwork(const ClusterSpec& cluster);

/// Bounds of a user's model. They are far beyond any that was trained (of layers a thousand), keep
/// every count of parameters, bytes and FLOPs inside 64 bits, and a walk over all of them short.
inline constexpr std::int64_t kMostModelLayers = 1'024;
/// Layers that predict tokens further on (MTP): models have one to three, and each is walked alone.
inline constexpr std::int64_t kMostPredictionLayers = 64;
inline constexpr std::int64_t kMostModelExperts = 100'000;    ///< of a layer
inline constexpr std::int64_t kMostExpertsOfAll = 4'000'000;  ///< of all layers
inline constexpr std::int64_t kMostModelWidth = 1'000'000'000;
inline constexpr double kMostModelParameters = 1e15;

/// Refuses an impossible model: sizes that do not divide, more experts per token than
/// experts, lists that are not one per layer. `where` is what the error points at.
Result<void> checkModel(const ModelSpec& model, const std::string& where);

}  // namespace fabricast
