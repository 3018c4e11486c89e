#pragma once
#include <QSize>
#include <optional>

class QWidget;

namespace fabricast {

/// As it was asked for, else as it is; never larger than the room that a screen has for windows.
void sizeWindow(QWidget& window, const std::optional<QSize>& asked, const QSize& room);

}  // namespace fabricast
