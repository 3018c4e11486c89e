#pragma once
#include "gui/window/theme.h"
#include "planner/base/result.h"

#include <QSize>
#include <QString>
#include <QStringList>
#include <optional>

namespace fabricast {

/// A picture of one page that is taken instead of showing a window.
struct Screenshot {
    QString page;
    QString file;
};

/// What was typed behind `fabricast-gui`.
///     fabricast-gui run.json --screenshot memory memory.png --theme dark --scale 2
struct WindowArguments {
    QString file{};  ///< empty: a worked example
    std::optional<Screenshot> screenshot{};
    QString report{};  ///< a file that the whole study is written to instead of showing a window
    std::optional<Theme> theme{};
    double scale = 1.0;
    std::optional<QSize> size{};  ///< of the window, or of the picture
    bool help = false;

    /// Nothing is shown: the window is only used to make a file.
    [[nodiscard]] bool isUnseen() const { return screenshot.has_value() || !report.isEmpty(); }
};

Result<WindowArguments> windowArguments(const QStringList& typed);

/// What --help prints.
QString windowHelp();

}  // namespace fabricast
