#include "planner/launch/made_model.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

using namespace std::string_view_literals;

/// What of a configuration decides how large a model is.
constexpr std::array kSizesOfModels = {"num_hidden_layers"sv,
                                       "num_layers"sv,
                                       "n_layer"sv,
                                       "n_layers"sv,
                                       "hidden_size"sv,
                                       "n_embd"sv,
                                       "intermediate_size"sv,
                                       "n_inner"sv,
                                       "moe_intermediate_size"sv,
                                       "num_attention_heads"sv,
                                       "n_head"sv,
                                       "num_key_value_heads"sv,
                                       "head_dim"sv,
                                       "vocab_size"sv,
                                       "num_experts"sv,
                                       "num_local_experts"sv,
                                       "n_routed_experts"sv,
                                       "num_experts_per_tok"sv,
                                       "tie_word_embeddings"sv,
                                       "first_k_dense_replace"sv};

/// "num_hidden_layers 8" of from_pretrained(…, num_hidden_layers=8), of an attribute that is set of
/// what it made, and of config.update({"num_hidden_layers": 8}); empty: it changes no size.
std::string changedSize(const LaunchKeys& keys, const LaunchKey& key) {
    const std::string value = key.values.size() == 1 ? key.values.front() : "";
    for (const std::string_view size : kSizesOfModels) {
        if (key.path == "from_pretrained." + std::string(size) ||
            key.path == "from_config." + std::string(size)) {
            return std::string(size) + (value.starts_with("$") ? "" : " " + value);
        }
        const LaunchKey* const update = key.path == "update.0" ? keys.find("update") : nullptr;
        const bool isOfConfig = update != nullptr && update->values.size() == 1 &&
                                update->values.front().find("config") != std::string::npos &&
                                !update->values.front().starts_with("wandb");
        const std::size_t said = isOfConfig ? value.find(size) : std::string::npos;
        if (said != std::string::npos) {
            return std::string(size);
        }
    }
    const bool setsLayers = key.path.starts_with("model.") &&
                            (key.path.ends_with(".layers =") || key.path.ends_with(".h ="));
    const bool isSlice =
        (value.find("layers[") != std::string::npos || value.find(".h[") != std::string::npos) &&
        value.find(':') != std::string::npos;
    return setsLayers && isSlice ? "num_hidden_layers" : "";
}

}  // namespace

bool changesSize(const LaunchKeys& program, const LaunchKey& key) {
    return !changedSize(program, key).empty();
}

void importChangedConfig(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    for (const LaunchKey& key : std::vector<LaunchKey>(keys.all())) {
        const std::string size = changedSize(keys, key);
        if (!size.empty()) {
            (void)keys.use(key.path);
            draft.leaveOpen("model",
                            key,
                            size.substr(0, size.find(' ')) +
                                ": the program changes the model that it names, which is not read",
                            "-m FILE, its config.json with " + size +
                                (size.find(' ') == std::string::npos ? " as it is changed" : "") +
                                ", or -m NAME to forecast it unchanged");
            return;
        }
    }
}

}  // namespace fabricast
