#pragma once
#include "planner/base/result.h"
#include "planner/launch/launch_files.h"
#include "planner/spec/scenario.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// The class of transformers that one block of a model is, "LlamaDecoderLayer"; empty: not known
/// here, and the library finds it itself.
std::string blockClassOf(const ModelSpec& model);
/// Whether it is the one of some model.
bool isBlockClass(std::string_view name);

/// transformers' name of an optimizer: "adamw_torch_fused".
Result<std::string> trainerOptimizer(const OptimizerSettings& optimizer);

/// What TRL's ModelConfig is told of adapters on a script's command line: "--use_peft", "--lora_r",
/// "16", … Nothing where all weights are trained.
std::vector<std::string> adapterArguments(const LaunchFacts& facts);
/// The same behind the script of run.sh, which has to take them.
void addAdapterArguments(const LaunchFacts& facts, LaunchFiles& files);

/// How long samples are, and what is recomputed, behind a script that is no Trainer's.
void addSampleArguments(const Scenario& scenario, LaunchFiles& files);

/// Settings that files for transformers' models do not say, of which `told` are said otherwise.
/// Adapters are said by arguments or keys, and of losses Liger's alone.
Result<std::vector<std::string>> untoldByTransformers(const Scenario& scenario,
                                                      std::span<const std::string_view> told);

/// How often the script of run.sh saves, in TrainingArguments' words.
void addSavingArguments(const LaunchFacts& facts, LaunchFiles& files);

/// The class of transformers that unpacks the checkpoint's weights, "Mxfp4Config", with
/// dequantize=True; empty: they are not packed.
std::string unpackingOf(const LaunchFacts& facts);

/// As `attn_implementation` names it.
std::string attentionName(const Scenario& scenario);
/// An error where its kernel is of another GPU: FlashAttention 3 is Hopper's. (No scenario is
/// loaded with scores with sinks and a kernel that its GPU lacks.)
Result<void> checkAttention(const Scenario& scenario);

}  // namespace fabricast
