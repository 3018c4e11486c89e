#include "planner/launch/opened_framework.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

/// A framework as users name it, what its own files are written in, and whose they are then.
struct FrameworkForm {
    std::string_view name;
    FileForm form;
    LaunchKind kind;
};
constexpr std::array kFrameworkForms = {
    FrameworkForm{"accelerate", FileForm::Yaml, LaunchKind::Accelerate},
    FrameworkForm{"axolotl", FileForm::Yaml, LaunchKind::Axolotl},
    FrameworkForm{"deepspeed", FileForm::Json, LaunchKind::Deepspeed},
    FrameworkForm{"megatron", FileForm::Shell, LaunchKind::Megatron},
    FrameworkForm{"nemo", FileForm::Yaml, LaunchKind::Megatron},
    FrameworkForm{"python", FileForm::Python, LaunchKind::Script},
    FrameworkForm{"slurm", FileForm::Shell, LaunchKind::Script},
    FrameworkForm{"torchrun", FileForm::Shell, LaunchKind::Script},
    FrameworkForm{"torchtitan", FileForm::Toml, LaunchKind::Titan},
    FrameworkForm{"torchtune", FileForm::Yaml, LaunchKind::Tune},
    FrameworkForm{"transformers", FileForm::Shell, LaunchKind::Trainer},
    FrameworkForm{"trl", FileForm::Yaml, LaunchKind::Trainer}};

/// How the file of a kind is called in an error.
std::string_view nameOf(LaunchKind kind) {
    const auto found = std::ranges::find(kFrameworkForms, kind, &FrameworkForm::kind);
    return found == kFrameworkForms.end() ? "torch" : found->name;
}

bool endsWithOneOf(std::string_view source, const std::array<std::string_view, 4>& endings) {
    return std::ranges::any_of(
        endings, [source](std::string_view ending) { return source.ends_with(ending); });
}

bool isDeepspeedText(std::string_view text) {
    const auto says = [text](std::string_view key) {
        return text.find("\"" + std::string(key) + "\"") != std::string_view::npos;
    };
    return says("zero_optimization") || says("train_micro_batch_size_per_gpu") ||
           says("train_batch_size");
}

}  // namespace

FileForm formOf(std::string_view text, const std::string& source, std::string_view from) {
    if (source.ends_with(".toml")) {
        return FileForm::Toml;
    }
    if (source.ends_with(".yaml") || source.ends_with(".yml")) {
        return FileForm::Yaml;
    }
    if (source.ends_with(".py")) {
        return FileForm::Python;
    }
    if (endsWithOneOf(source, {".sh", ".sbatch", ".slurm", ".bash"}) || text.starts_with("#!") ||
        text.starts_with("--")) {
        return FileForm::Shell;
    }
    if (const auto said = std::ranges::find(kFrameworkForms, from, &FrameworkForm::name);
        said != kFrameworkForms.end()) {
        return said->form;
    }
    const bool isScenario = text.find("fabricast.") != std::string_view::npos ||
                            text.find("\"model\"") != std::string_view::npos;
    return isDeepspeedText(text) && !isScenario ? FileForm::Json : FileForm::Scenario;
}

std::vector<std::string> frameworksOfFiles() {
    std::vector<std::string> names;
    for (const FrameworkForm& one : kFrameworkForms) {
        names.emplace_back(one.name);
    }
    return names;
}

Result<void> checkFramework(const OpenedFile& file, std::string_view from) {
    const auto said = std::ranges::find(kFrameworkForms, from, &FrameworkForm::name);
    const bool isAny = said == kFrameworkForms.end() || said->kind == LaunchKind::Script ||
                       file.kind == LaunchKind::Script || file.kind == said->kind;
    return isAny ? Result<void>()
                 : fail(Error::Code::BadInput,
                        file.keys.source(),
                        "is a file of " + std::string(nameOf(file.kind)) + ", not of " +
                            std::string(from),
                        "--from " + std::string(nameOf(file.kind)) + ", or without --from");
}

}  // namespace fabricast
