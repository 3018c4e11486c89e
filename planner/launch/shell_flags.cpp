#include "planner/launch/shell_flags.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace fabricast {
namespace {

/// "-m" behind "--nproc-per-node 8"; "-1" is a value.
bool isShortFlag(const std::string& word) {
    return word.size() == 2 && word[0] == '-' && std::isalpha(static_cast<unsigned char>(word[1]));
}

/// What nobody knows is no value of a flag that has one: it may be a list of others.
bool isUnknown(const std::string& word, const LaunchKey& key) {
    return word.starts_with("$") && (word.ends_with("[@]") || !key.values.empty());
}

}  // namespace

bool isFlag(const std::string& word) {
    return (word.size() > 2 && word.starts_with("--")) ||
           word.starts_with("activation-checkpoint:") || word.starts_with("activation_checkpoint:");
}

bool isScript(const std::string& word) {
    return word.ends_with(".py") || word == "torchtitan.train";
}

std::string_view programOf(const std::string& word) {
    return std::string_view(word).substr(word.rfind('/') + 1);
}

bool isModule(const ShellCommand& command, std::size_t at) {
    constexpr std::array<std::string_view, 4> kStarts = {
        "torch.distributed.", "accelerate.commands.", "deepspeed.", "axolotl."};
    const std::string& word = command[at].text;
    const std::string before = at == 0 ? "" : command[at - 1].text;
    const bool isNamed =
        before == "-m" || (before == "--module" && programOf(command.front().text) == "accelerate");
    const auto isLetter = [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '.';
    };
    return isNamed && word.find('.') != std::string::npos && std::ranges::all_of(word, isLetter) &&
           std::ranges::none_of(
               kStarts, [&word](std::string_view start) { return word.starts_with(start); });
}

std::string fileOfScript(const ShellCommand& command, std::size_t at) {
    std::string word = command[at].text;
    if (isScript(word) || !isModule(command, at)) {
        return word;
    }
    std::ranges::replace(word, '.', '/');
    return word + ".py";
}

void addFlags(const ShellCommand& words,
              std::size_t begin,
              std::size_t end,
              const std::string& before,
              LaunchKeys& keys) {
    for (std::size_t i = begin; i < end; ++i) {
        const ShellWord& word = words[i];
        LaunchKey key{
            .path = before + word.text, .values = {}, .line = word.line, .column = word.column};
        const std::size_t equals = word.text.find('=');
        if (isFlag(word.text) && equals != std::string::npos) {
            key.path = before + word.text.substr(0, equals);
            key.values.push_back(word.text.substr(equals + 1));
        }
        while (word.text.starts_with("--") && i + 1 < end && !isFlag(words[i + 1].text) &&
               !isShortFlag(words[i + 1].text) && !isScript(words[i + 1].text) &&
               !isUnknown(words[i + 1].text, key)) {
            key.values.push_back(words[++i].text);
        }
        keys.add(std::move(key));
    }
}

std::string scriptIn(const std::string& word) {
    constexpr std::string_view kBetween = " \t\"'";
    std::size_t begin = 0;
    std::string found;
    while (begin < word.size()) {
        const std::size_t end = std::min(word.find_first_of(kBetween, begin), word.size());
        const std::string_view one = std::string_view(word).substr(begin, end - begin);
        if (one.ends_with(".sh") || one.ends_with(".bash")) {
            const bool isVariable = one.starts_with('$');
            const std::size_t slash = isVariable ? one.find('/') : std::string_view::npos;
            found = one.substr(slash == std::string_view::npos ? 0 : slash + 1);
        }
        begin = end + 1;
    }
    return found;
}

bool mayStart(const ShellCommand& command, std::size_t at) {
    constexpr std::array<std::string_view, 3> kShells = {"bash", "sh", "zsh"};
    constexpr std::array<std::string_view, 21> kStarters = {
        "srun",    "mpirun", "mpiexec",     "jsrun",     "aprun",    "flux", "ssh",
        "pdsh",    "clush",  "docker",      "podman",    "enroot",   "sudo", "nohup",
        "timeout", "time",   "singularity", "apptainer", "torchrun", "nice", "numactl"};
    const auto isShell = [&](const ShellWord& word) {
        return std::ranges::find(kShells, programOf(word.text)) != kShells.end();
    };
    const auto before = command.begin() + static_cast<std::ptrdiff_t>(at);
    return at == 0 || std::any_of(command.begin(), before, isShell) ||
           std::ranges::find(kStarters, programOf(command.front().text)) != kStarters.end();
}

}  // namespace fabricast
