#include "planner/launch/launch_file_writers.h"
#include "planner/launch/torchtitan_adapters.h"
#include "planner/launch/torchtitan_keys.h"
#include "planner/launch/torchtitan_model.h"
#include "planner/launch/untold_settings.h"
#include "planner/spec/setting_names.h"
#include "planner/stack/model_code.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 20> kToldToTitan = {"recompute.*",
                                                           "precision.parameters",
                                                           "precision.compute",
                                                           "precision.reduce",
                                                           "pipeline.embedding_weight",
                                                           "pipeline.head_weight",
                                                           "pipeline.passes",
                                                           "optimizer.kind",
                                                           "optimizer.kernel",
                                                           "torch.reshard",
                                                           "kernels.compile",
                                                           "kernels.quantization",
                                                           "megatron.tensor_overlap",
                                                           "engine",
                                                           "torch.backend",
                                                           "tuning",
                                                           "lora.rank",
                                                           "lora.targets",
                                                           "lora.base",
                                                           "lora.dtype"};

/// Adapters came with 0.3.0, whose configs have one matrix of q, k and v.
Result<void> checkTitanAdapters(const Scenario& scenario, bool isOld) {
    if (scenario.settings.tuning != Tuning::Lora) {
        return {};
    }
    FABRICAST_TRY(checkTitanConfig(scenario.model, Tuning::Lora));
    if (isOld) {
        return fail(Error::Code::Unsupported,
                    "settings.tuning",
                    "torchtitan 0.2.2 has no adapters",
                    "--framework-version 0.3.0");
    }
    return scenario.settings.kernels.fusedQkv
               ? Result<void>()
               : fail(Error::Code::Unsupported,
                      "settings.kernels.fused_qkv",
                      "the configs of torchtitan 0.3.0 have one matrix of q, k and v",
                      "--set settings.kernels.fused_qkv=true");
}

Result<void> checkTitan(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    if (settings.optimizer.kind != OptimizerKind::AdamW) {
        return fail(Error::Code::Unsupported,
                    "settings.optimizer.kind",
                    "torchtitan takes " + std::string(nameOf(settings.optimizer.kind)) +
                        " in Python, not in its config",
                    "--optimizer adamw");
    }
    return {};
}

std::string_view titanOptimizer(OptimizerKernel kernel) {
    return kernel == OptimizerKernel::Foreach   ? "foreach"
           : kernel == OptimizerKernel::ForLoop ? "for-loop"
                                                : "fused";
}

/// The sections in the order of their first keys.
std::string tomlOf(const TitanKeys& keys) {
    std::vector<std::pair<std::string, std::string>> sections;
    for (const TitanKey& key : keys.all()) {
        auto section =
            std::ranges::find(sections, key.section, &std::pair<std::string, std::string>::first);
        if (section == sections.end()) {
            section = sections.insert(sections.end(), {key.section, ""});
        }
        section->second +=
            key.name + " = " + (key.isText ? quotedText(key.value) : key.value) + "\n";
    }
    std::string text;
    for (const auto& [name, lines] : sections) {
        text += "\n[" + name + "]\n" + lines;
    }
    return text;
}

Result<std::string> floatSection(Quantization quantization) {
    switch (quantization) {
        case Quantization::None:
            return std::string();
        case Quantization::Fp8Tensorwise:  // without a name: with one it gathers no float8
            return std::string(
                "\n[quantize.linear.float8]\nenable_fsdp_float8_all_gather = true\n"
                "precompute_float8_dynamic_scale_for_fsdp = true\nfilter_fqns = [\"output\"]\n");
        case Quantization::Fp8Rowwise:
        case Quantization::Fp8RowwiseGwHp: {
            const bool isWide = quantization == Quantization::Fp8RowwiseGwHp;
            return "\n[quantize.linear.float8]\nrecipe_name = \"rowwise" +
                   std::string(isWide ? "_with_gw_hp" : "") + "\"\nfilter_fqns = [\"output\"]\n";
        }
        default:
            return fail(Error::Code::Unsupported,
                        "settings.kernels.quantization",
                        "torchtitan 0.2.2 has no " + std::string(nameOf(quantization)) +
                            " in its config that is known here",
                        "--precision fp8_rowwise or fp8_tensorwise");
    }
}

std::string_view titanCheckpointing(const RecomputeSettings& recompute) {
    switch (recompute.kind) {
        case Checkpointing::Selective:
            return "selective";
        case Checkpointing::Full:
            return "full";
        default:
            return "none";
    }
}

/// Its flavor, or the one that a module adds.
Result<TitanModel> flavorOf(const ModelSpec& model) {
    Result<TitanModel> packaged = titanModel(model, false);
    return packaged || !titanFlavorModule(model) ? packaged : TitanModel{"llama3", model.name, ""};
}

Result<std::string> tomlFile(const LaunchFacts& facts, TitanKeys keys) {
    const Scenario& scenario = facts.scenario;
    const Settings& settings = scenario.settings;
    FABRICAST_ASSIGN(const TitanModel model, flavorOf(scenario.model));
    FABRICAST_ASSIGN(const std::string floats, floatSection(settings.kernels.quantization));
    // Its script that fetches a tokenizer puts it into a folder of the model's name.
    const bool isFolder = facts.loadFrom.starts_with(".") || facts.loadFrom.starts_with("/");
    const std::string name = facts.loadFrom.empty()
                                 ? scenario.model.name
                                 : facts.loadFrom.substr(facts.loadFrom.find_last_of('/') + 1);
    const std::string assets = isFolder ? facts.loadFrom : "./assets/hf/" + name;
    keys.add("training", "steps", stepsOf(facts));
    std::string text = commentOf(facts.about) +
                       "#\n# Yours to set: training.steps, training.dataset and its path, "
                       "optimizer.lr. The folder\n"
                       "# hf_assets_path must have the tokenizer: scripts/download_hf_assets.py "
                       "fetches it.\n" +
                       "\n[model]\nname = " + quotedText(model.folder) +
                       "\nflavor = " + quotedText(model.flavor) +
                       "\nhf_assets_path = " + quotedText(assets) + "\n";
    text += floats.empty() ? "" : "converters = [\"quantize.linear.float8\"]\n";
    keys.add("parallelism", "expert_tensor_parallel_degree", scenario.layout.etp);
    if (settings.megatron.tensorOverlap) {
        keys.add("parallelism", "enable_async_tensor_parallel", true);
    }
    if (scenario.layout.cp > 1) {
        const bool ring = scenario.layout.cpKind == CpKind::Ring;
        keys.add("parallelism",
                 "context_parallel_rotate_method",
                 std::string_view(ring ? "alltoall" : "allgather"));
    }
    keys.add("optimizer", "name", std::string_view("AdamW"));
    keys.add("optimizer", "implementation", titanOptimizer(settings.optimizer.kernel));
    keys.add("activation_checkpoint", "mode", titanCheckpointing(settings.recompute));
    if (settings.recompute.kind == Checkpointing::Selective) {
        keys.add("activation_checkpoint", "selective_ac_option", std::string_view("op"));
    }
    return text + tomlOf(keys) + floats;
}

/// torchtitan 0.3 keeps its models' configs in Python: what differs is typed.
Result<std::string> argumentsOf(const LaunchFacts& facts, TitanKeys keys) {
    const Scenario& scenario = facts.scenario;
    const Settings& settings = scenario.settings;
    FABRICAST_ASSIGN(const TitanModel model, titanModel(scenario.model, true));
    if (settings.kernels.quantization != Quantization::None) {
        return fail(Error::Code::Unsupported,
                    "settings.kernels.quantization",
                    "torchtitan 0.3 sets " + std::string(nameOf(settings.kernels.quantization)) +
                        " in Python, not on its command line",
                    "--framework-version 0.2.2");
    }
    keys.add("parallelism", "enable_sequence_parallel", scenario.layout.sp);
    keys.add("parallelism", "spmd_backend", nameOf(settings.torch.backend));
    const bool noGraphs = scenario.layout.pp > 1 || scenario.layout.ep > 1;
    keys.add("training", "disable_cuda_graphs", noGraphs || !settings.kernels.cudaGraphs);
    keys.add("optimizer", "implementation", titanOptimizer(settings.optimizer.kernel));
    keys.add("compile", "enable_async_tensor_parallel", settings.megatron.tensorOverlap);
    const bool adapts = settings.tuning == Tuning::Lora;
    std::string text = "ARGUMENTS=(\n    --module " +
                       (adapts ? kTitanAdaptersModule : model.folder) + " --config " +
                       (adapts ? titanAdaptersConfig(model) : model.config) + "\n";
    for (const TitanKey& key : keys.all()) {
        const bool isFlag = key.value == "true" || key.value == "false";
        const std::string name = isFlag && key.value == "false" ? "no-" + key.name : key.name;
        text += "    --" + key.section + "." + name + (isFlag ? "" : " " + key.value) + "\n";
    }
    return text + ")\n# Yours to set: --training.steps, the data and its tokenizer" +
           (adapts ? ", and the weights of the base" : "") + ".\nYOURS=(\n" +
           "    --training.steps \"${STEPS:-" + std::to_string(stepsOf(facts)) +
           "}\"\n)\n# The plan's, and the last: it begins arguments of its own.\nRECOMPUTES=(\n" +
           "    activation-checkpoint:" + std::string(titanCheckpointing(settings.recompute)) +
           "\n)\n";
}

/// No key chooses the loss: files of a plan with another would not be of its forecast.
Result<void> checkLossOfRelease(const Scenario& scenario, std::span<const std::string> untold) {
    const bool isOther = std::ranges::any_of(
        untold, [](const std::string& one) { return one.starts_with("settings.kernels.loss="); });
    const LossKernel loss = scenario.settings.kernels.loss;
    return isOther
               ? fail(Error::Code::Unsupported,
                      "settings.kernels.loss",
                      "torchtitan 0.3.0 has its loss in chunks, and no key for " +
                          std::string(nameOf(loss)),
                      std::string(loss == LossKernel::Fp32Upcast ? "--framework-version 0.2.2, or "
                                                                 : "") +
                          "--set settings.kernels.loss=chunked")
               : Result<void>();
}

}  // namespace

Result<LaunchFiles> torchtitanFiles(const LaunchFacts& facts) {
    const Scenario& scenario = facts.scenario;
    const bool old = facts.version.starts_with("0.2") || facts.version.starts_with("v0.2");
    FABRICAST_TRY(checkTitanAdapters(scenario, old));
    FABRICAST_TRY(checkTitan(scenario));
    TitanKeys keys;
    addTitanTraining(scenario, keys);
    addTitanMesh(scenario, keys);
    FABRICAST_TRY(addTitanPipeline(scenario, keys));
    keys.add("compile", "enable", scenario.settings.kernels.compile);
    if (facts.saved) {
        keys.add("checkpoint", "enable", true);
        keys.add("checkpoint", "interval", facts.saved->steps);
        keys.add("checkpoint",
                 "async_mode",
                 std::string_view(facts.saved->inBackground ? "async" : "disabled"));
    }
    LaunchFiles files;
    std::vector<std::string_view> told(kToldToTitan.begin(), kToldToTitan.end());
    if (old) {
        told.push_back("kernels.loss");  // it has one, whatever the stack has now
    }
    FABRICAST_ASSIGN(files.untold, untoldSettings(scenario, told));
    if (old) {
        if (scenario.layout.tp > 1 && !scenario.layout.sp) {
            files.untold.emplace_back("layout.sp=off: 0.2.2 splits sequences wherever tp is");
        }
        if (scenario.settings.kernels.loss != LossKernel::Fp32Upcast) {
            files.untold.emplace_back(
                "settings.kernels.loss=" + std::string(nameOf(scenario.settings.kernels.loss)) +
                ": 0.2.2 makes all logits at once, and in fp32");
        }
        const bool addsFlavor = !titanModel(scenario.model, false);
        if (addsFlavor) {
            keys.add("experimental", "custom_import", std::string_view(kTitanFlavorModule));
        }
        FABRICAST_ASSIGN(std::string text, tomlFile(facts, std::move(keys)));
        files.files.push_back({"train.toml", std::move(text)});
        if (addsFlavor) {
            FABRICAST_ASSIGN(std::string module, titanFlavorModule(scenario.model));
            files.files.push_back({std::string(kTitanFlavorModule) + ".py", std::move(module)});
        }
        files.command = {"-m", "torchtitan.train", "--job.config_file", "train.toml", kTypedBehind};
        return files;
    }
    FABRICAST_TRY(checkLossOfRelease(scenario, files.untold));
    if (scenario.layout.cp > 1 && scenario.layout.cpKind == CpKind::Ring) {
        files.untold.emplace_back("layout.cp_kind=ring: 0.3 has no key for it");
    }
    FABRICAST_ASSIGN(files.script, argumentsOf(facts, std::move(keys)));
    if (scenario.settings.tuning == Tuning::Lora) {
        FABRICAST_ASSIGN(const TitanModel model, titanModel(scenario.model, true));
        FABRICAST_ASSIGN(std::string module, titanAdaptersModule(facts, model));
        files.files.push_back({std::string(kTitanAdaptersModule) + ".py", std::move(module)});
    }
    files.command = {"-m",
                     "torchtitan.train",
                     "\"${ARGUMENTS[@]}\"",
                     "\"${YOURS[@]}\"",
                     kTypedBehind,
                     "\"${RECOMPUTES[@]}\""};
    return files;
}

}  // namespace fabricast
