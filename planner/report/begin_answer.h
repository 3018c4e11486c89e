#pragma once
#include "planner/text/json_text.h"

#include <string_view>

namespace fabricast {

/// What every answer begins with: the form of its document, and who wrote it.
///     .schema   .tool.name   .tool.version
inline void beginAnswer(JsonText& json, std::string_view schema, std::string_view version) {
    json.beginObject();
    json.add("schema", schema);
    json.beginObject("tool");
    json.add("name", "fabricast");
    json.add("version", version);
    json.end();
}

}  // namespace fabricast
