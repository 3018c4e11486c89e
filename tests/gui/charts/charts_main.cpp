// The tests of the charts: an application without a screen, in which a warning of Qt's is a
// failure.
#include <gtest/gtest.h>

#include <QApplication>
#include <QString>

namespace {

void failOnQtWarning(QtMsgType type,
                     const QMessageLogContext& /*context*/,
                     const QString& message) {
    const bool isOfScreen = message.contains("propagateSizeHints");
    if (type != QtDebugMsg && type != QtInfoMsg && !isOfScreen) {
        ADD_FAILURE() << "Qt warns: " << message.toStdString();
    }
}

}  // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    testing::InitGoogleTest(&argc, argv);
    const QApplication application(argc, argv);
    qInstallMessageHandler(&failOnQtWarning);
    return RUN_ALL_TESTS();
}
