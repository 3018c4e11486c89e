#include "planner/lint/framework_files.h"

namespace fabricast {
namespace {

constexpr std::int64_t kDefaultBucket = 500'000'000;

LintHits badStage(const LintView& view) {
    const std::int64_t stage = zeroStage(view.file);
    if (stage >= 0 && stage <= 3) {
        return {};
    }
    return {{view.file.at("zero_optimization.stage"),
             "stage is " + std::to_string(stage),
             R"("stage": 0, 1, 2 or 3)"}};
}

LintHits idleOffload(const LintView& view) {
    if (zeroStage(view.file) == 3 || !zeroOffloads(view.file, "offload_param")) {
        return {};
    }
    return {{view.file.at("zero_optimization.offload_param.device"),
             "offload_param is set, and stage is " + std::to_string(zeroStage(view.file)),
             R"("stage": 3, or leave offload_param out)"}};
}

LintHits partialOffload(const LintView& view) {
    const char* const path = "zero_optimization.offload_optimizer.ratio";
    if (zeroStage(view.file) == 3 || view.file.number(path).value_or(1.0) >= 1.0) {
        return {};
    }
    return {
        {view.file.at(path),
         "offload_optimizer.ratio is below 1, and stage is " + std::to_string(zeroStage(view.file)),
         R"("stage": 3, or a ratio of 1)"}};
}

LintHits halfStates(const LintView& view) {
    const LintFile& file = view.file;
    if (file.isOn("bf16.bf16_master_weights_and_grads") && zeroStage(file) == 0) {
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
                 std::string(zeroStage(file) == 0 ? R"(, "zero_optimization": {"stage": 1})" : "") +
                 ", or fp32 states"}};
}

LintHits reducedEachTime(const LintView& view) {
    if (zeroStage(view.file) != 2 || view.file.whole("gradient_accumulation_steps", 1) < 2) {
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
    const std::int64_t stage = zeroStage(file);
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
    if (zeroStage(view.file) != 3 ||
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
        if (zeroOffloads(view.file, what, "nvme") &&
            view.file.text(section + ".nvme_path").empty()) {
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

LintHits waitingReductions(const LintView& view) {
    if (!view.file.isOff("zero_optimization.overlap_comm") || zeroStage(view.file) != 3) {
        return {};
    }
    return {{view.file.at("zero_optimization.overlap_comm"),
             "overlap_comm is off at stage 3",
             R"("overlap_comm": true)"}};
}

constexpr std::array kDeepSpeedZeroRules = {
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
    LintRule{"DS09",
             LintSeverity::Error,
             "bf16 throughout that is not said whole",
             "DeepSpeed ends at the start.",
             &halfStates},
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
    LintRule{"DS21",
             LintSeverity::Warning,
             "communication that nothing hides",
             "Weights and gradients are waited for instead of sent beside the products.",
             &waitingReductions},
    LintRule{"DS26",
             LintSeverity::Error,
             "a device that DeepSpeed does not offload to",
             "DeepSpeed ends at the start: it takes none, cpu and nvme.",
             &unknownDevice}};

}  // namespace

std::span<const LintRule> deepspeedZeroRules() {
    return kDeepSpeedZeroRules;
}

}  // namespace fabricast
