#pragma once
#include "gui/charts/chart_theme.h"

#include <QPalette>

namespace fabricast {

/// The colours of charts and verdicts that go with a palette.
ChartTheme themeOf(const QPalette& palette);
/// The same for what is of an earlier question.
ChartTheme paled(ChartTheme theme);

}  // namespace fabricast
