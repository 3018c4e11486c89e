#include "planner/base/quantity_text.h"
#include "planner/ops/parameters.h"
#include "planner/spec/layout_fields.h"
#include "planner/spec/names.h"
#include "planner/spec/setting_fields.h"
#include "planner/spec/setting_names.h"
#include "study/input_effects.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <string_view>
#include <type_traits>

namespace fabricast {

namespace {

using Inputs = std::vector<ScenarioInput>;

std::string wordOf(bool value) {
    return value ? "true" : "false";
}
std::string wordOf(std::int64_t value) {
    return std::to_string(value);
}
std::string wordOf(double value) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}
std::string wordOf(const NameSet& words) {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : "+") + word;
    }
    return text.empty() ? "none" : text;
}
std::string wordOf(const TrainedPart& part) {
    return trainedText(part);
}
template <class T>
requires std::is_enum_v<T> std::string wordOf(T value) {
    return std::string(nameOf(value));
}

template <class Group>
void addFields(Inputs& inputs, const std::string& prefix, const Group& group) {
    eachField(group, [&](const auto& field, const auto& value) {
        const std::string key = prefix + std::string(field.name);
        if constexpr (SettingGroup<std::remove_cvref_t<decltype(value)>>) {
            addFields(inputs, key + ".", value);
        } else {
            inputs.push_back({key, wordOf(value)});
        }
    });
}

void addModel(Inputs& inputs, const ModelSpec& model) {
    const MoeSpec experts = model.moe.value_or(MoeSpec());
    inputs.push_back({"model", model.name});
    inputs.push_back({"model.parameters", wordOf(countParameters(model).total)});
    inputs.push_back({"model.layers", wordOf(model.layers)});
    inputs.push_back({"model.hidden", wordOf(model.hidden)});
    inputs.push_back({"model.vocab", wordOf(model.vocab)});
    inputs.push_back({"model.heads", wordOf(model.attention.heads)});
    inputs.push_back({"model.kv_heads", wordOf(model.attention.kvHeads)});
    inputs.push_back({"model.mlp_width", wordOf(model.mlp.width)});
    inputs.push_back({"model.experts", wordOf(experts.experts)});
    inputs.push_back({"model.experts_per_token", wordOf(experts.topK)});
    inputs.push_back({"model.expert_width", wordOf(experts.expertWidth)});
}

void addCluster(Inputs& inputs, const ClusterSpec& cluster) {
    const GpuSpec& gpu = cluster.node.gpu;
    inputs.push_back({"cluster.name", cluster.name});
    inputs.push_back({"cluster.nodes", wordOf(cluster.nodes)});
    inputs.push_back({"cluster.gpus", wordOf(cluster.gpus())});
    inputs.push_back({"cluster.gpu", gpu.name});
    inputs.push_back(
        {"cluster.gpu_memory",
         gpu.capacity().value ? shortText(*gpu.capacity().value) : std::string("not known")});
    inputs.push_back({"cluster.fabric", cluster.fabric.name});
}

}  // namespace

std::vector<ScenarioInput> scenarioInputs(const Scenario& scenario) {
    Inputs inputs;
    addModel(inputs, scenario.model);
    addCluster(inputs, scenario.cluster);
    inputs.push_back({"stack", scenario.stack});
    inputs.push_back({"workload.sequence", wordOf(scenario.workload.sequence)});
    inputs.push_back({"workload.global_batch", wordOf(scenario.workload.globalBatch)});
    Layout layout = scenario.layout;
    layout.etp = scenario.model.moe ? layout.etp : 1;  // not used without experts
    addFields(inputs, "layout.", layout);
    addFields(inputs, "settings.", scenario.settings);
    return inputs;
}

namespace {

std::string statedOf(const ComparedSide& side, const std::string& key) {
    for (const auto& [name, value] : side.budget) {
        if (name == key) {
            return value;
        }
    }
    return "default";
}

/// Keys of price and operation that some side states, where the sides differ in them.
void addBudgets(const std::vector<ComparedSide>& sides, std::vector<InputDifference>& found) {
    std::set<std::string> keys;
    for (const ComparedSide& side : sides) {
        for (const auto& [key, value] : side.budget) {
            keys.insert(key);
        }
    }
    for (const std::string& key : keys) {
        InputDifference one{key, {}};
        for (const ComparedSide& side : sides) {
            one.values.push_back(statedOf(side, key));
        }
        if (std::ranges::adjacent_find(one.values, std::ranges::not_equal_to{}) !=
            one.values.end()) {
            found.push_back(std::move(one));
        }
    }
}

}  // namespace

std::vector<InputDifference> inputDifferences(const std::vector<ComparedSide>& sides) {
    std::vector<Inputs> said;
    for (const ComparedSide& side : sides) {
        said.push_back(scenarioInputs(side.scenario));
    }
    std::vector<InputDifference> differences;
    for (std::size_t row = 0; !said.empty() && row < said.front().size(); ++row) {
        InputDifference one{said.front()[row].key, {}};
        for (const Inputs& inputs : said) {
            one.values.push_back(inputs[row].value);
        }
        if (std::ranges::adjacent_find(one.values, std::ranges::not_equal_to{}) !=
            one.values.end()) {
            differences.push_back(std::move(one));
        }
    }
    // Of models of two names the size says enough; of one under one name, what changed in it.
    if (!differences.empty() && differences.front().key == "model") {
        std::erase_if(differences, [](const InputDifference& one) {
            return one.key.starts_with("model.") && one.key != "model.parameters";
        });
    }
    addBudgets(sides, differences);
    return differences;
}

}  // namespace fabricast
