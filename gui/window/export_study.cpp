#include "gui/window/export_study.h"

#include "gui/charts/export_plot.h"
#include "gui/jobs/study_session.h"
#include "gui/window/main_window.h"
#include "gui/window/study_exports.h"
#include "gui/window/unseen_error.h"
#include "gui/window/wait_until_idle.h"
#include "planner/text/text_files.h"

#include <QByteArray>

namespace fabricast {

Result<void> exportStudy(MainWindow& window, const QString& file) {
    FABRICAST_TRY(waitUntilIdle(window, "--export"));
    const StudySession& session = window.session();
    if (session.answers().error) {
        return tl::unexpected(unseenError(*session.answers().error, session.command()));
    }
    const Result<std::string> bytes =
        reportBytes(file, reportAsk(session), session.command(), session.bench(), {});
    if (!bytes) {
        return tl::unexpected(unseenError(bytes.error(), session.command()));
    }
    FABRICAST_TRY(checkNotRead(file.toStdString()));
    return writeExport(file, QByteArray::fromStdString(*bytes));
}

}  // namespace fabricast
