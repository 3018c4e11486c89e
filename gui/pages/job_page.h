#pragma once
#include "gui/jobs/latest_job.h"
#include "gui/pages/page.h"
#include "planner/base/result.h"

#include <string>

namespace fabricast {

/// This is a page with an answer of its own, which is asked for while the page is seen and when the
/// question behind it has changed.
class JobPage : public Page {
    Q_OBJECT

public:
    JobPage(StudySession& session, const QString& name, QWidget* parent = nullptr);

    [[nodiscard]] bool isWaiting() const override { return job_.isRunning(); }

protected:
    [[nodiscard]] bool isStale() const override { return Page::isStale() || job_.isRunning(); }
    /// Starts the work unless it was started for the same key; true where it was started now.
    bool ask(const std::string& key, LatestJob::Work work);
    void forget();
    void sayError(const Error& error);

private:
    LatestJob job_;
    std::string asked_;
};

}  // namespace fabricast
