#pragma once
#include "planner/text/json_document.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace fabricast {

/// This makes JsonValues: for the parser, and for values that were typed as flags.
///     const JsonBuilder flag("--seq");
///     root = flag.with(root, "workload.sequence", flag.integer(4096, "4096"));
class JsonBuilder {
public:
    explicit JsonBuilder(const std::string& source)
        : source_(std::make_shared<const std::string>(source)) {}

    void moveTo(std::int64_t line, std::int64_t column) { at_ = {line, column}; }

    [[nodiscard]] JsonValue null() const { return make(JsonValue::Kind::Null); }
    [[nodiscard]] JsonValue boolean(bool value) const;
    [[nodiscard]] JsonValue integer(std::int64_t value, std::string written) const;
    [[nodiscard]] JsonValue number(double value, std::string written) const;
    [[nodiscard]] JsonValue string(std::string value) const;
    [[nodiscard]] JsonValue array() const { return make(JsonValue::Kind::Array); }
    [[nodiscard]] JsonValue object() const { return make(JsonValue::Kind::Object); }

    static void rename(JsonValue& value, std::string name) { value.name_ = std::move(name); }
    static void appendItem(JsonValue& array, JsonValue item);
    /// `key` is a string value, for its place.
    static void appendMember(JsonValue& object, JsonValue key, JsonValue value);
    /// Without lines and columns, as on a command line.
    [[nodiscard]] static JsonValue unplaced(JsonValue value);
    /// The first member with a duplicate key, or nullptr.
    [[nodiscard]] static const JsonValue* repeatedKey(const JsonValue& object);

    /// `root` with the member at a dotted path replaced; objects on the way are made as needed.
    [[nodiscard]] Result<JsonValue> with(JsonValue root,
                                         std::string_view path,
                                         JsonValue value) const;

    /// `root` without the member at a dotted path, if it has one.
    [[nodiscard]] static JsonValue without(JsonValue root, std::string_view path);
    /// The value as JSON, members on lines of their own.
    [[nodiscard]] static std::string written(const JsonValue& value);

private:
    static void write(const JsonValue& value, const std::string& indent, std::string& text);
    [[nodiscard]] JsonValue make(JsonValue::Kind kind) const;

    JsonValue::Position at_;
    std::shared_ptr<const std::string> source_;
};

/// A value typed on the command line. What is not JSON is a string: bf16 is "bf16".
Result<JsonValue> parseJsonArgument(std::string_view text, const std::string& source);

}  // namespace fabricast
