#include "planner/request/layout_json.h"

#include "planner/spec/setting_names.h"
#include "planner/text/enum_json.h"
#include "planner/text/json_builder.h"

#include <array>
#include <charconv>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr std::int64_t kMostLayers = 1'000'000;
constexpr std::int64_t kMostCopies = 1 << 20;
constexpr std::array<std::string_view, 5> kRecomputeKinds = {
    "none", "selective", "full", "uniform:N", "block:N"};
/// What Megatron's --recompute-modules names.
constexpr std::array<std::string_view, 7> kRecomputeModules = {
    "core_attn", "layernorm", "mla_up_proj", "mlp", "moe", "moe_act", "shared_experts"};

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') {
        text.remove_prefix(1);
    }
    while (!text.empty() && text.back() == ' ') {
        text.remove_suffix(1);
    }
    return text;
}

/// "a+b" is two parts and "" none.
std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(separator), text.size());
        parts.push_back(trimmed(text.substr(0, end)));
        if (end + 1 == text.size()) {
            parts.emplace_back();
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

std::optional<std::int64_t> countAfter(std::string_view text, std::string_view prefix) {
    std::int64_t count = 0;
    if (!text.starts_with(prefix)) {
        return std::nullopt;
    }
    text.remove_prefix(prefix.size());
    const auto end = std::from_chars(text.data(), text.data() + text.size(), count);
    const bool whole = end.ec == std::errc() && end.ptr == text.data() + text.size();
    return whole && count >= 1 && count <= kMostLayers ? std::optional(count) : std::nullopt;
}

Result<RecomputeSettings> readModules(const JsonValue& value, std::string_view text) {
    RecomputeSettings recompute{.kind = Checkpointing::Modules, .modules = {}};
    for (const std::string_view module : split(text, '+')) {
        if (std::find(kRecomputeModules.begin(), kRecomputeModules.end(), module) ==
            kRecomputeModules.end()) {
            std::vector<std::string_view> known(kRecomputeKinds.begin(), kRecomputeKinds.end());
            known.insert(known.end(), kRecomputeModules.begin(), kRecomputeModules.end());
            const bool isCounted = module.starts_with("uniform") || module.starts_with("block");
            return tl::unexpected(value.problem(
                "cannot be " + value.shown(),
                isCounted
                    ? std::string(module.substr(0, module.find(':'))) + ":4, a number of layers"
                    : suggestName(module, known)));
        }
        recompute.modules.insert(std::string(module));
    }
    return recompute;
}

/// sp may be on or off, 1 or 0, true or false.
Result<bool> readSwitch(const JsonValue& value) {
    if (value.is(JsonValue::Kind::String)) {
        const std::string word = value.text().value_or("");
        if (word == "on" || word == "off") {
            return word == "on";
        }
        return tl::unexpected(value.problem("must be on or off, not " + value.shown()));
    }
    if (value.is(JsonValue::Kind::Boolean)) {
        return value.boolean();
    }
    FABRICAST_ASSIGN(const std::int64_t number, value.integer({0, 1}));
    return number == 1;
}

template <class AnyField, class Value>
Result<Value> readKey(const AnyField& field, const JsonValue& json, const Value& /*kind*/) {
    if constexpr (std::is_same_v<Value, bool>) {
        return readSwitch(json);
    } else if constexpr (std::is_enum_v<Value>) {
        return readEnum<Value>(json);
    } else {
        return json.integer(
            {static_cast<std::int64_t>(field.least), static_cast<std::int64_t>(field.most)});
    }
}

/// What may stand in place of a value: "--layout tp=2", "--set layout.tp=2".
template <class AnyField, class Value>
std::string exampleOf(const AnyField& field, const std::string& where, const Value& /*kind*/) {
    std::string value = "on";
    if constexpr (!std::is_same_v<Value, bool>) {
        value = std::to_string(std::max<std::int64_t>(2, static_cast<std::int64_t>(field.least)));
    }
    if (where.ends_with("layout." + std::string(field.name))) {
        return where + "=" + value;
    }
    return (where.starts_with("--") ? where + " " : "") + std::string(field.name) + "=" + value;
}

Result<PartialLayout> readKeys(const JsonValue& object) {
    PartialLayout partial;
    std::vector<std::string_view> known;
    Result<void> outcome;
    eachField(partial.layout, [&](const auto& field, auto& value) {
        known.push_back(field.name);
        const JsonValue* json = outcome ? object.find(field.name) : nullptr;
        if (json == nullptr) {
            return;
        }
        if (auto read = readKey(field, *json, value)) {
            value = *std::move(read);
            partial.said.emplace(field.name);
        } else {
            Error error = std::move(read).error();
            if constexpr (!std::is_enum_v<std::remove_cvref_t<decltype(value)>>) {
                error.hint = exampleOf(field, json->where(), value);
            }
            outcome = tl::unexpected(std::move(error));
        }
    });
    known.emplace_back("recompute");
    known.emplace_back("copies");
    FABRICAST_TRY(object.onlyKeys(known));
    FABRICAST_TRY(outcome);
    if (const JsonValue* const copies = object.find("copies")) {
        FABRICAST_ASSIGN(partial.copies, copies->integer({1, kMostCopies}));
        partial.said.emplace("copies");
    }
    return partial;
}

}  // namespace

Result<JsonValue> layoutObject(std::string_view text, const std::string& source) {
    const JsonBuilder build(source);
    JsonValue object = build.object();
    for (const std::string_view part : split(text, ',')) {
        const std::size_t equals = std::min(part.find('='), part.size());
        const std::string key(trimmed(part.substr(0, equals)));
        const std::string_view value = part.substr(std::min(equals + 1, part.size()));
        if (key.empty() || trimmed(value).empty()) {
            return fail(Error::Code::BadInput,
                        source,
                        "\"" + std::string(part) + "\" is not KEY=VALUE",
                        "tp=8,pp=4,micro_batch=1");
        }
        if (object.find(key) != nullptr) {
            return fail(Error::Code::BadInput,
                        source,
                        "\"" + key + "\" is given twice",
                        "one of them: " + std::string(trimmed(part)));
        }
        FABRICAST_ASSIGN(JsonValue parsed, parseJsonArgument(trimmed(value), source));
        JsonBuilder::appendMember(object, build.string(key), std::move(parsed));
    }
    return object;
}

Result<RecomputeSettings> readRecompute(const JsonValue& value) {
    FABRICAST_ASSIGN(const std::string text, value.text());
    for (const auto kind : {Checkpointing::None, Checkpointing::Selective, Checkpointing::Full}) {
        if (text == nameOf(kind)) {
            return RecomputeSettings{.kind = kind, .modules = {}};
        }
    }
    if (const auto layers = countAfter(text, "uniform:")) {
        return RecomputeSettings{.kind = Checkpointing::Full, .modules = {}, .layers = *layers};
    }
    if (const auto layers = countAfter(text, "block:")) {
        return RecomputeSettings{.kind = Checkpointing::Block, .modules = {}, .layers = *layers};
    }
    return readModules(value, text.empty() ? "?" : text);
}

Result<PartialLayout> readLayout(const JsonValue& layout) {
    if (layout.is(JsonValue::Kind::String)) {
        FABRICAST_ASSIGN(const JsonValue object,
                         layoutObject(layout.text().value_or(""), layout.where()));
        return readLayout(object);
    }
    FABRICAST_ASSIGN(PartialLayout partial, readKeys(layout));
    if (const JsonValue* recompute = layout.find("recompute")) {
        FABRICAST_ASSIGN(partial.recompute, readRecompute(*recompute));
        partial.said.emplace("recompute");
    }
    return partial;
}

std::vector<SettingHelp> describeLayout() {
    std::vector<SettingHelp> rows;
    const Layout layout;
    eachField(layout, [&](const auto& field, const auto& value) {
        using Value = std::remove_cvref_t<decltype(value)>;
        std::string values = std::is_same_v<Value, bool> ? "on|off" : "number";
        if constexpr (std::is_enum_v<Value>) {
            values = joinedNames<Value>();
        }
        rows.push_back({std::string(field.name), std::move(values)});
    });
    std::string recompute;
    for (const std::string_view kind : kRecomputeKinds) {
        recompute.append(kind).append("|");
    }
    rows.push_back({"recompute", recompute + "modules joined by +"});
    rows.push_back({"copies", "number"});
    return rows;
}

void writeLayout(JsonText& json, std::string_view key, const Layout& layout) {
    json.beginObject(key);
    eachField(layout, [&](const auto& field, const auto& value) {
        if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(value)>>) {
            json.add(field.name, nameOf(value));
        } else {
            json.add(field.name, value);
        }
    });
    json.end();
}

}  // namespace fabricast
