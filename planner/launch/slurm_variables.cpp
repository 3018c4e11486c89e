#include "planner/launch/started_ranks.h"

#include <algorithm>
#include <map>

namespace fabricast {
namespace {

/// Options with their values, "--nodes=4" as "--nodes 4".
std::map<std::string, std::string, std::less<>> slurmOptions(const ShellCommand& batch) {
    std::map<std::string, std::string, std::less<>> options;
    const ShellCommand words = slurmWords(batch);
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i].text;
        const std::size_t equals = word.find('=');
        if (equals != std::string::npos) {
            options[word.substr(0, equals)] = word.substr(equals + 1);
        } else if (i + 1 < words.size()) {
            options[word] = words[i + 1].text;
        }
    }
    return options;
}

/// GPUs are asked for with their kind, which only the count of a node is without: "gpu:a100:8".
std::string valueInJob(const SlurmVariable& variable, const std::string& typed) {
    const bool isOnNode = variable.name == "SLURM_GPUS_ON_NODE";
    const bool isOther = variable.option == "--gres" && !typed.starts_with("gpu");
    return isOther ? "" : isOnNode ? typed.substr(typed.rfind(':') + 1) : typed;
}

}  // namespace

bool isSlurmCount(const std::string& text) {
    constexpr std::size_t kMostDigits = 6;
    return !text.empty() && text.size() <= kMostDigits && text.front() != '0' &&
           text.find_first_not_of("0123456789") == std::string::npos;
}

ShellCommand slurmWords(ShellCommand words) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kShort = {
        {{"-N", "--nodes"}, {"-n", "--ntasks"}, {"-c", "--cpus-per-task"}, {"-G", "--gpus"}}};
    for (ShellWord& word : words) {
        for (const auto& [typed, option] : kShort) {
            if (word.text == typed) {
                word.text = option;
            } else if (word.text.starts_with(typed)) {
                word.text = std::string(option) + "=" + word.text.substr(typed.size());
            }
        }
    }
    return words;
}

std::vector<std::pair<std::string, std::string>> slurmVariables(const ShellCommand& batch) {
    auto options = slurmOptions(batch);
    const std::string nodes = options["--nodes"];
    const std::string each = options["--ntasks-per-node"];
    if (!isSlurmCount(options["--ntasks"]) && isSlurmCount(nodes) && isSlurmCount(each)) {
        options["--ntasks"] = std::to_string(std::stoll(nodes) * std::stoll(each));
    }
    std::vector<std::pair<std::string, std::string>> set;
    for (const SlurmVariable& one : kSlurmVariables) {
        const auto option = options.find(one.option);
        std::string value = option == options.end() ? "" : valueInJob(one, option->second);
        const std::string name(one.name);
        const bool isSet =
            std::ranges::find(set, name, [](const auto& pair) { return pair.first; }) != set.end();
        if (isSlurmCount(value) && !isSet) {
            set.emplace_back(name, std::move(value));
        }
    }
    return set;
}

}  // namespace fabricast
