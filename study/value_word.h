#pragma once
#include <string_view>

namespace fabricast {

/// A word for the values of two keys, wherever they are said: a flag, a file or a control.
struct ValueWord {
    std::string_view path;
    std::string_view word;
    std::string_view value;  ///< of `path`
    std::string_view besidePath;
    std::string_view besideValue;
};

/// QLoRA is LoRA over a base of 4 bits.
inline constexpr ValueWord kQlora = {
    "settings.tuning", "qlora", "lora", "settings.lora.base", "nf4"};

}  // namespace fabricast
