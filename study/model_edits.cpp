#include "planner/base/nearest_name.h"
#include "planner/models/hf_config.h"
#include "planner/text/json_builder.h"
#include "study/typed_edits.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

bool isReadBySome(const std::string& key) {
    const JsonBuilder build("");
    JsonValue config = build.object();
    JsonBuilder::appendMember(config, build.string(key), build.null());
    return keysNobodyReads(config).empty();
}

/// The key of this config that ends so, "num_hidden_layers" for "layers", or the nearest one.
std::string nearestKey(const JsonValue& config, const std::string& typed) {
    std::vector<std::string> keys;
    for (const JsonValue& member : config.members()) {
        if (member.name().ends_with("_" + typed)) {
            return "did you mean \"" + member.name() + "\"?";
        }
        keys.push_back(member.name());
    }
    return suggestName(typed, keys);
}

}  // namespace

Result<void> checkModelEdit(const JsonValue& root, const Edit& edit) {
    constexpr std::string_view kModel = "model.";
    const JsonValue* const model = root.find("model");
    if (!edit.path.starts_with(kModel) || model == nullptr) {
        return {};
    }
    const std::string where = edit.origin + " " + edit.path;
    if (model->is(JsonValue::Kind::String)) {
        return fail(Error::Code::BadInput,
                    where,
                    "the model " + model->shown() + " is a name, whose shape is not typed",
                    "-m FILE, a config.json with another num_hidden_layers, hidden_size, …");
    }
    const std::string rest = edit.path.substr(kModel.size());
    const std::string key = rest.substr(0, rest.find('.'));
    if (model->find(key) == nullptr && !isReadBySome(key)) {
        return fail(Error::Code::BadInput,
                    where,
                    "no model has a key \"" + key + "\"",
                    nearestKey(*model, key));
    }
    return {};
}

}  // namespace fabricast
