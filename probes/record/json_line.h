#pragma once
#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast::probe {

/// A JSON object written on one line, its members in the order in which they are added. Numbers
/// are the shortest text that reads back the same; what is not finite is null.
class JsonLine {
public:
    JsonLine& add(std::string_view name, std::string_view text);
    JsonLine& add(std::string_view name, const char* text) {
        return add(name, std::string_view(text));
    }
    JsonLine& add(std::string_view name, double value);
    JsonLine& add(std::string_view name, bool value);
    JsonLine& add(std::string_view name, const JsonLine& object);
    JsonLine& add(std::string_view name, const std::vector<double>& values);
    JsonLine& add(std::string_view name, const std::vector<std::string>& texts);
    JsonLine& add(std::string_view name, const std::vector<JsonLine>& objects);
    template <std::integral Whole>
    JsonLine& add(std::string_view name, Whole value) {
        return addRaw(name, std::to_string(value));
    }
    template <class Value>
    JsonLine& add(std::string_view name, const std::map<std::string, Value>& members) {
        JsonLine object;
        for (const auto& [key, value] : members) {
            object.add(key, value);
        }
        return add(name, object);
    }

    [[nodiscard]] bool empty() const { return members_.empty(); }
    /// "{…}" without a line's end.
    [[nodiscard]] std::string text() const { return "{" + members_ + "}"; }

private:
    JsonLine& addRaw(std::string_view name, std::string_view value);

    std::string members_;
};

/// In double quotes; what is not UTF-8 is replaced.
std::string jsonString(std::string_view text);
std::string jsonNumber(double value);

}  // namespace fabricast::probe
