#include "planner/launch/hugging_face.h"
#include "planner/launch/hugging_face_arguments.h"
#include "planner/spec/kernel_names.h"
#include "planner/text/shell_text.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

using Words = std::vector<std::string>;

void add(Words& words, const char* argument, std::string value) {
    words.emplace_back(argument);
    words.push_back(std::move(value));
}
void add(Words& words, const char* argument, std::int64_t value) {
    add(words, argument, std::to_string(value));
}

/// Of the Trainer, which overrules the launcher's. Products in 8 bits and DeepSpeed's own autocast
/// are the file's: bf16 is off then, which TRL has on where it is not said.
void addMixedPrecision(const Settings& settings, Words& words) {
    const bool isFiles = settings.kernels.quantization != Quantization::None ||
                         trainsHalves(settings) ||
                         (settings.engine == Engine::DeepSpeed && settings.precision.autocast);
    if (!isFiles && settings.precision.compute == Dtype::Fp16) {
        add(words, "--fp16", "true");
    } else {
        const bool isBf16 = !isFiles && settings.precision.compute == Dtype::Bf16;
        add(words, "--bf16", isBf16 ? "true" : "false");
    }
}

/// The rate of products in fp32 that the forecast has; PyTorch's own is a third of that, or less.
void addTf32(const Scenario& scenario, Words& words) {
    const PrecisionSettings& precision = scenario.settings.precision;
    if (precision.compute == Dtype::Fp32 && precision.tf32 &&
        takesTf32(scenario.cluster.node.gpu)) {
        add(words, "--tf32", "true");
    }
}

/// The type that all weights are loaded in, where they are trained; adapters say their base's.
void addLoadedType(const Settings& settings, Words& words) {
    if (settings.tuning != Tuning::Lora) {
        const bool isHalf = settings.precision.parameters == Dtype::Bf16;
        add(words, "--dtype", isHalf ? "bfloat16" : "float32");
    }
}

/// Full samples, as the forecast counts them. Those that are put together whole keep apart in
/// FlashAttention alone, which sees where each ends; others are cut to length.
void addPacking(const Scenario& scenario, Words& words) {
    add(words, "--packing", "true");
    const bool keepsApart = attentionName(scenario).starts_with("flash_attention");
    if (!keepsApart || scenario.layout.cp > 1) {
        add(words, "--packing_strategy", "wrapped");
    }
}

void addEvaluation(const PhaseSettings& phases, Words& words) {
    if (phases.evaluationBatch > 0) {
        add(words, "--eval_strategy", "steps");
        add(words, "--eval_steps", "500");  // else as often as it logs
        add(words, "--per_device_eval_batch_size", phases.evaluationBatch);
    }
}

}  // namespace

bool trainsHalves(const Settings& settings) {
    return settings.tuning != Tuning::Lora && settings.engine != Engine::DeepSpeed &&
           settings.precision.parameters == Dtype::Bf16 && !settings.precision.autocast;
}

bool saysOptimizer(const OptimizerSettings& optimizer) {
    const bool isNamed = optimizer.kind != OptimizerKind::AdamW ||
                         optimizer.kernel == OptimizerKernel::Fused ||
                         optimizer.kernel == OptimizerKernel::Foreach;
    return isNamed && trainerOptimizer(optimizer).has_value();
}

Result<void> addTrainerArguments(const LaunchFacts& facts,
                                 const TrainerPart& part,
                                 LaunchFiles& files) {
    const Scenario& scenario = facts.scenario;
    const Settings& settings = scenario.settings;
    Words words;
    if (!facts.loadFrom.empty()) {
        add(words, "--model_name_or_path", shellWord(facts.loadFrom));
    }
    add(words, "--per_device_train_batch_size", scenario.layout.microBatch);
    add(words, "--gradient_accumulation_steps", accumulationOf(scenario));
    add(words, "--max_length", scenario.workload.sequence);
    addPacking(scenario, words);
    if (facts.steps) {
        add(words, "--max_steps", *facts.steps);
    }
    addMixedPrecision(settings, words);
    addTf32(scenario, words);
    addLoadedType(settings, words);
    add(words, "--attn_implementation", attentionName(scenario));
    const bool recomputes = part.recomputes && settings.recompute.kind == Checkpointing::Full;
    add(words, "--gradient_checkpointing", recomputes ? "true" : "false");
    if (part.optimizes) {
        FABRICAST_ASSIGN(std::string optimizer, trainerOptimizer(settings.optimizer));
        if (saysOptimizer(settings.optimizer)) {
            add(words, "--optim", std::move(optimizer));
        }
    }
    if (part.learnsAsFile) {
        add(words, "--learning_rate", decimalText(kLearningRate));
        add(words, "--weight_decay", decimalText(kWeightDecay));
    }
    addEvaluation(settings.phases, words);
    files.command.insert(files.command.end(), words.begin(), words.end());
    files.untold.emplace_back(
        "train.py, or what TRAIN names, is yours: it takes the arguments behind it, as TRL's own "
        "sft.py does, and --dataset_name");
    if (const std::string unpacks = unpackingOf(facts); !unpacks.empty()) {
        files.untold.push_back("train.py: from_pretrained(…, quantization_config=" + unpacks +
                               "(dequantize=True))");
    }
    return {};
}

}  // namespace fabricast
