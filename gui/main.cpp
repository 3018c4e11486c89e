#include "gui/window/run_window.h"

#include <QApplication>
#include <QTextStream>
#include <cstdio>

using fabricast::WindowExit;

/// The offscreen platform says of each window that it has no hints for its size.
static void sayOthers(QtMsgType kind, const QMessageLogContext& context, const QString& words) {
    if (!words.contains("propagateSizeHints")) {
        QTextStream(stderr) << qFormatLogMessage(kind, context, words) << "\n";
    }
}

/// What has to be set before there is an application.
static void prepare(const fabricast::WindowArguments& arguments) {
    if (arguments.screenshot) {
        qInstallMessageHandler(sayOthers);
        qputenv("QT_QPA_PLATFORM", "offscreen");
        qputenv("QT_SCALE_FACTOR", QByteArray::number(arguments.scale));
    }
}

int main(int argc, char** argv) {
    QStringList typed;
    for (int i = 1; i < argc; ++i) {
        typed << QString::fromLocal8Bit(argv[i]);
    }
    const auto arguments = fabricast::windowArguments(typed);
    if (!arguments) {
        QTextStream(stderr) << "error: " << QString::fromStdString(arguments.error().text())
                            << "\n";
        return static_cast<int>(WindowExit::BadInput);
    }
    if (arguments->help) {
        QTextStream(stdout) << fabricast::windowHelp();
        return static_cast<int>(WindowExit::Ok);
    }
    prepare(*arguments);
    const QApplication application(argc, argv);
    QCoreApplication::setApplicationName("fabricast-gui");
    QCoreApplication::setOrganizationName("fabricast");
    QGuiApplication::setDesktopFileName("fabricast-gui");
    return static_cast<int>(fabricast::runWindow(*arguments));
}
