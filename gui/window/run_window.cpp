#include "gui/window/run_window.h"

#include "gui/window/example_study.h"
#include "gui/window/main_window.h"
#include "gui/window/take_screenshot.h"

#include <QApplication>
#include <QTextStream>
#include <cstdio>

namespace fabricast {
namespace {

WindowExit say(const Error& error) {
    QTextStream(stderr) << "error: " << QString::fromStdString(error.text()) << "\n";
    return error.code == Error::Code::Environment ? WindowExit::Environment : WindowExit::BadInput;
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
    applyTheme(arguments.theme.value_or(Theme::System));
    MainWindow window(*bench, *std::move(study));
    if (arguments.screenshot) {
        window.resize(arguments.size);
        const Result<void> taken = takeScreenshot(window, *arguments.screenshot);
        return taken ? WindowExit::Ok : say(taken.error());
    }
    window.show();
    QApplication::exec();
    return WindowExit::Ok;
}

}  // namespace fabricast
