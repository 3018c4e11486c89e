#include "gui/window/run_window.h"

#include "gui/window/example_study.h"
#include "gui/window/main_window.h"
#include "gui/window/take_screenshot.h"

#include <QApplication>
#include <QFileInfo>
#include <QScreen>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTextStream>
#include <cstdio>

namespace fabricast {
namespace {

WindowExit say(const Error& error) {
    QTextStream(stderr) << "error: " << QString::fromStdString(error.text()) << "\n";
    return error.code == Error::Code::Environment ? WindowExit::Environment : WindowExit::BadInput;
}

Theme rememberedTheme(bool remembers) {
    const int theme = remembers ? QSettings().value("theme", 0).toInt() : 0;
    return theme == static_cast<int>(Theme::Dark)    ? Theme::Dark
           : theme == static_cast<int>(Theme::Light) ? Theme::Light
                                                     : Theme::System;
}

/// A title bar comes above the window's own size.
void keepOnScreen(MainWindow& window) {
    constexpr int kTitleBar = 40;
    const QSize room = window.screen()->availableSize() - QSize(0, kTitleBar);
    window.resize(window.size().boundedTo(room));
}

}  // namespace

WindowExit runWindow(const WindowArguments& arguments) {
    const auto bench = Workbench::open({});
    if (!bench) {
        return say(bench.error());
    }
    auto study =
        arguments.file.isEmpty() ? exampleStudy() : openStudy(arguments.file.toStdString());
    if (!study) {
        return say(study.error());
    }
    applyTheme(arguments.theme.value_or(rememberedTheme(!arguments.screenshot)));
    const QTemporaryDir nowhere;
    const QString data = arguments.screenshot
                             ? nowhere.path()
                             : QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
    const WindowSetup setup{.recoveryFolder = data + "/unsaved",
                            .measuredFolder = data + "/measured",
                            .remembers = !arguments.screenshot,
                            .isExample = arguments.file.isEmpty()};
    MainWindow window(*bench, *study, setup);
    if (const QString measured = setup.measuredFolder + "/profiles"; QFileInfo::exists(measured)) {
        (void)window.session().useProfiles({measured.toStdString()});  // else without them
    }
    if (arguments.screenshot) {
        const Result<void> taken = takeScreenshot(window, *arguments.screenshot, arguments.size);
        return taken ? WindowExit::Ok : say(taken.error());
    }
    keepOnScreen(window);
    window.show();
    QApplication::exec();
    return WindowExit::Ok;
}

}  // namespace fabricast
