#include "planner/launch/deepspeed_experts.h"
#include "planner/launch/hugging_face.h"
#include "planner/launch/hugging_face_arguments.h"
#include "planner/launch/launch_file_writers.h"
#include "planner/launch/liger_kernels.h"
#include "planner/spec/autoep_presets.h"
#include "planner/spec/setting_names.h"
#include "planner/text/json_text.h"
#include "planner/text/shell_text.h"

#include <array>

namespace fabricast {
namespace {

/// A Trainer divides samples among all ranks: stages, tensor and sequence ranks and deepspeed.moe
/// are of scripts that make them themselves.
bool runsTrainer(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    return layout.pp == 1 && layout.tp == 1 && layout.cp == 1 &&
           scenario.settings.kernels.experts != ExpertKernel::DeepSpeed;
}

/// Of its own experts the script is told.
std::vector<std::string_view> toldToDeepspeed(const Scenario& scenario) {
    std::vector<std::string_view> told = {
        "deepspeed.*", "precision.*", "optimizer.kind", "recompute.kind", "engine"};
    if (runsTrainer(scenario)) {
        told.insert(told.end(),
                    {"kernels.attention", "kernels.attention_code", "phases.evaluation_batch"});
    }
    if (scenario.settings.kernels.experts == ExpertKernel::DeepSpeed) {
        told.insert(told.end(), {"kernels.experts", "kernels.capacity_factor"});
    }
    return told;
}

int zeroStage(Shard shard) {
    return shard == Shard::Zero1 ? 1 : shard == Shard::Zero2 ? 2 : shard == Shard::Zero3 ? 3 : 0;
}

void addHostStates(const Scenario& scenario, JsonText& json) {
    const Offload offload = scenario.layout.offload;
    const bool nvme = usesDrives(offload);
    const DeepSpeedSettings& zero = scenario.settings.deepspeed;
    const auto begin = [&](const char* key) {
        json.beginObject(key);
        json.add("device", nvme ? "nvme" : "cpu");
        if (nvme) {
            json.add("nvme_path", "/local_nvme");
        }
        json.add("pin_memory", zero.pinMemory);
    };
    if (offload == Offload::None || offload == Offload::Activations) {
        return;
    }
    if (!zero.optimizerStaysOnDevice) {
        begin("offload_optimizer");
        json.end();
    }
    if (offloadsParameters(offload)) {
        begin("offload_param");
        json.end();
    }
}

void addZero(const Scenario& scenario, JsonText& json) {
    const DeepSpeedSettings& zero = scenario.settings.deepspeed;
    json.beginObject("zero_optimization");
    json.add("stage", zeroStage(scenario.layout.shard));
    json.add("overlap_comm", zero.overlapComm);
    json.add("contiguous_gradients", zero.contiguousGradients);
    json.add("reduce_scatter", zero.reduceScatter);
    json.add("reduce_bucket_size", zero.reduceBucket);
    json.add("allgather_bucket_size", zero.allgatherBucket);
    json.add("use_multi_rank_bucket_allreduce", zero.multiRankBuckets);
    json.add("round_robin_gradients", zero.roundRobin);
    if (scenario.layout.shard == Shard::Zero3) {
        json.add("sub_group_size", zero.subGroup);
        json.add("stage3_prefetch_bucket_size", zero.prefetchBucket);
        json.add("stage3_param_persistence_threshold", zero.persistenceThreshold);
        json.add("stage3_max_live_parameters", zero.maxLive);
        json.add("stage3_max_reuse_distance", zero.maxReuse);
        json.add("stage3_gather_16bit_weights_on_model_save", true);
    }
    addHostStates(scenario, json);
    json.end();
}

void addDtypes(const PrecisionSettings& precision, JsonText& json) {
    const auto enabled = [&](const char* key) {
        json.beginObject(key);
        json.add("enabled", true);
        json.end();
    };
    if (precision.autocast) {
        json.beginObject("torch_autocast");
        json.add("enabled", true);
        json.add("dtype", precision.compute == Dtype::Fp16 ? "float16" : "bfloat16");
        json.end();
    } else if (precision.compute == Dtype::Bf16) {
        enabled("bf16");
    } else if (precision.compute == Dtype::Fp16) {
        enabled("fp16");
    }
    json.beginObject("data_types");
    json.add("grad_accum_dtype", nameOf(precision.gradients));
    json.end();
    json.add("communication_data_type", nameOf(precision.reduce));
}

bool isDeepspeedOptimizer(OptimizerKind kind) {
    return kind == OptimizerKind::AdamW || kind == OptimizerKind::Lion;
}

/// DeepSpeed makes AdamW and Lion itself; any other one is the script's.
void addDeepspeedOptimizer(const Scenario& scenario, OptimizerOwner owner, JsonText& json) {
    const OptimizerKind kind = scenario.settings.optimizer.kind;
    if (owner != OptimizerOwner::Script && isDeepspeedOptimizer(kind)) {
        json.beginObject("optimizer");
        json.add("type", kind == OptimizerKind::AdamW ? "AdamW" : "Lion");
        json.beginObject("params");
        json.add("lr", kLearningRate);
        json.add("weight_decay", kWeightDecay);
        json.end();
        json.end();
    } else {
        json.add("zero_allow_untested_optimizer", true);
    }
}

bool hasAutoEp(const Scenario& scenario) {
    return scenario.model.moe && scenario.settings.kernels.experts == ExpertKernel::AutoEp;
}

/// AutoEP takes the preset of the model's family by itself; it is named for who reads the file.
void addAutoEp(const Scenario& scenario, JsonText& json) {
    if (!hasAutoEp(scenario)) {
        return;
    }
    json.beginObject("expert_parallel");
    json.add("enabled", true);
    json.add("autoep_size", scenario.layout.ep);
    json.add("preset_model", autoEpPreset(scenario.model.family));
    json.end();
}

/// Of a script that is no Trainer's.
void addOwnArguments(const LaunchFacts& facts, LaunchFiles& files) {
    const Scenario& scenario = facts.scenario;
    const OptimizerSettings& optimizer = scenario.settings.optimizer;
    files.untold.emplace_back("train.py, or what TRAIN names, is yours");
    if (!facts.loadFrom.empty()) {
        files.command.emplace_back("--model_name_or_path");
        files.command.push_back(shellWord(facts.loadFrom));
    }
    if (!isDeepspeedOptimizer(optimizer.kind)) {
        if (const Result<std::string> made = trainerOptimizer(optimizer)) {
            files.untold.emplace_back(
                "the optimizer: train.py takes --optim, as TrainingArguments does");
            files.command.emplace_back("--optim");
            files.command.push_back(*made);
        }
    }
    if (scenario.layout.pp > 1) {
        files.command.emplace_back("--pipeline-parallel-size");
        files.command.push_back(std::to_string(scenario.layout.pp));
    }
    addSampleArguments(scenario, files);
}

Result<void> addScriptArguments(const LaunchFacts& facts, LaunchFiles& files) {
    const OptimizerSettings& optimizer = facts.scenario.settings.optimizer;
    const bool isDeepspeeds = isDeepspeedOptimizer(optimizer.kind);
    if (!runsTrainer(facts.scenario)) {
        if (!isDeepspeeds && !trainerOptimizer(optimizer)) {
            files.untold.push_back("train.py makes the optimizer: " +
                                   std::string(nameOf(optimizer.kind)));
        }
        addOwnArguments(facts, files);
        return {};
    }
    return addTrainerArguments(
        facts, {.optimizes = !isDeepspeeds, .learnsAsFile = isDeepspeeds}, files);
}

}  // namespace

Result<std::string> deepspeedJson(const LaunchFacts& facts, OptimizerOwner owner) {
    const Scenario& scenario = facts.scenario;
    const Layout& layout = scenario.layout;
    if (scenario.settings.kernels.quantization != Quantization::None) {
        return fail(Error::Code::Unsupported,
                    "settings.kernels.quantization",
                    "DeepSpeed's config has no 8-bit products",
                    "--precision bf16");
    }
    JsonText json;
    json.beginObject();
    // The parser counts every rank, before it knows of those that share a sample.
    if (layout.cp == 1 && layout.tp == 1) {
        json.add("train_batch_size", scenario.workload.globalBatch);
    }
    json.add("train_micro_batch_size_per_gpu", layout.microBatch);
    json.add("gradient_accumulation_steps", accumulationOf(scenario));
    json.add("gradient_clipping", 1.0);
    addDtypes(scenario.settings.precision, json);
    addDeepspeedOptimizer(scenario, owner, json);
    addZero(scenario, json);
    addAutoEp(scenario, json);
    if (layout.tp > 1) {
        json.beginObject("tensor_parallel");
        json.add("autotp_size", layout.tp);
        json.end();
    }
    if (layout.cp > 1) {
        json.add("sequence_parallel_size", layout.cp);
    }
    if (facts.saved && facts.saved->inBackground) {
        json.beginObject("checkpoint");
        json.beginObject("writer");
        json.add("type", "fast");
        json.add("decoupled", true);
        json.end();
        json.end();
    }
    json.end();
    return std::move(json).finish();
}

Result<LaunchFiles> deepspeedFiles(const LaunchFacts& facts) {
    const Scenario& scenario = facts.scenario;
    FABRICAST_ASSIGN(std::string text, deepspeedJson(facts, OptimizerOwner::DeepSpeed));
    LaunchFiles files;
    FABRICAST_ASSIGN(files.untold, untoldByTransformers(scenario, toldToDeepspeed(scenario)));
    if (scenario.layout.pp > 1) {
        files.untold.emplace_back(
            "train.py makes a PipelineModule of --pipeline-parallel-size stages, which the "
            "train.py "
            "of DeepSpeedExamples takes");
    }
    if (hasAutoEp(scenario)) {
        files.untold.emplace_back(
            "AutoEP: transformers up to 5.22, as DeepSpeed 0.19.8 ends with a TypeError in the "
            "output recorders of 5.23");
    }
    if (scenario.layout.tp > 1 && scenario.layout.shard == Shard::Zero3) {
        files.untold.emplace_back(
            "AutoTP at stage 3: DeepSpeed from 0.19.4 on, as 0.19.3 ends at the start");
    }
    if (scenario.layout.cp > 1) {
        files.untold.emplace_back(
            "sequence_parallel_size: train.py gives DeepSpeed what the file says, and not its "
            "name, "
            "or Ulysses' groups as mpu");
    }
    files.files.push_back({"deepspeed.json", std::move(text)});
    files.command = {"\"${TRAIN:-train.py}\"", "--deepspeed", "deepspeed.json"};
    FABRICAST_TRY(addScriptArguments(facts, files));
    addExpertArguments(scenario, files);
    addAdapterArguments(facts, files);
    addLigerArguments(scenario, files);
    addSavingArguments(facts, files);
    files.command.emplace_back(kTypedBehind);
    return files;
}

}  // namespace fabricast
