#pragma once
#include "planner/base/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// Numbers, texts, lists and maps of a file that is too large for JsonValue, sixteen bytes each.
/// Texts stay in the bytes they were read from, which have to outlive the values. A part may be in
/// several places, and even within itself, so whoever walks them counts what he looks at.
class PlainValues {
public:
    enum class Kind : std::uint8_t { Null, Boolean, Integer, Real, Text, List, Map };
    struct Value {
        Kind kind = Kind::Null;
        std::uint32_t size = 0;    ///< of a text
        std::int64_t content = 0;  ///< an integer, the place of a text, the index of a list or map
    };

    explicit PlainValues(std::string_view bytes) : bytes_(bytes) {}

    /// What all is within.
    Value root;

    Result<Value> add(Kind kind, const std::string& source);
    /// Behind the items of a list; of a map keys and values take turns.
    Result<void> append(Value whole, std::span<const Value> parts, const std::string& source);

    [[nodiscard]] std::span<const Value> parts(Value whole) const;
    [[nodiscard]] std::string_view text(Value value) const;
    [[nodiscard]] static std::optional<std::int64_t> integer(Value value);

private:
    std::string_view bytes_;
    std::vector<std::vector<Value>> wholes_;
    std::size_t count_ = 0;
};

/// Reads the opcodes of Python's pickle that make numbers, texts, lists, tuples and dicts. Any
/// other is refused by its place: nothing is imported, called or built.
Result<PlainValues> readPickle(std::string_view bytes, const std::string& source);

/// Reads JSON without comments. More than 64 levels are refused; escapes in texts stay as written.
Result<PlainValues> readPlainJson(std::string_view text, const std::string& source);

}  // namespace fabricast
