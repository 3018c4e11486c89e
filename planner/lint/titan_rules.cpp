#include "planner/base/small_letters.h"
#include "planner/launch/torchtitan_model.h"
#include "planner/lint/framework_files.h"

#include <algorithm>

namespace fabricast {
namespace {

/// As TOML and as arguments have them.
constexpr std::array<std::string_view, 5> kModes = {
    "none", "selective", "full", "memory_budget", "memory-budget"};

LintHits wrongMode(const LintView& view) {
    const std::string mode = view.file.text("activation_checkpoint.mode");
    return isUnsetOrOneOf(mode, kModes)
               ? LintHits{}
               : LintHits{{view.file.at("activation_checkpoint.mode"),
                           R"(mode ")" + mode + R"(" of activation_checkpoint)",
                           "none, selective, full or memory_budget"}};
}

LintHits uncompiled(const LintView& view) {
    const LintFile& file = view.file;
    LintHits hits;
    if (file.isOn("compile.enable")) {
        return hits;
    }
    for (const char* const path :
         {"parallelism.enable_async_tensor_parallel", "compile.enable_async_tensor_parallel"}) {
        if (file.isOn(path) && titanDegree(file, "tensor_parallel") > 1) {
            hits.push_back(
                {file.at(path), "asynchronous TP without compile", "compile.enable = true"});
        }
    }
    if (file.text("activation_checkpoint.mode").starts_with("memory")) {
        hits.push_back({file.at("activation_checkpoint.mode"),
                        "memory_budget without compile",
                        "compile.enable = true"});
    }
    return hits;
}

/// build_optimizers (torchtitan/components/optimizer.py of 0.2.2) knows these two by name; in 0.3 a
/// model's config has a class of its own.
LintHits unknownOptimizer(const LintView& view) {
    const std::string name = view.file.text("optimizer.name");
    return name.empty() || name == "Adam" || name == "AdamW" || view.file.isArguments()
               ? LintHits{}
               : LintHits{{view.file.at("optimizer.name"),
                           "optimizer.name is " + name,
                           "optimizer.name = \"AdamW\""}};
}

bool convertsToFloat8(const LintFile& file) {
    const LaunchKey* const key = file.at("model.converters");
    return key != nullptr && std::ranges::any_of(key->values, [](const std::string& one) {
               return one.find("float8") != std::string::npos;
           });
}

LintHits roundedHead(const LintView& view) {
    const LintFile& file = view.file;
    const LaunchKey* const filter = file.at("quantize.linear.float8.filter_fqns");
    const bool keeps =
        filter != nullptr && std::ranges::any_of(filter->values, [](const std::string& one) {
            return one == "output" || one == "lm_head";
        });
    if (!convertsToFloat8(file) || keeps) {
        return {};
    }
    return {{filter != nullptr ? filter : file.at("model.converters"),
             "the last layer is computed in float8 too",
             R"(quantize.linear.float8.filter_fqns = ["output"])"}};
}

/// Its keys are read by the converter, which is not there.
LintHits unreadFloat8(const LintView& view) {
    const LintFile& file = view.file;
    if (file.isArguments() || convertsToFloat8(file)) {
        return {};
    }
    static constexpr std::string_view kPart = "quantize.linear.float8.";
    const auto all = file.keys().all();
    const auto first =
        std::ranges::find_if(all, [](const LaunchKey& key) { return key.path.starts_with(kPart); });
    return first == all.end()
               ? LintHits{}
               : LintHits{{file.at(first->path),
                           "[quantize.linear.float8] without model.converters",
                           R"(model.converters = ["quantize.linear.float8"])" +
                               std::string(
                                   file.isOn("compile.enable") ? "" : ", compile.enable = true")}};
}

LintHits slowFloat8(const LintView& view) {
    if (!convertsToFloat8(view.file) || view.file.isOn("compile.enable")) {
        return {};
    }
    return {{view.file.at("model.converters"), "float8 without compile", "compile.enable = true"}};
}

LintHits gatheredRows(const LintView& view) {
    const LintFile& file = view.file;
    const char* const path = "quantize.linear.float8.enable_fsdp_float8_all_gather";
    if (!file.isOn(path) || file.text("quantize.linear.float8.recipe_name").empty()) {
        return {};
    }
    return {{file.at(path),
             "float8 all-gathers with recipe " + file.text("quantize.linear.float8.recipe_name"),
             "leave recipe_name out, which means tensorwise"}};
}

LintHits graphsOfPipelines(const LintView& view) {
    const LintFile& file = view.file;
    if (!file.isArguments() || titanDegree(file, "pipeline_parallel") <= 1 ||
        file.isOn("training.disable_cuda_graphs")) {
        return {};
    }
    return {{file.at("parallelism.pipeline_parallel_degree"),
             "a pipeline, and CUDA graphs are not disabled",
             "--training.disable_cuda_graphs"}};
}

LintHits fp32Products(const LintView& view) {
    const char* const path = "training.mixed_precision_param";
    return view.file.text(path) == "float32" ? LintHits{{view.file.at(path),
                                                         "mixed_precision_param is float32",
                                                         R"(mixed_precision_param = "bfloat16")"}}
                                             : LintHits{};
}

/// The flavor of a TOML, which is of 0.2.2, or the config of arguments, which are of 0.3.0, where
/// the folder is torchtitan's own and nothing of the user's may add to it.
LintHits unknownModel(const LintView& view) {
    const LintFile& file = view.file;
    const bool named = file.isArguments();
    const char* const path = named ? "config" : "model.flavor";
    const std::string folder = file.text(named ? "module" : "model.name");
    const auto names = titanNames(folder, named);
    const bool isOwn = !file.text("experimental.custom_import").empty() ||
                       !file.text("job.custom_config_module").empty();
    if (!names || !file.has(path) || isOwn || isUnsetOrOneOf(file.text(path), *names)) {
        return {};
    }
    const std::string release = named ? "0.3.0" : "0.2.2";
    const std::string which = named ? "config" : "flavor";
    if (names->empty()) {
        return {{file.at(path),
                 "torchtitan " + release + " has no folder " + folder,
                 "torchtitan " + std::string(named ? "0.2.2" : "0.3.0") + ", which has it"}};
    }
    std::string list;
    for (const std::string_view one : *names) {
        const bool isTried = one.find("debug") != std::string_view::npos;
        list += isTried ? "" : (list.empty() ? "" : ", ") + std::string(one);
    }
    return {{file.at(path),
             folder + " of torchtitan " + release + " has no " + which + " " + file.text(path),
             "one of " + list}};
}

constexpr std::array kTitanRules = {
    LintRule{"TT02",
             LintSeverity::Error,
             "a mode of checkpointing that there is not",
             "The parser takes any word; the model cannot be made.",
             &wrongMode},
    LintRule{"TT04",
             LintSeverity::Error,
             "what needs compile without it",
             "torchtitan ends when the model is made.",
             &uncompiled},
    LintRule{"TT09",
             LintSeverity::Warning,
             "the last layer in float8",
             "Its sums are the most sensitive to rounding; the loss is worse for little time.",
             &roundedHead},
    LintRule{"TT10",
             LintSeverity::Warning,
             "float8 without compile",
             "Scaling and casting are kernels of their own: it is slower than bf16.",
             &slowFloat8},
    LintRule{"TT11",
             LintSeverity::Error,
             "float8 all-gathers with a recipe",
             "Only the default, tensorwise, has them: torchtitan ends at the start.",
             &gatheredRows},
    LintRule{"TT12",
             LintSeverity::Error,
             "CUDA graphs of a pipeline",
             "0.3.0 refuses it when it reads its arguments.",
             &graphsOfPipelines},
    LintRule{"TT14",
             LintSeverity::Warning,
             "products in fp32",
             "They run at a sixteenth of the rate of bf16, or half of it with TF32.",
             &fp32Products},
    LintRule{"TT15",
             LintSeverity::Warning,
             "float8 that nothing converts to",
             "torchtitan reads these keys where a converter asks for them: products are in bf16.",
             &unreadFloat8},
    LintRule{"TT17",
             LintSeverity::Error,
             "a size of a model that the package does not have",
             "torchtitan ends at the start: its config would be yours, by a module that adds it.",
             &unknownModel},
    LintRule{"TT19",
             LintSeverity::Error,
             "an optimizer that torchtitan does not have",
             "It ends at the start: Optimizer not added.",
             &unknownOptimizer}};

}  // namespace

std::span<const LintRule> titanRules() {
    return kTitanRules;
}

}  // namespace fabricast
