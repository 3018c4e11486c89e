#include "gui/pages/page_theme.h"

namespace fabricast {

ChartTheme themeOf(const QPalette& palette) {
    return palette.color(QPalette::Window).lightness() < 128 ? darkChartTheme() : lightChartTheme();
}

ChartTheme paled(ChartTheme theme) {
    constexpr double kPale = 0.6;
    theme.text = theme.faint;
    for (QColor* colour : {&theme.bad, &theme.good, &theme.doubtful, &theme.accent}) {
        *colour = mixed(*colour, theme.plot, kPale);
    }
    for (QColor& colour : theme.series) {
        colour = mixed(colour, theme.plot, kPale);
    }
    return theme;
}

}  // namespace fabricast
