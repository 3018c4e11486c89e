#include "planner/launch/made_model.h"
#include "planner/launch/python_model_keys.h"

#include <optional>
#include <string>
#include <vector>

namespace fabricast {
namespace {

constexpr const char* kNoSecond = "--set settings.reference=none, to forecast the run without it";

/// What a key says of a second model, in its order.
struct SecondModel {
    std::string name;
    std::string kind;
    std::string type;
    bool isAverage = false;
    bool isSharded = false;
};

std::string wordAt(const LaunchKey& key, std::size_t place) {
    return place < key.values.size() ? key.values[place] : "";
}

SecondModel secondOf(const LaunchKey& key) {
    return {.name = wordAt(key, 0),
            .kind = wordAt(key, 1),
            .type = wordAt(key, 2),
            .isAverage = wordAt(key, 3) == kAverageModel,
            .isSharded = wordAt(key, 4) == kShardedModel};
}

/// As settings have it; empty: it is none that is modelled.
std::string typeInSettings(const std::string& type) {
    return type == "float32" || type == "float"  ? "fp32"
           : type == "float16" || type == "half" ? "fp16"
           : type == "bfloat16" || type.empty()  ? "bf16"
                                                 : "";
}

/// 0: as many as the one that is trained has, beside which adapters would need none.
std::optional<std::int64_t> parametersOfSecond(const SecondModel& second,
                                               const ScenarioDraft& draft,
                                               const ImportContext& context) {
    if (second.kind == kSameModel && draft.word("settings.tuning") != "lora") {
        return 0;
    }
    return context.parameters ? context.parameters(second.name) : std::nullopt;
}

/// Whether it is one that settings.reference can say.
bool setReference(ScenarioDraft& draft, const SecondModel& second, const ImportContext& context) {
    const std::string type = typeInSettings(second.type);
    const auto parameters = parametersOfSecond(second, draft, context);
    if (second.kind == kQuantisedModel || type.empty() || !parameters ||
        draft.find("settings.reference") != nullptr) {
        return false;
    }
    draft.set("settings.reference", second.isSharded ? "sharded" : "whole", kSecondModel);
    const auto set = [&draft](const std::string& key, const auto& value) {
        draft.set("settings.reference_model." + key, value, kSecondModel);
    };
    if (type != "bf16") {
        set("dtype", type);
    }
    if (*parameters > 0) {
        set("parameters", *parameters);
    }
    if (second.isAverage) {
        set("forward", false);
    }
    if (second.type.empty()) {
        draft.assume("settings.reference_model.dtype",
                     "the second model has the type of its checkpoint, taken to be bfloat16; where "
                     "it has fp32: --set settings.reference_model.dtype=fp32");
    }
    return true;
}

void importSecondModel(ScenarioDraft& draft, const LaunchKey& key, const ImportContext& context) {
    const SecondModel second = secondOf(key);
    if (setReference(draft, second, context)) {
        return;
    }
    (void)draft.keys().use(kSecondModel);
    const std::string name = second.name.empty() ? "of a name that is not read" : second.name;
    draft.leaveOpen(
        "settings.reference",
        key,
        "a second model is loaded, " + name +
            ", whose size is not known or not modelled beside the one that is trained",
        "--set settings.reference=whole --set settings.reference_model.parameters=70e9, or " +
            std::string(kNoSecond));
}

}  // namespace

void importOtherModels(ScenarioDraft& draft, const ImportContext& context) {
    LaunchKeys& keys = draft.keys();
    for (const LaunchKey& key : std::vector<LaunchKey>(keys.all())) {
        if (key.path == kHostModel) {
            (void)keys.use(kHostModel);
            const std::string name =
                wordAt(key, 0).empty() ? "of a name that is not read" : wordAt(key, 0);
            draft.note("a second model, " + name + " (line " + std::to_string(key.line) +
                       "), is loaded to host memory and not counted");
        } else if (key.path == kSecondModel) {
            importSecondModel(draft, key, context);
        } else if (key.path == kUnreadModel) {
            (void)keys.use(kUnreadModel);
            draft.leaveOpen("settings.reference",
                            key,
                            wordAt(key, 0) +
                                " stands in another file and was not read: the model " +
                                wordAt(key, 1) + " that it loads would not be counted",
                            kNoSecond);
        } else if (key.path == kAnyModel) {
            (void)keys.use(kAnyModel);
            draft.leaveOpen("model",
                            key,
                            "several models are loaded, and which of them is trained was not read",
                            "-m NAME");
        }
    }
}

}  // namespace fabricast
