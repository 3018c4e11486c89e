#include "planner/models/hf_checks.h"

#include <optional>
#include <string>

namespace fabricast {

namespace {

const JsonValue* rotationOf(const JsonValue& config) {
    for (const char* key : {"rope_parameters", "rope_scaling"}) {
        const JsonValue* value = config.find(key);
        if (value != nullptr && value->is(JsonValue::Kind::Object)) {
            return value;
        }
    }
    return nullptr;
}

std::string typeOf(const JsonValue& rotation) {
    for (const char* key : {"rope_type", "type"}) {
        if (const JsonValue* value = rotation.find(key)) {
            return value->text().value_or("");
        }
    }
    return "default";
}

/// 0 and null are as absent: transformers asks for their truth.
std::optional<double> numberOf(const JsonValue& rotation, const char* key) {
    constexpr double kMost = 1e6;
    const JsonValue* value = rotation.find(key);
    const double number = value == nullptr ? 0.0 : value->number(0.0, kMost).value_or(0.0);
    return number > 0.0 ? std::optional(number) : std::nullopt;
}

}  // namespace

bool scalesRotary(const JsonValue& config, bool absent) {
    const JsonValue* rotation = rotationOf(config);
    if (rotation == nullptr) {
        return absent;
    }
    if (typeOf(*rotation) != "yarn") {
        return false;
    }
    if (const auto said = numberOf(*rotation, "attention_factor")) {
        return *said != 1.0;
    }
    const auto scale = numberOf(*rotation, "mscale");
    const auto allColumns = numberOf(*rotation, "mscale_all_dim");
    const bool cancels = scale && allColumns && *scale == *allColumns;
    return !cancels && numberOf(*rotation, "factor").value_or(1.0) > 1.0;
}

}  // namespace fabricast
