#pragma once

namespace fabricast {

/// Whatever the locale.
constexpr bool isDigit(char letter) {
    return letter >= '0' && letter <= '9';
}

}  // namespace fabricast
