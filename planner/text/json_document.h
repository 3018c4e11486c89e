#pragma once
#include "planner/base/result.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// One value of a JSON text with its position, so that any problem with
/// it can be reported as file:line:column. Objects keep the order of the text.
///     FABRICAST_ASSIGN(const JsonValue root, parseJson(text, "plan.json"));
///     FABRICAST_TRY(root.onlyKeys(kLayoutKeys));
///     FABRICAST_ASSIGN(layout.tp, root.integerOr("tp", 1, {1, kMostRanks}));
class JsonValue {
public:
    enum class Kind { Null, Boolean, Integer, Number, String, Array, Object };
    struct Range {
        std::int64_t least = std::numeric_limits<std::int64_t>::min();
        std::int64_t most = std::numeric_limits<std::int64_t>::max();
    };

    JsonValue();
    ~JsonValue();
    JsonValue(const JsonValue& other);
    JsonValue& operator=(const JsonValue& other);
    JsonValue(JsonValue&& other) noexcept;
    JsonValue& operator=(JsonValue&& other) noexcept;

    [[nodiscard]] Kind kind() const { return kind_; }
    [[nodiscard]] bool is(Kind kind) const { return kind_ == kind; }
    [[nodiscard]] bool isNumber() const { return is(Kind::Integer) || is(Kind::Number); }
    /// Its key; "layers[3]" in an array; "" at the root.
    [[nodiscard]] const std::string& name() const { return name_; }
    /// "plan.json:4:12", or the bare source for a value typed on the command line.
    [[nodiscard]] std::string where() const;
    [[nodiscard]] std::string whereKey() const;
    [[nodiscard]] std::int64_t line() const { return at_.line; }
    [[nodiscard]] std::int64_t column() const { return at_.column; }

    // The value itself. Each error names what was found and what was expected.
    [[nodiscard]] Result<void> expect(Kind kind) const;
    [[nodiscard]] Result<bool> boolean() const;
    [[nodiscard]] Result<std::int64_t> integer(Range range) const;
    [[nodiscard]] Result<double> number(double least, double most) const;
    /// "from 0 to 0.9", "at least 1": as errors say it.
    static std::string rangeText(double least, double most);
    [[nodiscard]] Result<std::string> text() const;

    [[nodiscard]] std::span<const JsonValue> items() const;           ///< of an array
    [[nodiscard]] std::span<const JsonValue> members() const;         ///< of an object
    [[nodiscard]] const JsonValue* find(std::string_view key) const;  ///< nullptr when absent
    [[nodiscard]] Result<const JsonValue*> require(std::string_view key) const;
    /// An error at the first key that is not one of these, with the nearest of them.
    [[nodiscard]] Result<void> onlyKeys(std::span<const std::string_view> known) const;

    // A member, or the fallback where the key is absent. (null is not absent: it is an error.)
    [[nodiscard]] Result<bool> booleanOr(std::string_view key, bool fallback) const;
    [[nodiscard]] Result<std::int64_t> integerOr(std::string_view key,
                                                 std::int64_t fallback,
                                                 Range range) const;
    [[nodiscard]] Result<double> numberOr(std::string_view key,
                                          double fallback,
                                          double least,
                                          double most) const;
    [[nodiscard]] Result<std::string> textOr(std::string_view key, std::string fallback) const;

    /// The error for something wrong here: problem("must be even") is "plan.json:4:12: "tp" must
    /// …".
    [[nodiscard]] Error problem(std::string_view why, std::string hint = {}) const;
    /// The value as a message quotes it: "\"bf16\"", "4096", "a list".
    [[nodiscard]] std::string shown() const;
    /// Its key as a message quotes it; "the text" at the root.
    [[nodiscard]] std::string title() const;

private:
    friend class JsonBuilder;
    struct Position {
        std::int64_t line = 0;  ///< 0: not from a file
        std::int64_t column = 0;
    };
    [[nodiscard]] std::string whereAt(Position position) const;

    Kind kind_ = Kind::Null;
    bool boolean_ = false;
    std::int64_t integer_ = 0;
    double number_ = 0.0;
    Position at_;
    Position keyAt_;
    std::string name_;
    std::string text_;              ///< of a string, or a number as it was written
    std::vector<JsonValue> parts_;  ///< items or members
    std::shared_ptr<const std::string> source_;
};

/// Reads JSON with // and /* */ comments and an optional byte order mark. Refused, each with its
/// place: bad syntax, a duplicate key, and more than 64 levels, 8 MiB or 200,000 values.
Result<JsonValue> parseJson(std::string_view text, const std::string& source);

}  // namespace fabricast
