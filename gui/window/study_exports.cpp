#include "gui/window/study_exports.h"

#include "gui/charts/export_plot.h"
#include "gui/jobs/study_session.h"
#include "gui/print/report_pdf.h"
#include "gui/window/notice_bar.h"
#include "gui/window/save_dialog.h"
#include "planner/report/html_page.h"

#include <QFileInfo>
#include <utility>

namespace fabricast {
namespace {

std::optional<Question> questionOfView(const PlanInView& view) {
    return view.typed.empty() || view.error ? std::nullopt : std::optional(view.question);
}

}  // namespace

StudyReportAsk reportAsk(const StudySession& session) {
    return {.question = session.question(),
            .about = questionOfView(session.a()),
            .beside = questionOfView(session.b())};
}

Result<std::string> reportBytes(const QString& file,
                                const StudyReportAsk& ask,
                                const std::string& command,
                                const Workbench& bench,
                                const Watch& watch) {
    const QString kind = QFileInfo(file).suffix().toLower();
    if (kind != "pdf" && kind != "html") {
        return fail(Error::Code::BadInput,
                    file.toStdString(),
                    "a report is not written as \"" + kind.toStdString() + "\"",
                    "a name that ends in .pdf or .html");
    }
    FABRICAST_ASSIGN(const Report report, studyReport(ask, bench, watch));
    const PageInfo info{
        .title = "Study", .tool = "fabricast " FABRICAST_VERSION, .command = command};
    if (kind == "html") {
        return htmlPage(report, info);
    }
    FABRICAST_ASSIGN(const QByteArray pdf, reportPdf(report, info));
    return pdf.toStdString();
}

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
    write(file,
          "Writing the report …",
          [file, ask = reportAsk(session_), command = session_.command(), bench = session_.bench()](
              const Watch& watch) { return reportBytes(file, ask, command, bench, watch); });
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
