#include "gui/document/saved_study.h"
#include "gui/window/export_study.h"
#include "gui/window/main_window.h"
#include "gui/window/study_files.h"
#include "gui/window/take_screenshot.h"
#include "gui/window/window_arguments.h"
#include "gui/window/window_size.h"
#include "planner/output/printable_text.h"
#include "planner/text/text_files.h"

#include <QApplication>
#include <QFileInfo>
#include <QHashFunctions>
#include <QScreen>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTextStream>
#include <cstdio>
#include <optional>
#include <vector>

namespace fabricast {
namespace {

/// Exit codes, as those of the command line.
enum class WindowExit { Ok = 0, BadInput = 2, Environment = 4 };

/// The offscreen platform says of each window that it has no hints for its size.
void sayOthers(QtMsgType kind, const QMessageLogContext& context, const QString& words) {
    if (!words.contains("propagateSizeHints")) {
        QTextStream(stderr) << qFormatLogMessage(kind, context, words) << "\n";
    }
}

/// What has to be set before there is an application.
void prepare(const WindowArguments& arguments) {
    if (arguments.isUnseen()) {
        qInstallMessageHandler(sayOthers);
        qputenv("QT_QPA_PLATFORM", "offscreen");
        qputenv("QT_SCALE_FACTOR", QByteArray::number(arguments.scale));
    }
}

WindowExit say(const Error& error) {
    std::fputs(printableText("error: " + error.text() + "\n").c_str(), stderr);
    return error.code == Error::Code::Environment ? WindowExit::Environment : WindowExit::BadInput;
}

Theme rememberedTheme(bool remembers) {
    const int theme = remembers ? QSettings().value("theme", 0).toInt() : 0;
    return theme == static_cast<int>(Theme::Dark)    ? Theme::Dark
           : theme == static_cast<int>(Theme::Light) ? Theme::Light
                                                     : Theme::System;
}

/// What a first start shows: a real question with an answer, to be changed into one's own.
Result<SavedStudy> exampleStudy() {
    const std::vector<Edit> edits = {{"model", "llama-3.1-8b", "-m"},
                                     {"cluster.name", "dgx-h100", "-c"},
                                     {"cluster.nodes", "2", "-n"},
                                     {"workload.sequence", "8192", "--seq"},
                                     {"workload.global_batch", "128", "--global-batch"},
                                     {"workload.tokens", "100B", "--tokens"}};
    FABRICAST_ASSIGN(const Question empty, readQuestion("", ""));
    FABRICAST_ASSIGN(Question question, with(empty, edits));
    return SavedStudy{std::move(question), {}};
}

/// An empty window that says why the file is not in it; where none is shown, nobody would see that.
Result<SavedStudy> withoutFile(const Error& why, const WindowArguments& arguments) {
    if (arguments.isUnseen()) {
        return tl::unexpected(why);
    }
    say(why);
    return openStudy("");
}

/// What is asked for instead of a window that is shown.
Result<void> makeFiles(MainWindow& window, const WindowArguments& arguments) {
    if (arguments.screenshot) {
        FABRICAST_TRY(
            takeScreenshot(window, *arguments.screenshot, arguments.size.value_or(window.size())));
    }
    return arguments.report.isEmpty() ? Result<void>() : exportStudy(window, arguments.report);
}

/// The window of a study until it is closed, or its picture. Errors go to standard error.
WindowExit runWindow(const WindowArguments& arguments) {
    const auto bench = Workbench::open({});
    if (!bench) {
        return say(bench.error());
    }
    std::optional<FilesRead> inputs;  // which no export takes the place of; a save may
    if (arguments.isUnseen()) {
        inputs.emplace();
    }
    auto study =
        arguments.file.isEmpty() ? exampleStudy() : openStudy(arguments.file.toStdString());
    QString trouble;
    if (!study) {
        trouble = openTrouble(arguments.file, study.error());
        study = withoutFile(Error(study.error()), arguments);
    }
    if (!study) {
        return say(study.error());
    }
    applyTheme(arguments.theme.value_or(rememberedTheme(!arguments.isUnseen())));
    const QTemporaryDir nowhere;
    const QString data = arguments.isUnseen()
                             ? nowhere.path()
                             : QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
    const WindowSetup setup{.recoveryFolder = data + "/unsaved",
                            .measuredFolder = data + "/measured",
                            .remembers = !arguments.isUnseen(),
                            .isExample = arguments.file.isEmpty(),
                            .trouble = trouble};
    MainWindow window(*bench, *study, setup);
    if (const QString measured = setup.measuredFolder + "/profiles"; QFileInfo::exists(measured)) {
        (void)window.session().useProfiles({measured.toStdString()});  // else without them
    }
    if (arguments.isUnseen()) {
        const Result<void> made = makeFiles(window, arguments);
        return made ? WindowExit::Ok : say(made.error());
    }
    sizeWindow(window, arguments.size, window.screen()->availableSize());
    window.show();
    QApplication::exec();
    return WindowExit::Ok;
}

}  // namespace
}  // namespace fabricast

int main(int argc, char** argv) {
    QStringList typed;
    for (int i = 1; i < argc; ++i) {
        typed << QString::fromLocal8Bit(argv[i]);
    }
    const auto arguments = fabricast::windowArguments(typed);
    if (!arguments) {
        return static_cast<int>(fabricast::say(arguments.error()));
    }
    if (arguments->help) {
        QTextStream(stdout) << fabricast::windowHelp();
        return static_cast<int>(fabricast::WindowExit::Ok);
    }
    fabricast::prepare(*arguments);
    QHashSeed::setDeterministicGlobalSeed();  // fonts of a PDF stand in the order of a hash
    const QApplication application(argc, argv);
    QCoreApplication::setApplicationName("fabricast-gui");
    QCoreApplication::setOrganizationName("fabricast");
    QGuiApplication::setDesktopFileName("fabricast-gui");
    return static_cast<int>(fabricast::runWindow(*arguments));
}
