#include "gui/pages/job_page.h"

#include "gui/models/edit_words.h"

#include <utility>

namespace fabricast {

JobPage::JobPage(StudySession& session, const QString& name, QWidget* parent)
    : Page(session, name, parent) {
    connect(&job_, &LatestJob::runningChanged, this, &JobPage::showStaleness);
}

bool JobPage::ask(const std::string& key, LatestJob::Work work) {
    if (key == asked_) {
        return false;
    }
    asked_ = key;
    job_.start(std::move(work));
    showStaleness();
    return true;
}

void JobPage::forget() {
    asked_.clear();
    job_.cancel();
}

void JobPage::sayError(const Error& error) {
    if (error.code != Error::Code::Stopped) {
        say(QString::fromStdString("This cannot be answered:\n\n" + errorWords(error)));
    }
}

}  // namespace fabricast
