#include "planner/lint/lint_rule.h"

#include <algorithm>

namespace fabricast {
namespace {

constexpr std::int64_t kDefaultBucket = 500'000'000;

std::int64_t stageOf(const LintFile& file) {
    return file.whole("zero_optimization.stage", 0);
}

bool offloads(const LintFile& file, const std::string& what, std::string_view device = "") {
    const std::string to = file.text("zero_optimization." + what + ".device");
    return !to.empty() && (device.empty() || to == device);
}

LintHits bothHalves(const LintView& view) {
    const LintFile& file = view.file;
    if (!file.isOn("fp16.enabled") ||
        !(file.isOn("bf16.enabled") || file.isOn("bfloat16.enabled"))) {
        return {};
    }
    return {
        {file.at("fp16.enabled"), "fp16 and bf16 are both on", R"("fp16": {"enabled": false})"}};
}

/// Whether a script may make tensor or pipeline ranks of its own. Hugging Face's does not, and a
/// pipeline takes no gradients that are sharded (stage 2 and 3).
bool mayPutTogether(const LintView& view) {
    for (const LaunchKind kind :
         {LaunchKind::Trainer, LaunchKind::Accelerate, LaunchKind::Axolotl}) {
        if (view.other(kind) != nullptr) {
            return false;
        }
    }
    const LintFile* const script = view.other(LaunchKind::Script);
    const bool saysSo =
        script != nullptr && std::ranges::any_of(script->keys().all(), [](const LaunchKey& key) {
            return key.path.starts_with("--") && key.path.find("parallel") != std::string::npos;
        });
    return saysSo || stageOf(view.file) < 2 || view.file.keys().has("pipeline");
}

/// Ranks that get the same samples; nothing where it may be any number.
std::optional<std::int64_t> ranksTogether(const LintView& view) {
    if (mayPutTogether(view)) {
        return std::nullopt;
    }
    return std::max<std::int64_t>(1, view.file.whole("tensor_parallel.autotp_size", 1)) *
           std::max<std::int64_t>(1, view.file.whole("sequence_parallel_size", 1));
}

bool multiplies(std::int64_t all, std::int64_t round, bool saysSteps, const LintView& view) {
    if (view.facts.dataRanks && saysSteps) {
        return all == round * *view.facts.dataRanks;
    }
    const std::int64_t gpus = view.gpus().value_or(0);
    if (all % round != 0 || gpus == 0) {
        return all % round == 0;
    }
    const std::int64_t ranks = all / round;  // times the steps, where these are not said
    const std::optional<std::int64_t> together = ranksTogether(view);
    if (!together) {
        return !saysSteps || gpus % ranks == 0;
    }
    return saysSteps ? ranks * *together == gpus : ranks * *together % gpus == 0;
}

LintHits unequalBatch(const LintView& view) {
    const LintFile& file = view.file;
    const std::int64_t all = file.whole("train_batch_size", 0);
    const std::int64_t each = file.whole("train_micro_batch_size_per_gpu", 0);
    const std::int64_t steps = file.whole("gradient_accumulation_steps", 0);
    const std::int64_t gpus = view.gpus().value_or(0);
    if (all <= 0 || each <= 0) {
        return {};
    }
    const std::int64_t round = each * std::max<std::int64_t>(1, steps);
    if (multiplies(all, round, steps > 0, view)) {
        return {};
    }
    return {{file.at("train_batch_size"),
             "train_batch_size " + std::to_string(all) + " is not " + std::to_string(each) +
                 " a micro-batch" + (steps > 0 ? " x " + std::to_string(steps) + " steps" : "") +
                 (gpus == 0 ? " x the ranks" : " x " + std::to_string(gpus) + " ranks"),
             "leave one of the three out: DeepSpeed works it out"}};
}

LintHits unseenSequence(const LintView& view) {
    const bool isNamed = view.other(LaunchKind::Script) != nullptr;
    return view.file.whole("sequence_parallel_size", 1) > 1 && isNamed
               ? LintHits{{view.file.at("sequence_parallel_size"),
                           "sequence_parallel_size in a file that is handed over by its name",
                           "deepspeed.initialize(config=json.load(file)), or mpu"}}
               : LintHits{};
}

LintHits noBatch(const LintView& view) {
    const LintFile& file = view.file;
    if (file.has("train_batch_size") || file.has("train_micro_batch_size_per_gpu") ||
        view.files.size() > 1) {
        return {};
    }
    return {{nullptr,
             "neither train_batch_size nor train_micro_batch_size_per_gpu is there",
             R"("train_micro_batch_size_per_gpu": 1)"}};
}

LintHits autoByItself(const LintView& view) {
    const bool isFilled = view.other(LaunchKind::Accelerate) != nullptr ||
                          view.other(LaunchKind::Axolotl) != nullptr ||
                          view.other(LaunchKind::Trainer) != nullptr;
    for (const LaunchKey& key : view.file.keys().all()) {
        if (!isFilled && key.path.find('.') == std::string::npos && key.values.size() == 1 &&
            key.values.front() == "auto") {
            return {{&key,
                     key.path +
                         R"( is "auto", which only Hugging Face's Trainer and Accelerate fill in)",
                     "the number itself, where deepspeed.initialize reads the file"}};
        }
    }
    return {};
}

LintHits badStage(const LintView& view) {
    const std::int64_t stage = stageOf(view.file);
    if (stage >= 0 && stage <= 3) {
        return {};
    }
    return {{view.file.at("zero_optimization.stage"),
             "stage is " + std::to_string(stage),
             R"("stage": 0, 1, 2 or 3)"}};
}

LintHits idleOffload(const LintView& view) {
    if (stageOf(view.file) == 3 || !offloads(view.file, "offload_param")) {
        return {};
    }
    return {{view.file.at("zero_optimization.offload_param.device"),
             "offload_param is set, and stage is " + std::to_string(stageOf(view.file)),
             R"("stage": 3, or leave offload_param out)"}};
}

LintHits partialOffload(const LintView& view) {
    const char* const path = "zero_optimization.offload_optimizer.ratio";
    if (stageOf(view.file) == 3 || view.file.number(path).value_or(1.0) >= 1.0) {
        return {};
    }
    return {
        {view.file.at(path),
         "offload_optimizer.ratio is below 1, and stage is " + std::to_string(stageOf(view.file)),
         R"("stage": 3, or a ratio of 1)"}};
}

LintHits summedGradients(const LintView& view) {
    if (stageOf(view.file) != 3 || view.file.text("gradient_allreduce_op") != "sum") {
        return {};
    }
    return {{view.file.at("gradient_allreduce_op"),
             "gradient_allreduce_op is sum, and stage is 3",
             R"("gradient_allreduce_op": "mean")"}};
}

LintHits halfStates(const LintView& view) {
    const LintFile& file = view.file;
    if (file.isOn("bf16.bf16_master_weights_and_grads") && stageOf(file) == 0) {
        return {{file.at("bf16.bf16_master_weights_and_grads"),
                 "weights and gradients in bf16 at stage 0",
                 R"("zero_optimization": {"stage": 1}, or 2 or 3)"}};
    }
    if (!file.isOn("bf16.bf16_optimizer_states") ||
        file.isOn("bf16.bf16_master_weights_and_grads")) {
        return {};
    }
    return {{file.at("bf16.bf16_optimizer_states"),
             "bf16_optimizer_states is on without bf16_master_weights_and_grads",
             R"("bf16": {"bf16_master_weights_and_grads": true})" +
                 std::string(stageOf(file) == 0 ? R"(, "zero_optimization": {"stage": 1})" : "") +
                 ", or fp32 states"}};
}

/// What DeepSpeed 0.19.8 ends at (deepspeed/runtime/config.py, _REMOVED_…_CONFIG_KEYS).
constexpr std::array<std::string_view, 14> kRemoved = {
    "nebula",
    "compression_training",
    "amp",
    "quantize_training",
    "sparse_gradients",
    "eigenvalue",
    "sparse_attention",
    "elasticity",
    "graph_harvesting",
    "curriculum_learning",
    "progressive_layer_drop",
    "zero_optimization.mics_shard_size",
    "zero_optimization.mics_hierarchical_params_gather",
    "zero_optimization.zeropp_loco_param"};

LintHits removedKeys(const LintView& view) {
    LintHits hits;
    for (const std::string_view path : kRemoved) {
        const auto& keys = view.file.keys().all();
        const auto found = std::ranges::find_if(keys, [path](const LaunchKey& key) {
            return key.path == path || key.path.starts_with(std::string(path) + ".");
        });
        if (found != keys.end()) {
            const bool shards = path.find("mics") != std::string_view::npos;
            hits.push_back({&*found,
                            std::string(path) + " was removed: 0.19.8 refuses it",
                            shards
                                ? "zero_hpz_partition_size, which keeps a second copy in the node"
                                : "leave it out"});
        }
    }
    return hits;
}

LintHits movedDefaults(const LintView& view) {
    const LintFile& file = view.file;
    LintHits hits;
    if (!file.has("gradient_clipping")) {
        hits.push_back({nullptr,
                        "gradient_clipping is not said: 0 up to release 0.19.0, 1.0 in 0.19.8",
                        R"("gradient_clipping": 1.0)"});
    }
    for (const char* const what : {"offload_optimizer", "offload_param"}) {
        const std::string section = std::string("zero_optimization.") + what;
        if (offloads(file, what) && !file.has(section + ".pin_memory")) {
            hits.push_back(
                {file.at(section + ".device"),
                 std::string(what) +
                     ".pin_memory is not said: false up to release 0.19.0, true in 0.19.8",
                 R"("pin_memory": true)"});
        }
    }
    return hits;
}

LintHits halfAccumulation(const LintView& view) {
    const LintFile& file = view.file;
    constexpr std::int64_t kMany = 4;
    if (!file.isOn("bf16.enabled") || file.has("data_types.grad_accum_dtype") ||
        file.whole("gradient_accumulation_steps", 1) < kMany) {
        return {};
    }
    return {{file.at("gradient_accumulation_steps"),
             "gradients of " + file.text("gradient_accumulation_steps") +
                 " micro-batches are summed in bf16",
             R"("data_types": {"grad_accum_dtype": "fp32"})" +
                 std::string(stageOf(file) == 0 ? R"(, "zero_optimization": {"stage": 1})" : "") +
                 ", for 2 more bytes a parameter"}};
}

LintHits reducedEachTime(const LintView& view) {
    if (stageOf(view.file) != 2 || view.file.whole("gradient_accumulation_steps", 1) < 2) {
        return {};
    }
    return {{view.file.at("gradient_accumulation_steps"),
             "stage 2 reduces the gradients after each of " +
                 view.file.text("gradient_accumulation_steps") + " micro-batches",
             R"("stage": 1, where its gradients fit: it reduces once)"}};
}

LintHits largeBuckets(const LintView& view) {
    const LintFile& file = view.file;
    const char* const path = "zero_optimization.reduce_bucket_size";
    const std::int64_t stage = stageOf(file);
    const bool isAuto = file.has(path) && file.text(path) == "auto";
    if (stage < 1 || stage > 2 || isAuto || !file.isOn("zero_optimization.overlap_comm") ||
        file.whole(path, kDefaultBucket) < kDefaultBucket) {
        return {};
    }
    return {{file.at("zero_optimization.overlap_comm"),
             "with overlap_comm two buckets of " +
                 std::to_string(file.whole(path, kDefaultBucket)) + " gradients are held",
             R"("reduce_bucket_size": 5e7)"}};
}

LintHits noWholeWeights(const LintView& view) {
    if (stageOf(view.file) != 3 ||
        view.file.has("zero_optimization.stage3_gather_16bit_weights_on_model_save") ||
        view.file.has("zero_optimization.gather_16bit_weights_on_model_save") ||
        view.file.isOn("zero_optimization.stage3_gather_fp16_weights_on_model_save")) {
        return {};
    }
    return {
        {view.file.at("zero_optimization.stage"),
         "stage 3 saves shards alone",
         R"("stage3_gather_16bit_weights_on_model_save": true, or zero_to_fp32.py afterwards)"}};
}

/// DeepSpeed's OffloadDeviceEnum.
LintHits unknownDevice(const LintView& view) {
    LintHits hits;
    for (const char* const what : {"offload_optimizer", "offload_param"}) {
        const LaunchKey* const key =
            view.file.at(std::string("zero_optimization.") + what + ".device");
        const std::string device =
            key == nullptr || key->values.size() != 1 ? "none" : key->values.front();
        if (device != "none" && device != "cpu" && device != "nvme" && device != "null") {
            hits.push_back({key,
                            std::string(what) + " goes to \"" + device + "\"",
                            R"("device": "cpu", or "none" to leave it on the GPU)"});
        }
    }
    return hits;
}

LintHits nowhereToOffload(const LintView& view) {
    LintHits hits;
    for (const char* const what : {"offload_optimizer", "offload_param"}) {
        const std::string section = std::string("zero_optimization.") + what;
        if (offloads(view.file, what, "nvme") && view.file.text(section + ".nvme_path").empty()) {
            hits.push_back({view.file.at(section + ".device"),
                            std::string(what) + " goes to nvme, and nvme_path is not said",
                            R"("nvme_path": "/local_nvme")"});
        }
    }
    return hits;
}

LintHits fewBuffers(const LintView& view) {
    const LintFile& file = view.file;
    const std::string section = "zero_optimization.offload_optimizer.";
    const bool pipelines =
        file.isOn(section + "pipeline_read") || file.isOn(section + "pipeline_write");
    constexpr std::int64_t kNeeded = 4;
    if (!pipelines || file.whole(section + "buffer_count", kNeeded) >= kNeeded) {
        return {};
    }
    return {{file.at(section + "buffer_count"),
             "pipelined swapping has " + file.text(section + "buffer_count") + " buffers",
             R"("buffer_count": 4, or more)"}};
}

LintHits unevenSecondCopy(const LintView& view) {
    const char* const path = "zero_optimization.zero_hpz_partition_size";
    const std::int64_t size = view.file.whole(path, 1);
    if (size <= 1 || !view.facts.gpusPerNode || size == *view.facts.gpusPerNode) {
        return {};
    }
    return {{view.file.at(path),
             "the second copy spans " + std::to_string(size) + " ranks, a node has " +
                 std::to_string(*view.facts.gpusPerNode) + " GPUs",
             R"("zero_hpz_partition_size": )" + std::to_string(*view.facts.gpusPerNode)}};
}

LintHits fixedScale(const LintView& view) {
    if (!view.file.isOn("fp16.enabled") || view.file.number("fp16.loss_scale").value_or(0) <= 0) {
        return {};
    }
    return {{view.file.at("fp16.loss_scale"),
             "the loss of fp16 is scaled by a fixed number",
             R"("loss_scale": 0, which finds it as it runs)"}};
}

LintHits unsupportedMix(const LintView& view) {
    const std::string type = view.file.text("data_types.grad_accum_dtype");
    if (stageOf(view.file) != 0 || !view.file.isOn("bf16.enabled") || type != "fp32") {
        return {};
    }
    return {{view.file.at("data_types.grad_accum_dtype"),
             "bf16 with gradients in fp32 at stage 0",
             R"("zero_optimization": {"stage": 1})"}};
}

LintHits waitingReductions(const LintView& view) {
    if (!view.file.isOff("zero_optimization.overlap_comm") || stageOf(view.file) != 3) {
        return {};
    }
    return {{view.file.at("zero_optimization.overlap_comm"),
             "overlap_comm is off at stage 3",
             R"("overlap_comm": true)"}};
}

/// Presets of AutoEP in 0.19.8 (deepspeed/module_inject/auto_ep_presets).
constexpr std::array<std::string_view, 6> kAutoEpPresets = {
    "mixtral", "qwen3_moe", "qwen3_5_moe", "deepseek_v2", "deepseek_v3", "minimax_m3"};

/// A key of expert_parallel that AutoEP does not take.
void refuseKey(LintHits& hits,
               const LintView& view,
               bool refused,
               const std::string& path,
               const char* problem,
               const char* fix) {
    if (refused) {
        hits.push_back({view.file.at(path), problem, fix});
    }
}

/// validate_autoep_config and _validate_zero3_moe_compatibility.
LintHits refusedByExperts(const LintView& view) {
    const LintFile& file = view.file;
    LintHits hits;
    if (!file.isOn("expert_parallel.enabled")) {
        return hits;
    }
    const std::string section = "expert_parallel.";
    const std::string zero = "zero_optimization.";
    const std::string preset = file.text(section + "preset_model");
    const std::string balance = file.text(section + "load_balance_coeff");
    const std::int64_t size = file.whole(section + "autoep_size", 1);
    const std::int64_t tensor = file.whole("tensor_parallel.autotp_size", 1);
    const bool third = stageOf(file) == 3;
    const auto refuse = [&](bool refused, const std::string& path, const char* problem, auto fix) {
        refuseKey(hits, view, refused, path, problem, fix);
    };
    refuse(!preset.empty() && std::ranges::find(kAutoEpPresets, preset) == kAutoEpPresets.end(),
           section + "preset_model",
           "preset_model is none that AutoEP has",
           "mixtral, qwen3_moe (qwen2_moe too), qwen3_5_moe, deepseek_v2, deepseek_v3 or "
           "minimax_m3");
    refuse(!balance.empty() && balance != "null",
           section + "load_balance_coeff",
           "load_balance_coeff is not taken yet",
           "leave it out");
    refuse(file.whole(section + "expert_tensor_parallel_size", 1) != 1,
           section + "expert_tensor_parallel_size",
           "tensor parallelism inside an expert is not there yet",
           R"("expert_tensor_parallel_size": 1)");
    refuse(file.text(section + "comm_backend") == "deepep" &&
               file.whole(section + "comm_max_tokens_per_rank", 0) < 1,
           section + "comm_backend",
           "DeepEP's buffer needs comm_max_tokens_per_rank",
           R"("comm_max_tokens_per_rank": micro-batch x sequence)");
    refuse(tensor > 1 && size == 1,
           "tensor_parallel.autotp_size",
           "AutoTP around experts that are not distributed",
           R"("autoep_size": 2, or more)");
    refuse(third && file.whole("sequence_parallel_size", 1) > 1,
           "sequence_parallel_size",
           "AutoEP at stage 3 has no sequence parallelism yet",
           R"("stage": 2)");
    refuse(third && file.isOn(zero + "zero_quantized_gradients"),
           zero + "zero_quantized_gradients",
           "AutoEP at stage 3 has no quantised gradients yet",
           "leave them out");
    refuse(third && file.whole(zero + "zero_hpz_partition_size", 1) > 1,
           zero + "zero_hpz_partition_size",
           "AutoEP at stage 3 has no second copy in the node yet",
           "leave it out");
    for (const char* const key : {"contiguous_gradients", "reduce_scatter"}) {
        refuse((stageOf(file) == 1 || stageOf(file) == 2) && file.isOff(zero + key),
               zero + key,
               "stages 1 and 2 with experts need it",
               "leave it on");
    }
    const std::int64_t gpus = view.gpus().value_or(0);
    refuse(size > 0 && gpus % size != 0,
           section + "autoep_size",
           "the ranks are not a multiple of autoep_size",
           "a divisor of the ranks, and of the experts");
    return hits;
}

/// _configure_tensor_parallel_states up to release 0.19.3.
LintHits tensorRanksAtStage3(const LintView& view) {
    const char* const path = "tensor_parallel.autotp_size";
    return stageOf(view.file) == 3 && view.file.whole(path, 1) > 1
               ? LintHits{{view.file.at(path),
                           "autotp_size is " + view.file.text(path) +
                               ", and stage is 3: up to release 0.19.3 it trains below stage 3 "
                               "alone",
                           "pip install \"deepspeed>=0.19.4\", or \"stage\": 2"}}
               : LintHits{};
}

/// PipelineEngine, whose stages AutoTP's mesh of ranks does not know.
LintHits tensorRanksOfStages(const LintView& view) {
    const char* const path = "tensor_parallel.autotp_size";
    const LintFile* const script = view.other(LaunchKind::Script);
    const bool hasStages =
        (script != nullptr && script->whole("--pipeline-parallel-size", 1) > 1) ||
        view.file.whole("pipeline.stages", 1) > 1;
    return hasStages && view.file.whole(path, 1) > 1
               ? LintHits{{view.file.at(path),
                           "autotp_size is " + view.file.text(path) +
                               " in a pipeline, whose stages it counts as data parallel",
                           "\"autotp_size\": 1, or no pipeline"}}
               : LintHits{};
}

constexpr std::array kDeepspeedRules = {
    LintRule{"DS01",
             LintSeverity::Error,
             "fp16 and bf16 are both on",
             "DeepSpeed ends at the start.",
             &bothHalves},
    LintRule{"DS02",
             LintSeverity::Error,
             "batch sizes that do not multiply",
             "DeepSpeed ends at the start: train_batch_size is micro-batch x steps x ranks.",
             &unequalBatch},
    LintRule{
        "DS03", LintSeverity::Error, "no batch size", "DeepSpeed ends at the start.", &noBatch},
    LintRule{"DS04",
             LintSeverity::Warning,
             R"("auto" where nobody fills it in)",
             "DeepSpeed itself ends with a TypeError.",
             &autoByItself},
    LintRule{"DS05",
             LintSeverity::Error,
             "a stage that ZeRO does not have",
             "DeepSpeed ends at the start.",
             &badStage},
    LintRule{"DS06",
             LintSeverity::Warning,
             "offload_param below stage 3",
             "It is ignored: the parameters stay on the GPU.",
             &idleOffload},
    LintRule{"DS07",
             LintSeverity::Error,
             "a part of the optimizer offloaded below stage 3",
             "DeepSpeed ends at the start.",
             &partialOffload},
    LintRule{"DS08",
             LintSeverity::Error,
             "summed gradients at stage 3",
             "DeepSpeed ends at the start.",
             &summedGradients},
    LintRule{"DS09",
             LintSeverity::Error,
             "bf16 throughout that is not said whole",
             "DeepSpeed ends at the start.",
             &halfStates},
    LintRule{"DS10",
             LintSeverity::Error,
             "a key of a part that was removed",
             "DeepSpeed ends at the start.",
             &removedKeys},
    LintRule{"DS11",
             LintSeverity::Note,
             "a default that moved between releases",
             "The same file trains, or offloads, in another way after an update.",
             &movedDefaults},
    LintRule{"DS12",
             LintSeverity::Warning,
             "many gradients summed in bf16",
             "Its 8 bits lose small gradients in a large sum: the loss may stop falling.",
             &halfAccumulation},
    LintRule{"DS13",
             LintSeverity::Note,
             "stage 2 with accumulation",
             "Communication is multiplied by the number of micro-batches.",
             &reducedEachTime},
    LintRule{"DS14",
             LintSeverity::Note,
             "large buckets, held twice",
             "2 GB of the GPU are buffers; smaller ones are as fast.",
             &largeBuckets},
    LintRule{"DS15",
             LintSeverity::Note,
             "a model that is saved in shards",
             "save_16bit_model writes nothing, and Hugging Face's from_pretrained cannot read it.",
             &noWholeWeights},
    LintRule{"DS16",
             LintSeverity::Error,
             "nvme without a path",
             "The first swap fails.",
             &nowhereToOffload},
    LintRule{"DS17",
             LintSeverity::Error,
             "too few buffers to swap in a pipeline",
             R"(The first step ends with "ran out of swap buffers".)",
             &fewBuffers},
    LintRule{"DS18",
             LintSeverity::Warning,
             "a second copy that is not a node's",
             "hpZ is to keep gathers inside a node: some of them cross the network.",
             &unevenSecondCopy},
    LintRule{"DS19",
             LintSeverity::Warning,
             "a fixed loss scale",
             "Gradients overflow as training goes on, and steps are lost or go wrong.",
             &fixedScale},
    LintRule{"DS20",
             LintSeverity::Error,
             "gradients in fp32 at stage 0",
             R"(The engine ends with "unsupported mix".)",
             &unsupportedMix},
    LintRule{"DS21",
             LintSeverity::Warning,
             "communication that nothing hides",
             "Weights and gradients are waited for instead of sent beside the products.",
             &waitingReductions},
    LintRule{"DS22",
             LintSeverity::Warning,
             "a sequence size that is not seen",
             "DeepSpeed reads it from a dictionary alone: the batch counts every rank.",
             &unseenSequence},
    LintRule{"DS23",
             LintSeverity::Error,
             "what AutoEP does not take",
             "deepspeed.initialize ends with the reason.",
             &refusedByExperts},
    LintRule{"DS24",
             LintSeverity::Note,
             "tensor parallelism at stage 3",
             "Older releases end at the start: \"the compatibility between 'autotp' and "
             "'zero_stage = 3' has not been validated\".",
             &tensorRanksAtStage3},
    LintRule{"DS25",
             LintSeverity::Error,
             "AutoTP in a pipeline",
             "PipelineEngine ends at the start: dp_world_size is not grid.data_parallel_size.",
             &tensorRanksOfStages},
    LintRule{"DS26",
             LintSeverity::Error,
             "a device that DeepSpeed does not offload to",
             "DeepSpeed ends at the start: it takes none, cpu and nvme.",
             &unknownDevice}};

}  // namespace

std::span<const LintRule> deepspeedRules() {
    return kDeepspeedRules;
}

}  // namespace fabricast
