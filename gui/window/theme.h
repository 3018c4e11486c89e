#pragma once
#include <QPalette>
#include <cstdint>

namespace fabricast {

enum class Theme : std::uint8_t { System, Light, Dark };

/// The window's colours. System is what the desktop says.
QPalette paletteOf(Theme theme);
/// Fusion's style with this palette, for the whole program.
void applyTheme(Theme theme);

}  // namespace fabricast
