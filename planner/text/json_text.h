#pragma once
#include "planner/base/units.h"

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// This writes one JSON document: members in the order they are given, two spaces a level, numbers
/// the same in every locale, and never a NaN: non-finite numbers become null with a reason.
///     JsonText json;
///     json.beginObject();
///     json.add("schema", "fabricast.model/1");
///     json.add("total", count.total);
///     json.end();
///     const std::string text = std::move(json).finish();
class JsonText {
public:
    void beginObject() { begin('{', {}); }
    void beginObject(std::string_view key) { begin('{', key); }
    void beginArray() { begin('[', {}); }
    void beginArray(std::string_view key) { begin('[', key); }
    void end();

    void add(std::string_view key, std::string_view text);
    void add(std::string_view key, const char* text) { add(key, std::string_view(text)); }
    void add(std::string_view key, bool value);
    void add(std::string_view key, double value);
    void add(std::string_view key, Bytes value) { add(key, value.count()); }
    template <std::integral Whole>
    requires(!std::same_as<Whole, bool>) void add(std::string_view key, Whole value) {
        addWhole(key, static_cast<std::int64_t>(value));
    }
    /// An array of texts.
    void add(std::string_view key, const std::vector<std::string>& texts);
    /// null, and `key`_why with the reason.
    void addNull(std::string_view key, std::string_view why = {});

    // Items of an array.
    void item(std::string_view text);
    void item(std::int64_t value);
    void item(double value);

    /// The document with a newline at its end. Every begin must have met its end.
    [[nodiscard]] std::string finish() &&;

private:
    void begin(char bracket, std::string_view key);
    void next(std::string_view key);
    void newLine();
    void addWhole(std::string_view key, std::int64_t value);

    std::string text_;
    std::vector<char> open_;
    bool first_ = true;
};

/// "text" with quotes and escapes, also for what a terminal is not shown; bytes that are not UTF-8
/// become U+FFFD.
std::string jsonQuoted(std::string_view text);

}  // namespace fabricast
