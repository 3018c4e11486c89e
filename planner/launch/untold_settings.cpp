#include "planner/launch/untold_settings.h"

#include "planner/base/enum_names.h"
#include "planner/launch/launch_files.h"
#include "planner/spec/setting_fields.h"
#include "planner/spec/setting_names.h"
#include "planner/stack/stack.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <type_traits>

namespace fabricast {
namespace {

std::string valueText(bool value) {
    return value ? "true" : "false";
}
template <std::integral Whole>
requires(!std::same_as<Whole, bool>) std::string valueText(Whole value) {
    return std::to_string(value);
}
std::string valueText(double value) {
    return decimalText(value);
}
std::string valueText(const NameSet& names) {
    std::string text;
    for (const std::string& name : names) {
        text += (text.empty() ? "" : "+") + name;
    }
    return text;
}
std::string valueText(const TrainedPart& part) {
    return trainedText(part);
}
template <class Enum>
requires std::is_enum_v<Enum> std::string valueText(Enum value) {
    return std::string(nameOf(value));
}

/// Of PYTORCH_ALLOC_CONF and NCCL's variables, which the launcher sets for every target.
constexpr std::array<std::string_view, 4> kToldByTheEnvironment = {
    "allocator", "max_split_size_mb", "roundup_power2_divisions", "nccl.*"};

bool isTold(std::span<const std::string_view> told, std::string_view group, std::string_view name) {
    const auto tells = [&](std::string_view one) {
        return one == name || (one.ends_with(".*") && one.substr(0, one.size() - 2) == group);
    };
    const auto excepts = [&](std::string_view one) {
        return one.starts_with('-') && one.substr(1) == name;
    };
    if (std::ranges::any_of(told, excepts)) {
        return false;
    }
    return std::ranges::any_of(told, tells) || std::ranges::any_of(kToldByTheEnvironment, tells);
}

/// A default in the type that is multiplied in is in that type, whichever it is: mixed_precision:
/// fp16 says both.
PrecisionSettings inTypeOf(PrecisionSettings usual, Dtype compute) {
    for (Dtype* dtype : {&usual.parameters, &usual.gradients, &usual.reduce, &usual.moments}) {
        *dtype = *dtype == usual.compute ? compute : *dtype;
    }
    return usual;
}

template <class Group>
void addUntold(const Group& asked,
               const Group& usual,
               const std::string& group,
               std::span<const std::string_view> told,
               std::vector<std::string>& untold) {
    eachField(asked, [&](const auto& field, const auto& value) {
        const auto& before = usual.*(field.member);
        const std::string path = group + std::string(field.name);
        if constexpr (SettingGroup<std::remove_cvref_t<decltype(value)>>) {
            addUntold(value, before, path + ".", told, untold);
        } else if (!(value == before) && !isTold(told, group.substr(0, group.find('.')), path)) {
            untold.push_back("settings." + path + "=" + valueText(value));
        }
    });
}

}  // namespace

Result<std::vector<std::string>> untoldSettings(const Scenario& scenario,
                                                std::span<const std::string_view> told) {
    FABRICAST_ASSIGN(const Stack* stack, findStack(scenario.stack));
    Settings usual =
        defaultSettings(*stack, scenario.model, scenario.layout, scenario.settings.tuning);
    usual.precision = inTypeOf(usual.precision, scenario.settings.precision.compute);
    std::vector<std::string> untold;
    addUntold(scenario.settings, usual, "", told, untold);
    return untold;
}

}  // namespace fabricast
