#pragma once
#include "planner/base/result.h"
#include "planner/launch/import_launch.h"
#include "planner/launch/scenario_draft.h"

#include <string>
#include <string_view>

namespace fabricast {

// Parts of Megatron's arguments as keys of a scenario; the layout stands beside importMegatron.

/// The shape of a decoder as Llama, Mistral, Mixtral, Qwen or DeepSeek have it; of other kinds -m
/// says the model.
Result<void> importMegatronModel(ScenarioDraft& draft,
                                 MegatronWords words,
                                 const ImportContext& context);
/// Sizes of the model, which no name of another one may contradict: of Megatron's own arguments
/// its parser's defaults, too.
void keepSaidSizes(ScenarioDraft& draft, MegatronWords words);
/// What keeps arguments with --multi-latent-attention from being those of DeepSeek's; empty where
/// nothing does.
std::string notALatentDecoder(LaunchKeys& keys);
/// The class that has such a router: "deepseek_v3".
std::string latentDecoderOf(LaunchKeys& keys);
/// Its latent attention and its experts.
Result<void> importLatentModel(ScenarioDraft& draft);
Result<void> importMegatronPrecision(ScenarioDraft& draft);
Result<void> importRecompute(ScenarioDraft& draft);
Result<void> importMegatronKernels(ScenarioDraft& draft);
Result<void> importMegatronExperts(ScenarioDraft& draft);

/// The stack and the shards of --use-megatron-fsdp; nothing without it.
Result<void> importMegatronFsdp(ScenarioDraft& draft);

/// LoRA of Bridge and NeMo: "peft" with "peft.dim" and the groups of weights that it adapts.
Result<void> importMegatronAdapters(ScenarioDraft& draft);

/// Releases of Megatron-Core whose arguments are known, the newest first.
inline constexpr std::string_view kMegatronVersions = "0.19, 0.18, 0.17, 0.16, 0.15, 0.14";
inline constexpr std::string_view kNewestMegatron = "0.19";

/// "0.19" and "v0.19.0" as 19.
Result<int> megatronRelease(const std::string& version);

/// The first release that has an argument; all known ones have most.
int firstReleaseOf(std::string_view flag, std::string_view value);

}  // namespace fabricast
