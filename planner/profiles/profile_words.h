#pragma once
#include "planner/base/nearest_name.h"
#include "planner/base/result.h"
#include "planner/profiles/read_profile.h"
#include "planner/text/json_document.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace fabricast {

// Words and names in profile files, shared by the readers of each kind.

inline constexpr std::array<std::string_view, 3> kTopologies = {
    "rail-optimised", "fat-tree", "full-mesh"};

/// One of the words that a profile may have here.
inline Result<std::string> readWord(const JsonValue& value,
                                    std::span<const std::string_view> words) {
    FABRICAST_ASSIGN(std::string word, value.text());
    if (std::ranges::find(words, word) == words.end()) {
        return tl::unexpected(
            value.problem("cannot be " + value.shown(), suggestName(word, words)));
    }
    return word;
}

inline Result<std::string> readWordOr(const JsonValue& object,
                                      std::string_view key,
                                      std::string fallback,
                                      std::span<const std::string_view> words) {
    const JsonValue* value = object.find(key);
    return value == nullptr ? Result<std::string>(std::move(fallback)) : readWord(*value, words);
}

/// As files hold fitted numbers: more digits are noise, and would differ between machines.
inline double fourDigits(double value) {
    return std::round(value * 1e4) / 1e4;
}

inline Result<std::string> requireText(const JsonValue& object, std::string_view key) {
    FABRICAST_ASSIGN(const JsonValue* const value, object.require(key));
    return value->text();
}

inline Result<ProfileReference> readReference(const JsonValue& value) {
    FABRICAST_ASSIGN(std::string name, value.text());
    return ProfileReference{std::move(name), value.where()};
}

inline Result<std::optional<ProfileReference>> readReferenceOr(const JsonValue& object,
                                                               std::string_view key) {
    const JsonValue* value = object.find(key);
    if (value == nullptr) {
        return std::optional<ProfileReference>();
    }
    return readReference(*value);
}

}  // namespace fabricast
