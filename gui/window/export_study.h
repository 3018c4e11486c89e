#pragma once
#include "planner/base/result.h"

#include <QString>

namespace fabricast {

class MainWindow;

/// All that is answered about the study of a window, as a PDF or a page, once its answers are
/// there.
Result<void> exportStudy(MainWindow& window, const QString& file);

}  // namespace fabricast
