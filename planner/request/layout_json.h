#pragma once
#include "planner/base/result.h"
#include "planner/request/settings_json.h"
#include "planner/spec/layout_fields.h"
#include "planner/text/json_document.h"
#include "planner/text/json_text.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// "tp=8,pp=4,recompute=full" as the object that a scenario would hold; `source` is where it was
/// typed ("--layout").
Result<JsonValue> layoutObject(std::string_view text, const std::string& source);

/// A scenario's "layout": an object, or a string in the form of --layout.
Result<PartialLayout> readLayout(const JsonValue& layout);

/// "none", "selective", "full", "uniform:4", "block:2" or modules joined by '+'.
Result<RecomputeSettings> readRecompute(const JsonValue& value);

/// Every key of --layout, with the values it can take.
std::vector<SettingHelp> describeLayout();

void writeLayout(JsonText& json, std::string_view key, const Layout& layout);

}  // namespace fabricast
