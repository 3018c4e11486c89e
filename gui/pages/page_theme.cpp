#include "gui/pages/page_theme.h"

namespace fabricast {

ChartTheme themeOf(const QPalette& palette) {
    return palette.color(QPalette::Window).lightness() < 128 ? darkChartTheme() : lightChartTheme();
}

}  // namespace fabricast
