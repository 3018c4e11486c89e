// The tests of the window: one application without a screen, in which a warning of Qt's is a
// failure.
#include "gui/window/study_files.h"
#include "tests/gui/used_window.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QFile>
#include <QString>
#include <string_view>

namespace {

void failOnWarning(QtMsgType type, const QMessageLogContext&, const QString& message) {
    // What a screen would have shown is not of this machine's.
    const bool isOfScreen = message.contains("This plugin does not support");
    if (type >= QtWarningMsg && type != QtInfoMsg && !isOfScreen) {
        ADD_FAILURE() << "Qt warns: " << message.toStdString();
    }
}

/// What recovery_test.cpp starts and kills: a window with a change that is not saved.
int editAndWait(const QString& folder) {
    using namespace fabricast;
    const QString file = folder + "/mine.json";
    const bool hasFile = QFile::exists(file);
    const SavedStudy study =
        hasFile ? openStudy(file.toStdString()).value() : SavedStudy{smallQuestion(), {}};
    MainWindow window(openBench(), study, {.recoveryFolder = folder});
    window.session().edit({{"cluster.nodes", "4", "-n"}}, {.title = "Servers 4"});
    return QApplication::exec();
}

}  // namespace

int main(int argc, char** argv) {
    // Without a screen, unless window_manager_test.sh has one.
    qputenv("QT_QPA_PLATFORM",
            qEnvironmentVariable("FABRICAST_GUI_PLATFORM", "offscreen").toUtf8());
    testing::InitGoogleTest(&argc, argv);
    const QApplication application(argc, argv);
    QCoreApplication::setApplicationName("fabricast-gui-test");
    if (argc == 3 && std::string_view(argv[1]) == "--edit-and-wait") {
        return editAndWait(argv[2]);
    }
    qInstallMessageHandler(&failOnWarning);
    return RUN_ALL_TESTS();
}
