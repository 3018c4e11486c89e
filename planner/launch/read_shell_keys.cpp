#include "planner/launch/launch_keys.h"
#include "planner/launch/shell_flags.h"
#include "planner/launch/shell_trainings.h"
#include "planner/launch/shell_words.h"
#include "planner/launch/started_ranks.h"
#include "planner/launch/torchtune.h"
#include "planner/launch/trl.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fabricast {
namespace {

/// "env NCCL_DEBUG" and its value.
void addEnvironment(const ShellCommand& environment, LaunchKeys& keys) {
    for (const ShellWord& word : environment) {
        const std::size_t equals = word.text.find('=');
        keys.add({.path = "env " + word.text.substr(0, equals),
                  .values = {word.text.substr(equals + 1)},
                  .line = word.line,
                  .column = word.column});
    }
}

/// "sbatch --nodes".
void addBatch(const ShellCommand& typed, LaunchKeys& keys) {
    const ShellCommand words = slurmWords(typed);
    addFlags(words, 0, words.size(), "sbatch ", keys);
}

/// What stands before the script: "torchrun --nnodes" whoever the launcher is, "srun --ntasks", and
/// the ranks of mpirun as "mpirun -np".
void addLauncher(const ShellCommand& command, std::size_t end, LaunchKeys& keys) {
    constexpr std::array<std::string_view, 4> kMpi = {"-np", "-n", "--np", "--n"};
    const auto isNamed = [&](std::size_t i, std::string_view name) {
        const std::string& word = command[i].text;
        return word == name || word.ends_with("/" + std::string(name));
    };
    std::size_t begin = 0;
    while (begin < end && command[begin].text != "srun" && !isNamed(begin, "mpirun") &&
           !isNamed(begin, "mpiexec") && !isNamed(begin, "torchrun")) {
        ++begin;
    }
    const bool isSlurm = begin < end && command[begin].text == "srun";
    const bool isMpi = begin < end && (isNamed(begin, "mpirun") || isNamed(begin, "mpiexec"));
    std::size_t own = begin + 1;  // its options end where what it starts begins
    while ((isSlurm || isMpi) && own < end && !isNamed(own, "python") && !isNamed(own, "python3") &&
           !isNamed(own, "torchrun") && !isNamed(own, "accelerate") && !isNamed(own, "deepspeed") &&
           !isNamed(own, "axolotl") && !isNamed(own, "bash")) {
        ++own;
    }
    if (isSlurm) {
        const ShellCommand options =
            slurmWords(ShellCommand(command.begin() + static_cast<std::ptrdiff_t>(begin),
                                    command.begin() + static_cast<std::ptrdiff_t>(own)));
        addFlags(options, 0, options.size(), "srun ", keys);
        if (own < end && isNamed(own, "bash")) {  // what it starts has a launcher of its own
            keys.add({.path = "srun bash",
                      .values = {command[own].text},
                      .line = command[own].line,
                      .column = command[own].column});
        }
        addFlags(command, own, end, "torchrun ", keys);
        return;
    }
    for (std::size_t i = begin + 1; isMpi && i + 1 < own; ++i) {
        if (std::ranges::find(kMpi, command[i].text) != kMpi.end()) {
            keys.add({.path = "mpirun -np",
                      .values = {command[i + 1].text},
                      .line = command[i].line,
                      .column = command[i].column});
        }
    }
    addFlags(command, isMpi ? own : 0, end, "torchrun ", keys);
}

/// "$@" and its like: what is typed behind the script that is read.
bool isTypedBehind(const std::string& word) {
    return word == "$@" || word == "$*" || word.starts_with("${@") || word.starts_with("${*");
}

/// A script that is started as it stands is given nothing; one that has no argument of its own is
/// given all of them.
ShellCommand startedAlone(ShellCommand command, std::size_t script) {
    const auto own = command.begin() + static_cast<std::ptrdiff_t>(script) + 1;
    const bool hasOwn =
        std::any_of(own, command.end(), [](const ShellWord& word) { return isFlag(word.text); });
    if (hasOwn) {
        command.erase(
            std::remove_if(
                own, command.end(), [](const ShellWord& word) { return isTypedBehind(word.text); }),
            command.end());
    }
    return command;
}

/// What stands behind the script: its own arguments, and behind "--" of Axolotl those of the
/// launcher that it starts.
void addTypedArguments(const ShellCommand& command, std::size_t script, LaunchKeys& keys) {
    const std::size_t begin = script + 1;
    std::size_t end = command.size();
    if (!isOwnScript(command, script)) {
        const auto rest = command.begin() + static_cast<std::ptrdiff_t>(begin);
        end = static_cast<std::size_t>(
            std::ranges::find(rest, command.end(), "--", &ShellWord::text) - command.begin());
    }
    addFlags(command, begin, end, "", keys);
    if (end < command.size()) {
        addFlags(command, end + 1, command.size(), "torchrun ", keys);
    }
}

/// TRL starts accelerate launch, and takes its arguments among the trainer's.
LaunchKeys keysOfTrl(const LaunchKeys& typed) {
    LaunchKeys keys = trlArguments(typed);
    LaunchKey command = *keys.find("script");
    command.path = kTrlKey;
    keys.add(command);
    command.path = "torchrun accelerate";
    command.values = {};
    keys.add(std::move(command));
    return keys;
}

/// torchtune's recipe ("run" alone where none is named), its launcher, and what is typed over its
/// config: "tune batch_size" of batch_size=4, "tune ~seed" of ~seed.
void addTune(const ShellCommand& command, std::size_t recipe, LaunchKeys& keys) {
    const ShellWord& word = command[recipe];
    LaunchKey key{
        .path = "script", .values = {word.text}, .line = word.line, .column = word.column};
    keys.add(key);
    key.path = kTuneKey;
    keys.add(std::move(key));
    addLauncher(command, recipe, keys);
    ShellCommand flags;
    for (std::size_t i = recipe + 1; i < command.size(); ++i) {
        const ShellWord& typed = command[i];
        const bool isConfig = i > recipe + 1 && command[i - 1].text == "--config";
        if (typed.text.starts_with('-') || isConfig) {
            flags.push_back(typed);
            continue;
        }
        const std::size_t equals = std::min(typed.text.find('='), typed.text.size());
        LaunchKey over{.path = std::string(kTunedKey) + typed.text.substr(0, equals),
                       .values = {},
                       .line = typed.line,
                       .column = typed.column};
        if (equals < typed.text.size()) {
            over.values.push_back(typed.text.substr(equals + 1));
        }
        keys.add(std::move(over));
    }
    addFlags(flags, 0, flags.size(), "", keys);
}

/// A job that starts another script: its name, and what stands before it.
void addStarted(const std::vector<ShellCommand>& commands, LaunchKeys& keys) {
    for (const ShellCommand& command : commands) {
        for (std::size_t i = 0; i < command.size(); ++i) {
            const ShellWord& word = command[i];
            std::string script = scriptIn(word.text);
            if (!script.empty() && mayStart(command, i)) {
                addLauncher(command, i, keys);
                keys.add({.path = "starts",
                          .values = {std::move(script)},
                          .line = word.line,
                          .column = word.column});
                return;
            }
        }
    }
}

}  // namespace

Result<LaunchKeys> readShellKeys(std::string_view text, const std::string& source) {
    FABRICAST_ASSIGN(const ShellScript script, readShellScript(text, source));
    const std::vector<ShellCommand>& commands = script.commands;
    LaunchKeys keys(source);
    addBatch(script.batch, keys);
    addEnvironment(script.environment, keys);
    for (const ShellCommand& command : commands) {
        if (const std::size_t recipe = tuneRecipe(command); recipe < command.size()) {
            addTune(command, recipe, keys);
            return keys;
        }
    }
    const ShellCommand* const start = startOf(commands);
    if (start != nullptr) {
        const std::size_t at = scriptOf(*start);
        const ShellCommand command = startedAlone(*start, at);
        addLauncher(command, at, keys);
        addSecondTraining(commands, *start, keys);
        addOpenArguments(command, keys);
        const bool byTrl = isTrlTrainer(command, at);
        keys.add({.path = "script",
                  .values = {(byTrl ? "trl " : "") + fileOfScript(command, at)},
                  .line = command[at].line,
                  .column = command[at].column});
        addTypedArguments(command, at, keys);
        return byTrl ? keysOfTrl(keys) : keys;
    }
    for (const ShellCommand& command : commands) {
        if (const ShellWord* const other = otherOfAxolotl(command)) {
            return fail(
                Error::Code::BadInput,
                source + ":" + std::to_string(other->line) + ":" + std::to_string(other->column),
                "axolotl " + other->text + " does not train",
                "a script that calls axolotl train, or its YAML");
        }
    }
    ShellCommand all;  // a list of arguments may have a line for each
    for (const ShellCommand& command : commands) {
        all.insert(all.end(), command.begin(), command.end());
    }
    const bool isList = !all.empty() && isFlag(all.front().text);
    if (!isList) {
        addStarted(commands, keys);
    }
    if (!isList && (!script.batch.empty() || keys.has("starts"))) {
        return keys;  // a job that starts something else
    }
    for (const ShellCommand& command : commands) {
        if (!command.empty() && command.front().text == "llamafactory-cli") {
            return fail(Error::Code::BadInput,
                        source + ":" + std::to_string(command.front().line) + ":" +
                            std::to_string(command.front().column),
                        "llamafactory-cli is of LLaMA-Factory, whose files are not read",
                        "its arguments in a script, with DeepSpeed's or Accelerate's file");
        }
    }
    if (!isList) {
        return fail(Error::Code::BadInput,
                    source,
                    "no command of it starts a training script",
                    "a script that calls pretrain_gpt.py or torchtitan.train, or its arguments");
    }
    addFlags(all, 0, all.size(), "", keys);
    return keys;
}

}  // namespace fabricast
