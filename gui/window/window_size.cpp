#include "gui/window/window_size.h"

#include <QWidget>

namespace fabricast {
namespace {

/// It comes above the window's own size.
constexpr int kTitleBar = 40;

}  // namespace

void sizeWindow(QWidget& window, const std::optional<QSize>& asked, const QSize& room) {
    if (asked) {
        window.setWindowState(Qt::WindowNoState);  // it may have been left filling the screen
    }
    window.resize(asked.value_or(window.size()).boundedTo(room - QSize(0, kTitleBar)));
}

}  // namespace fabricast
