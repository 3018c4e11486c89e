#include "planner/spec/layout_fields.h"
#include "planner/spec/setting_names.h"

#include <type_traits>

namespace fabricast {
namespace {

template <class Value>
std::string valueText(const Value& value) {
    if constexpr (std::is_enum_v<Value>) {
        return std::string(nameOf(value));
    } else if constexpr (std::is_same_v<Value, bool>) {
        return value ? "on" : "off";
    } else {
        return std::to_string(value);
    }
}

}  // namespace

std::string layoutText(const Layout& layout) {
    const Layout usual;
    std::string text;
    // Left out, Megatron's etp is tp.
    const bool saysExperts = layout.ep > 1 && layout.tp > 1;
    eachField(layout, [&](const auto& field, const auto& value) {
        if (value != usual.*(field.member) || (saysExperts && field.name == "etp")) {
            text += (text.empty() ? "" : ",") + std::string(field.name) + "=" + valueText(value);
        }
    });
    return text.empty() ? "dp=1" : text;
}

std::string PartialLayout::text(std::string_view key) const {
    std::string text = key == "recompute" ? recomputeText(recompute)
                       : key == "copies"  ? std::to_string(copies)
                                          : "";
    eachField(layout, [&](const auto& field, const auto& value) {
        if (field.name == key) {
            text = valueText(value);
        }
    });
    return text;
}

std::string recomputeText(const RecomputeSettings& recompute) {
    switch (recompute.kind) {
        case Checkpointing::None:
        case Checkpointing::Selective:
            return std::string(nameOf(recompute.kind));
        case Checkpointing::Full:
            return recompute.layers > 1 ? "uniform:" + std::to_string(recompute.layers) : "full";
        case Checkpointing::Block:
            return "block:" + std::to_string(recompute.layers);
        case Checkpointing::Modules:
            break;
    }
    std::string text;
    for (const std::string& module : recompute.modules) {
        text += (text.empty() ? "" : "+") + module;
    }
    return text;
}

}  // namespace fabricast
