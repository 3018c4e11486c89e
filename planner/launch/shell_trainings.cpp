#include "planner/launch/shell_trainings.h"

#include "planner/launch/shell_flags.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace fabricast {
namespace {

/// Axolotl's program, whoever starts it: "srun axolotl", or "torchrun -m axolotl.cli.train".
bool isAxolotl(const std::string& word) {
    return word == "axolotl" || word.ends_with("/axolotl") || word == "axolotl.cli.train";
}

/// Whether it does something with its script, and not only with its name.
bool startsScript(const ShellCommand& command) {
    const std::string& first = command.front().text;
    const bool says = first == "echo" || first == "printf" || first == "[" || first == "test";
    return !says && otherOfAxolotl(command) == nullptr && scriptOf(command) < command.size();
}

/// What a script is called that does something else than to train.
bool isOfOtherWork(const std::string& script) {
    constexpr std::array<std::string_view, 16> kOthers = {"eval",
                                                          "test",
                                                          "infer",
                                                          "generat",
                                                          "convert",
                                                          "merge",
                                                          "prepar",
                                                          "process",
                                                          "tokeni",
                                                          "download",
                                                          "export",
                                                          "upload",
                                                          "serve",
                                                          "check",
                                                          "plot",
                                                          "setup"};
    const std::string_view name = programOf(script);
    return std::ranges::any_of(kOthers, [name](std::string_view part) {
        return name.find(part) != std::string_view::npos;
    });
}

/// Whether a launcher of trainings starts its script, or that is called as one that trains.
bool startsTraining(const ShellCommand& command) {
    constexpr std::array<std::string_view, 4> kLaunchers = {
        "torchrun", "accelerate", "deepspeed", "torch.distributed"};
    const std::size_t script = scriptOf(command);
    if (!startsScript(command) || isOfOtherWork(command[script].text)) {
        return false;
    }
    const auto isLauncher = [&kLaunchers](const ShellWord& word) {
        return std::ranges::any_of(kLaunchers, [&word](std::string_view launcher) {
            return programOf(word.text).starts_with(launcher);
        });
    };
    const auto end = command.begin() + static_cast<std::ptrdiff_t>(script);
    return std::any_of(command.begin(), end, isLauncher) || isTrlTrainer(command, script) ||
           !isOwnScript(command, script) ||
           programOf(command[script].text).find("train") != std::string_view::npos;
}

}  // namespace

bool isOwnScript(const ShellCommand& command, std::size_t at) {
    return isScript(command[at].text) || isModule(command, at) || isTrlTrainer(command, at);
}

bool isTrlTrainer(const ShellCommand& command, std::size_t at) {
    if (at == 0 || command[at].text.starts_with('-')) {
        return false;
    }
    const std::string& before = command[at - 1].text;
    return before == "trl" || before.ends_with("/trl");
}

std::size_t scriptOf(const ShellCommand& command) {
    bool byAxolotl = false;
    for (std::size_t i = 0; i < command.size(); ++i) {
        const std::string& word = command[i].text;
        byAxolotl = byAxolotl || isAxolotl(word);
        if (isOwnScript(command, i) ||
            (byAxolotl && (word.ends_with(".yaml") || word.ends_with(".yml")))) {
            return i;
        }
    }
    return command.size();
}

const ShellWord* otherOfAxolotl(const ShellCommand& command) {
    constexpr std::array<std::string_view, 8> kOthers = {"preprocess",
                                                         "inference",
                                                         "evaluate",
                                                         "lm-eval",
                                                         "merge-lora",
                                                         "merge-sharded-fsdp-weights",
                                                         "quantize",
                                                         "vllm-serve"};
    for (std::size_t i = 0; i + 1 < command.size(); ++i) {
        const ShellWord& next = command[i + 1];
        if (isAxolotl(command[i].text) && std::ranges::find(kOthers, next.text) != kOthers.end()) {
            return &next;
        }
    }
    return nullptr;
}

const ShellCommand* startOf(const std::vector<ShellCommand>& commands) {
    const ShellCommand* longest = nullptr;
    for (const ShellCommand& command : commands) {
        if (startsScript(command) && (longest == nullptr || command.size() > longest->size())) {
            longest = &command;
        }
    }
    return longest;
}

void addOpenArguments(const ShellCommand& command, LaunchKeys& keys) {
    constexpr std::array<std::string_view, 9> kHarmless = {"--resume",
                                                           "--output",
                                                           "--report",
                                                           "--run",
                                                           "--wandb",
                                                           "--log",
                                                           "--save",
                                                           "--seed",
                                                           "--debug"};
    for (const ShellWord& word : command) {
        bool matters = false;
        for (std::size_t flag = word.mayBe.find("--"); flag != std::string::npos;
             flag = word.mayBe.find("--", flag + 2)) {
            const std::string_view rest = std::string_view(word.mayBe).substr(flag);
            matters = matters || std::ranges::none_of(kHarmless, [rest](std::string_view one) {
                          return rest.starts_with(one);
                      });
        }
        if (matters) {
            const std::size_t begin = word.mayBe.find_first_not_of(' ');
            keys.add({.path = kOpenArguments,
                      .values = {word.text, word.mayBe.substr(begin)},
                      .line = word.line,
                      .column = word.column});
            return;
        }
    }
}

void addSecondTraining(const std::vector<ShellCommand>& commands,
                       const ShellCommand& first,
                       LaunchKeys& keys) {
    if (!startsTraining(first)) {
        return;
    }
    for (const ShellCommand& command : commands) {
        const bool isSame =
            std::ranges::equal(command, first, {}, &ShellWord::text, &ShellWord::text);
        if (!isSame && startsTraining(command)) {
            keys.add(
                {.path = kSecondTraining,
                 .values = {command[scriptOf(command)].text, std::to_string(first.front().line)},
                 .line = command.front().line,
                 .column = command.front().column});
            return;
        }
    }
}

}  // namespace fabricast
