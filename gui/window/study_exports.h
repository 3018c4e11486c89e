#pragma once
#include "gui/jobs/latest_job.h"
#include "planner/base/result.h"
#include "study/study_report.h"

#include <QObject>
#include <QString>
#include <functional>
#include <string>

class QWidget;

namespace fabricast {

class NoticeBar;
class StudySession;

/// This writes a study for others: all that is answered about it as one page, and the simulated
/// step as a trace. It works beside the window, which says how that ended.
class StudyExports final : public QObject {
    Q_OBJECT

public:
    StudyExports(StudySession& session, QWidget* window);

    void exportReport();
    void exportTrace();
    /// As PDF where the name ends so, else as HTML; nothing else is needed to read either.
    void writeReport(const QString& file);
    /// For Perfetto and chrome://tracing.
    void writeTrace(const QString& file);
    [[nodiscard]] bool isRunning() const { return job_.isRunning(); }
    void cancel();

signals:
    void started(const QString& words);
    void written(const QString& file);
    void failed(const QString& why);

private:
    using Bytes = std::function<Result<std::string>(const Watch& watch)>;
    void write(const QString& file, const QString& words, Bytes bytes);

    StudySession& session_;
    QWidget* window_ = nullptr;
    LatestJob job_;
};

/// What a report of the study that a window shows is about.
StudyReportAsk reportAsk(const StudySession& session);
/// The report as a PDF or a page, as the name of the file ends.
Result<std::string> reportBytes(const QString& file,
                                const StudyReportAsk& ask,
                                const std::string& command,
                                const Workbench& bench,
                                const Watch& watch);

/// Says what is being written, and how that ended.
void sayExports(StudyExports& exports, NoticeBar& notice);

}  // namespace fabricast
