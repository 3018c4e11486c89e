#include "study/recipes.h"

#include <algorithm>
#include <array>
#include <string>

namespace fabricast {
namespace {

/// Where a key of a recipe makes sense.
enum class RecipeFor {
    Any,
    Experts,  ///< on several nodes
};

struct RecipeRow {
    std::string_view stack;
    std::string_view path;
    std::string_view value;
    std::string_view source;
    RecipeFor when = RecipeFor::Any;
};

constexpr std::string_view kAsPublished = " as published: ";
constexpr std::string_view kTransformers = "Hugging Face TrainingArguments, torch_compile";
constexpr std::string_view kMegatronGuide = "Megatron-Core user guide, parallelism: recommended";

// Only what holds for every layout: a switch that some layouts refuse would hide them.
constexpr std::array kRecipes = {
    RecipeRow{"ddp", "settings.kernels.compile", "true", kTransformers},
    RecipeRow{"ddp",
              "settings.torch.bucket_view",
              "true",
              "PyTorch, DistributedDataParallel: gradient_as_bucket_view"},
    RecipeRow{"fsdp1", "settings.kernels.compile", "true", kTransformers},
    RecipeRow{"fsdp2", "settings.kernels.compile", "true", kTransformers},
    RecipeRow{"deepspeed", "settings.kernels.compile", "true", kTransformers},
    RecipeRow{"accelerate", "settings.kernels.compile", "true", kTransformers},
    RecipeRow{"axolotl", "settings.kernels.compile", "true", "Axolotl, torch_compile"},
    RecipeRow{"torchtitan",
              "settings.kernels.compile",
              "true",
              "torchtitan benchmarks of Llama 3.1 on H100, compile.enable"},
    RecipeRow{"megatron", "settings.megatron.overlap_grad_reduce", "true", kMegatronGuide},
    RecipeRow{"megatron", "settings.megatron.overlap_param_gather", "true", kMegatronGuide},
    RecipeRow{"megatron",
              "settings.kernels.dispatch_once_per_node",
              "true",
              "Megatron-Core MoE guide, DeepSeek-V3 recipe: moe_enable_deepep",
              RecipeFor::Experts},
    RecipeRow{"nemo",
              "settings.kernels.dispatch_once_per_node",
              "true",
              "Megatron-Bridge recipe of DeepSeek-V3: moe_enable_deepep",
              RecipeFor::Experts}};

bool applies(const RecipeRow& row, const Scenario& scenario) {
    return row.when == RecipeFor::Any ||
           (scenario.model.moe.has_value() && scenario.cluster.nodes > 1);
}

}  // namespace

Result<bool> isTuned(const Question& question) {
    const JsonValue* search = question.root.find("search");
    const JsonValue* software = search == nullptr ? nullptr : search->find("software");
    if (software == nullptr) {
        return false;
    }
    const std::string name = software->text().value_or(software->shown());
    if (name == "tuned" || name == "as_is") {
        return name == "tuned";
    }
    return fail(Error::Code::BadInput,
                software->where(),
                "cannot be \"" + name + "\"",
                "tuned (each stack's published recipe) or as_is");
}

std::vector<Edit> recipeEdits(const Question& question,
                              std::string_view stack,
                              const Scenario& scenario) {
    std::vector<Edit> edits;
    for (const RecipeRow& row : kRecipes) {
        if (row.stack == stack && applies(row, scenario) && !says(question, row.path)) {
            edits.push_back({std::string(row.path), std::string(row.value), "--set"});
        }
    }
    return edits;
}

bool isRecipeNote(std::string_view note) {
    return note.find(kAsPublished) != std::string_view::npos;
}

std::string recipeNote(std::string_view stack, const std::vector<Edit>& edits) {
    std::string text;
    std::string_view last;
    for (const Edit& edit : edits) {
        const auto* const row = std::ranges::find_if(kRecipes, [&](const RecipeRow& one) {
            return one.stack == stack && one.path == edit.path;
        });
        text += (text.empty()          ? ""
                 : last == row->source ? ", "
                                       : " (" + std::string(last) + "), ") +
                edit.path + "=" + edit.value;
        last = row->source;
    }
    return text.empty() ? ""
                        : std::string(stack) + std::string(kAsPublished) + text + " (" +
                              std::string(last) + ")";
}

}  // namespace fabricast
