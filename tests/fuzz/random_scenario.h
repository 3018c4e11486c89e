#pragma once
#include "planner/request/settings_json.h"
#include "planner/stack/stack.h"
#include "tests/support/text_mutator.h"

#include <array>
#include <map>
#include <string>
#include <string_view>

namespace fabricast {

/// A scenario that could be meant: known names, sizes that often go together, any setting. Most
/// are refused by some rule; those that are not go all the way through the engine.
class RandomScenario {
public:
    explicit RandomScenario(std::uint64_t seed) : random_(seed) {}

    std::string text() {
        std::string json = "{\"model\": \"" + pick(kModels) + "\", \"cluster\": " + cluster() +
                           ", \"stack\": \"" + stack() + "\", \"layout\": " + layout();
        if (!random_.oneIn(4)) {
            json += ", \"workload\": " + workload();
        }
        if (random_.oneIn(2)) {
            json += ", \"settings\": " + settings();
        }
        return json + "}";
    }

private:
    static constexpr std::array<std::string_view, 10> kModels = {"gpt2",
                                                                 "llama-3.2-1b",
                                                                 "pythia-70m",
                                                                 "qwen3-0.6b",
                                                                 "deepseek-v2-lite",
                                                                 "gemma-3-270m",
                                                                 "opt-350m",
                                                                 "gpt-oss-20b",
                                                                 "qwen3-30b-a3b",
                                                                 "phi-3-mini"};
    static constexpr std::array<std::string_view, 5> kClusters = {
        "dgx-h100", "dgx-a100", "8x-rtx-4090", "gb200-nvl72", "mi300x-8"};
    static constexpr std::array<std::string_view, 8> kSizes = {
        "1", "1", "1", "2", "2", "4", "8", "3"};
    static constexpr std::array<std::string_view, 9> kRecompute = {
        "none", "none", "selective", "full", "uniform:2", "block:1", "core_attn", "mlp", "moe_act"};
    static constexpr std::array<std::string_view, 6> kSequences = {
        "128", "512", "1024", "2048", "4096", "1"};

    template <std::size_t Size>
    std::string pick(const std::array<std::string_view, Size>& words) {
        return std::string(words[random_.below(Size)]);
    }

    std::string stack() {
        const auto stacks = allStacks();
        return std::string(stacks[random_.below(stacks.size())].name);
    }

    std::string cluster() {
        const std::string name = "{\"name\": \"" + pick(kClusters) + "\"";
        switch (random_.below(3)) {
            case 0:
                return name + "}";
            case 1:
                return name + ", \"nodes\": " + pick(kSizes) + "}";
            default:
                return name + ", \"gpus\": " + pick(kSizes) + "}";
        }
    }

    std::string layout() {
        std::string json = "{\"micro_batch\": " + pick(kSizes);
        for (const std::string_view key : {"tp", "pp", "cp", "ep", "vpp", "dp", "shard_size"}) {
            if (random_.oneIn(4)) {
                json += ", \"" + std::string(key) + "\": " + pick(kSizes);
            }
        }
        if (random_.oneIn(2)) {
            json += ", \"recompute\": \"" + pick(kRecompute) + "\"";
        }
        if (random_.oneIn(3)) {
            constexpr std::array<std::string_view, 6> kShards = {
                "none", "zero1", "zero2", "zero3", "fsdp", "hsdp"};
            json += ", \"shard\": \"" + pick(kShards) + "\"";
        }
        if (random_.oneIn(6)) {
            constexpr std::array<std::string_view, 5> kOffloads = {
                "optimizer_cpu", "optimizer_nvme", "parameters_cpu", "activations", "none"};
            json += ", \"offload\": \"" + pick(kOffloads) + "\"";
        }
        return json + "}";
    }

    std::string workload() {
        constexpr std::array<std::string_view, 5> kBatches = {"8", "16", "64", "24", "1"};
        std::string json = "{\"sequence\": " + pick(kSequences);
        if (random_.oneIn(2)) {
            json += ", \"global_batch\": " + pick(kBatches);
        }
        return json + "}";
    }

    /// One to four settings, each with a value its own help names; LoRA with what it needs.
    std::string settings() {
        std::map<std::string, std::map<std::string, std::string>> groups;
        if (random_.oneIn(6)) {
            groups[""]["tuning"] = "\"lora\"";
            groups["lora"] = {{"rank", "8"}, {"targets", "[\"q\", \"v\", \"up\"]"}};
        }
        for (std::size_t count = 1 + random_.below(4); count > 0; --count) {
            const SettingHelp& setting = settings_[random_.below(settings_.size())];
            const std::string path = setting.path.substr(setting.path.find('.') + 1);
            const std::size_t dot = path.find('.');
            const std::string group = dot == std::string::npos ? "" : path.substr(0, dot);
            groups[group][path.substr(dot + 1)] = valueFor(setting);
        }
        std::string json;
        for (const auto& [group, members] : groups) {
            std::string inner;
            for (const auto& [key, value] : members) {
                inner += (inner.empty() ? "\"" : ", \"") + key + "\": " + value;
            }
            json += (json.empty() ? "" : ", ") +
                    (group.empty() ? inner : "\"" + group + "\": {" + inner + "}");
        }
        return "{" + json + "}";
    }

    std::string valueFor(const SettingHelp& setting) {
        if (setting.values == "number") {
            return pick(kSizes);
        }
        if (setting.values == "true|false") {
            return random_.oneIn(2) ? "true" : "false";
        }
        if (setting.values == "word+word") {
            return "[\"mlp\"]";
        }
        std::vector<std::string> words;
        for (std::size_t begin = 0; begin <= setting.values.size();) {
            const std::size_t end =
                std::min(setting.values.find('|', begin), setting.values.size());
            words.push_back("\"" + setting.values.substr(begin, end - begin) + "\"");
            begin = end + 1;
        }
        return words[random_.below(words.size())];
    }

    TextMutator random_;
    std::vector<SettingHelp> settings_ = describeSettings();
};

}  // namespace fabricast
