#pragma once
#include "planner/base/result.h"
#include "planner/launch/launch_files.h"

#include <string>
#include <string_view>

namespace fabricast {

inline constexpr std::string_view kAccelerateVersions = "1.15.0";
inline constexpr std::string_view kNewestAccelerate = "1.15.0";

/// accelerate.yaml, and deepspeed.json where ZeRO splits the states.
Result<LaunchFiles> accelerateFiles(const LaunchFacts& facts);

inline constexpr std::string_view kAxolotlVersions = "0.19.0";
inline constexpr std::string_view kNewestAxolotl = "0.19.0";

/// axolotl.yaml, and deepspeed.json where ZeRO splits the states.
Result<LaunchFiles> axolotlFiles(const LaunchFacts& facts);

/// The release of Megatron Bridge whose keys are known, and the Megatron-Core that it stands on.
inline constexpr std::string_view kBridgeVersions = "0.3.1";
inline constexpr std::string_view kNewestBridge = "0.3.1";
inline constexpr std::string_view kCoreOfBridge = "0.16";

/// train.py, which makes a ConfigContainer and calls pretrain.
Result<LaunchFiles> bridgeFiles(const LaunchFacts& facts);

/// The release whose own parser read these files.
inline constexpr std::string_view kDeepspeedVersions = "0.19.8";
inline constexpr std::string_view kNewestDeepspeed = "0.19.8";

/// Who makes the optimizer: DeepSpeed as its file says, or the script. transformers' Trainer takes
/// that of DeepSpeed's file over its own.
enum class OptimizerOwner { DeepSpeed, Script };

/// The JSON that deepspeed.initialize, Accelerate and Axolotl read.
Result<std::string> deepspeedJson(const LaunchFacts& facts, OptimizerOwner owner);

Result<LaunchFiles> deepspeedFiles(const LaunchFacts& facts);

/// The last release of NeMo with a training loop for language models.
inline constexpr std::string_view kNemoVersions = "2.7.3";
inline constexpr std::string_view kNewestNemo = "2.7.3";

/// train.py, which makes a model, a MegatronStrategy and a Trainer of NeMo 2, and calls
/// llm.pretrain, or llm.finetune with adapters.
Result<LaunchFiles> nemoFiles(const LaunchFacts& facts);

inline constexpr std::string_view kTorchVersions = "2.15";
inline constexpr std::string_view kNewestTorch = "2.15";

/// train.py: a short loop under DDP or FSDP2 that can be read in one go.
Result<LaunchFiles> torchFiles(const LaunchFacts& facts);

/// 0.2.2 reads TOML; 0.3 takes a config by name and its changes as arguments.
inline constexpr std::string_view kTitanVersions = "0.3.0, 0.2.2";
inline constexpr std::string_view kNewestTitan = "0.3.0";

/// train.toml, or arguments in run.sh; a module with the adapters of these.
Result<LaunchFiles> torchtitanFiles(const LaunchFacts& facts);

/// run.sh, which every node runs, and what starts it on all of them under Slurm or Kubernetes.
std::vector<LaunchFile> launcherFiles(const LaunchFacts& facts, const LaunchFiles& files);

/// What Kubernetes' job leaves to its cluster: the network of several nodes, and where states are
/// kept.
std::vector<std::string> untoldToPods(const LaunchFacts& facts);

}  // namespace fabricast
