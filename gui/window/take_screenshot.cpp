#include "gui/window/take_screenshot.h"

#include "gui/charts/export_plot.h"
#include "gui/jobs/study_session.h"
#include "gui/models/says_hardware.h"
#include "gui/window/main_window.h"
#include "gui/window/unseen_error.h"
#include "gui/window/wait_until_idle.h"
#include "planner/text/text_files.h"

#include <QFileInfo>
#include <QPixmap>
#include <optional>

namespace fabricast {
namespace {

std::string sizeText(const QSize& size) {
    return std::to_string(size.width()) + "x" + std::to_string(size.height());
}

/// Whether all that is wrong with a study is that it does not say yet what is trained, or on what.
bool isBegun(const Question& question, const Error& error) {
    return !says(question, "model") ||
           (!saysHardware(question) && error.where != whereSaid(question, "model"));
}

/// A name that says another kind, and is of nothing that was read.
Result<void> checkEnding(const QString& file) {
    FABRICAST_TRY(checkNotRead(file.toStdString()));
    const QString kind = QFileInfo(file).suffix().toLower();
    if (kind.isEmpty() || kind == "png") {
        return {};
    }
    return fail(Error::Code::BadInput,
                file.toStdString(),
                "a picture of a page is not written as \"" + kind.toStdString() + "\"",
                "a name that ends in .png");
}

/// As the tabs show them.
QStringList tabNames(const MainWindow& window) {
    QStringList names;
    for (const QString& name : window.pageNames()) {
        names << window.pageTitle(name).toLower().replace(' ', '-');
    }
    return names;
}

}  // namespace

Result<void> takeScreenshot(MainWindow& window, const Screenshot& wanted, const QSize& size) {
    FABRICAST_TRY(checkEnding(wanted.file));
    window.resize(size);
    if (!window.showPage(wanted.page)) {
        return fail(Error::Code::BadInput,
                    "--screenshot",
                    "\"" + wanted.page.toStdString() + "\" is no page",
                    tabNames(window).join(", ").toStdString());
    }
    window.show();
    FABRICAST_TRY(waitUntilIdle(window, "--screenshot"));
    if (window.size() != size) {
        return fail(Error::Code::BadInput,
                    "--size",
                    sizeText(size) + " has no room for this page",
                    "--size " + sizeText(window.size().expandedTo(size)));
    }
    const std::optional<Error>& error = window.session().answers().error;
    if (error && !isBegun(window.session().question(), *error)) {
        const std::string command = window.session().command();
        return tl::unexpected(unseenError(*error, command));  // a picture of nothing
    }
    FABRICAST_TRY(checkNotRead(wanted.file.toStdString()));
    return writeExport(wanted.file, pngBytes(window.grab().toImage()));
}

}  // namespace fabricast
