// The tests of the window: one application without a screen, in which a warning of Qt's is a
// failure.
#include <gtest/gtest.h>

#include <QApplication>
#include <QString>

namespace {

void failOnWarning(QtMsgType type, const QMessageLogContext&, const QString& message) {
    // What a screen would have shown is not of this machine's.
    const bool isOfScreen = message.contains("propagateSizeHints");
    if (type >= QtWarningMsg && type != QtInfoMsg && !isOfScreen) {
        ADD_FAILURE() << "Qt warns: " << message.toStdString();
    }
}

}  // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    testing::InitGoogleTest(&argc, argv);
    const QApplication application(argc, argv);
    QCoreApplication::setApplicationName("fabricast-gui-test");
    qInstallMessageHandler(&failOnWarning);
    return RUN_ALL_TESTS();
}
