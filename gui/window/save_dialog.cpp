#include "gui/window/save_dialog.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QRegularExpression>
#include <QStringList>

namespace fabricast {
namespace {

/// "png", "svg" of "Pictures (*.png *.svg)".
QStringList kindsIn(const QString& filter) {
    static const QRegularExpression kKind("\\*\\.(\\w+)");
    QStringList kinds;
    for (auto found = kKind.globalMatch(filter); found.hasNext();) {
        kinds << found.next().captured(1);
    }
    return kinds;
}

}  // namespace

QString withKind(const QString& file, const QString& filter, const QString& filters) {
    const QStringList shown = kindsIn(filter);
    const bool hasKind = kindsIn(filters).contains(QFileInfo(file).suffix(), Qt::CaseInsensitive);
    return file.isEmpty() || hasKind || shown.isEmpty() ? file : file + "." + shown.front();
}

QString askFileToSave(QWidget* window,
                      const QString& title,
                      const QString& proposed,
                      const QString& filters) {
    QString filter;
    const QString chosen = QFileDialog::getSaveFileName(window, title, proposed, filters, &filter);
    const QString file = withKind(chosen, filter, filters);
    const bool mayWrite =
        file == chosen || !QFileInfo::exists(file) ||
        QMessageBox::question(window,
                              "Fabricast",
                              file + " is there already. Replace it?",
                              QMessageBox::Save | QMessageBox::Cancel) == QMessageBox::Save;
    return mayWrite ? file : QString();
}

}  // namespace fabricast
