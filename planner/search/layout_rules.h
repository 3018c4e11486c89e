#pragma once
#include "planner/base/result.h"
#include "planner/spec/layout_fields.h"
#include "planner/spec/names.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace fabricast {

/// A key that must keep its neutral value (pp=1, recompute=none), or one value it must not have.
struct ForbiddenValue {
    std::string key;
    std::string value;  ///< empty: all but the neutral one
    bool typed = true;  ///< by somebody, and not a rule of the search itself
};

/// "pp", or "schedule=gpipe". An unknown key is an error with the nearest one.
Result<ForbiddenValue> readForbidden(const std::string& typed);

/// What a user said about the layouts to search: keys held at a value, and values left out.
struct LayoutRules {
    PartialLayout fixed;
    std::vector<ForbiddenValue> forbidden;
    bool tensorAcrossNodes = false;  ///< tp beyond the GPUs that NVLink or the like joins

    template <class T>
    [[nodiscard]] bool take(std::string_view key, T Layout::*member, T value) const {
        if (fixed.says(key) && fixed.layout.*member != value) {
            return false;
        }
        return forbidden.empty() || !forbids(key, wordOf(value), value == Layout{}.*member);
    }
    [[nodiscard]] bool takeRecompute(const RecomputeSettings& recompute) const {
        return !forbids(
            "recompute", recomputeText(recompute), recompute.kind == Checkpointing::None);
    }

private:
    template <class T>
    static std::string wordOf(T value) {
        if constexpr (std::is_same_v<T, bool>) {
            return value ? "true" : "false";
        } else if constexpr (std::is_enum_v<T>) {
            return std::string(nameOf(value));
        } else {
            return std::to_string(value);
        }
    }
    [[nodiscard]] bool forbids(std::string_view key, std::string_view value, bool neutral) const;
};

}  // namespace fabricast
