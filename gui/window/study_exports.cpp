#include "gui/window/study_exports.h"

#include "gui/charts/export_plot.h"
#include "gui/jobs/study_session.h"
#include "gui/window/notice_bar.h"
#include "gui/window/save_dialog.h"
#include "machine/print_page.h"
#include "planner/report/html_page.h"
#include "study/study_report.h"

#include <utility>

namespace fabricast {
namespace {

std::optional<Question> questionOfView(const PlanInView& view) {
    return view.typed.empty() || view.error ? std::nullopt : std::optional(view.question);
}

Result<std::string> reportPage(const StudyReportAsk& ask,
                               const std::string& command,
                               const Workbench& bench,
                               const Watch& watch) {
    FABRICAST_ASSIGN(const Report report, studyReport(ask, bench, watch));
    return htmlPage(report,
                    {.title = "Study", .tool = "fabricast " FABRICAST_VERSION, .command = command});
}

/// What has no browser to print with is told what to do in a window.
Result<std::string> documentOf(const std::string& page, const std::stop_token& stop) {
    return printedPage(page, stop).map_error([](Error error) {
        error.where = "PDF";
        error.hint = error.hint.empty() ? "" : "save the report as a page (.html), and print that";
        return error;
    });
}

}  // namespace

StudyExports::StudyExports(StudySession& session, QWidget* window)
    : QObject(window), session_(session), window_(window) {}

void StudyExports::exportReport() {
    const QString file = askFileToSave(
        window_, "Save the report", "study.html", "Pages (*.html);;Documents (*.pdf)");
    if (!file.isEmpty()) {
        writeReport(file);
    }
}

void StudyExports::exportTrace() {
    const QString file =
        askFileToSave(window_, "Save the trace of the step", "step.json", "Traces (*.json)");
    if (!file.isEmpty()) {
        writeTrace(file);
    }
}

void StudyExports::writeReport(const QString& file) {
    const StudyReportAsk ask{.question = session_.question(),
                             .about = questionOfView(session_.a()),
                             .beside = questionOfView(session_.b())};
    const bool isPdf = file.endsWith(".pdf", Qt::CaseInsensitive);
    write(file,
          "Writing the report …",
          [ask, isPdf, command = session_.command(), bench = session_.bench()](
              const Watch& watch) -> Result<std::string> {
              FABRICAST_ASSIGN(std::string page, reportPage(ask, command, bench, watch));
              return isPdf ? documentOf(page, watch.stop) : Result<std::string>(std::move(page));
          });
}

void StudyExports::writeTrace(const QString& file) {
    const std::optional<Question> about = questionOfView(session_.a());
    if (!about) {
        emit failed("There is no layout yet whose step could be simulated.");
        return;
    }
    write(file,
          "Writing the trace …",
          [about = *about, bench = session_.bench()](const Watch& watch) {
              return stepTrace(about, bench, watch);
          });
}

void StudyExports::write(const QString& file, const QString& words, Bytes bytes) {
    emit started(words);
    job_.start(
        [this, file, bytes = std::move(bytes)](const Watch& watch, const LatestJob::Post& post) {
            const Result<std::string> made = bytes(watch);
            const Result<void> done = !made ? Result<void>(tl::unexpected(made.error()))
                                      : watch.stopped()
                                          ? Result<void>()
                                          : writeExport(file, QByteArray::fromStdString(*made));
            post([this, file, done] {
                if (done) {
                    emit written(file);
                } else {
                    emit failed(QString::fromStdString(done.error().text()));
                }
            });
        });
}

void StudyExports::cancel() {
    job_.cancel();
}

void sayExports(StudyExports& exports, NoticeBar& notice) {
    const auto end = [&notice](const QString& words) {
        notice.say(words, {{"notice.ok", "OK", {}}});
    };
    QObject::connect(
        &exports, &StudyExports::started, &notice, [&exports, &notice](const QString& words) {
            notice.say(words, {{"notice.cancel", "Cancel", [&exports] { exports.cancel(); }}});
        });
    QObject::connect(&exports, &StudyExports::written, &notice, [&notice](const QString& file) {
        notice.sayOfPage("Written: " + file);
    });
    QObject::connect(&exports, &StudyExports::failed, &notice, end);
}

}  // namespace fabricast
