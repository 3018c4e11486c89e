#pragma once
#include "planner/base/result.h"
#include "planner/spec/settings.h"
#include "planner/text/json_document.h"
#include "planner/text/json_text.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// The settings, overridden by a scenario's "settings" object.
///     FABRICAST_ASSIGN(settings, applySettings(*root.find("settings"), stack->defaults(layout)));
Result<Settings> applySettings(const JsonValue& object, Settings settings);

/// Every setting, in the form that applySettings reads.
void writeSettings(JsonText& json, std::string_view key, const Settings& settings);

/// "settings.kernels.loss" and so on: all that --set understands, with the values each can take.
struct SettingHelp {
    std::string path;
    std::string values;
    std::string range{};  ///< of a number that is not any: "from 0 to 0.9"
};
std::vector<SettingHelp> describeSettings();

}  // namespace fabricast
