#include "gui/pages/evidence_page.h"

#include "gui/jobs/study_session.h"
#include "gui/models/row_texts.h"
#include "gui/pages/table_view.h"

#include <QLabel>
#include <QRegularExpression>
#include <QVBoxLayout>

namespace fabricast {
namespace {

/// What a terminal types to see a formula is a click here.
QString linkToWhy(const QString& line) {
    static const QRegularExpression typed("--why ([a-z0-9_]+(?:\\.[a-z0-9_]+)*)");
    return line.toHtmlEscaped().replace(typed, "<a href=\"\\1\">why \\1</a>");
}

}  // namespace

EvidencePage::EvidencePage(StudySession& session, QWidget* parent)
    : Page(session, "evidence", parent) {
    addFitWarning();
    addTitle("How sure the numbers of layout A are");
    trust_ = new ReportTableView("evidence.trust");
    trust_->setAccessibleName("How sure the numbers are");
    addSharing(trust_);
    addTitle("What was assumed");
    assumed_ = addHeadline("evidence.assumed");
    assumed_->setAccessibleName("What was assumed");
    assumed_->setTextFormat(Qt::RichText);
    assumed_->setTextInteractionFlags(Qt::TextBrowserInteraction);
    connect(assumed_, &QLabel::linkActivated, this, &EvidencePage::whyAsked);
    addTitle("Where the hardware's numbers are from");
    sources_ = new ReportTableView("evidence.sources");
    sources_->setAccessibleName("Sources of the hardware's numbers");
    addSharing(sources_);
}

void EvidencePage::refresh() {
    if (!hasLayout()) {
        return;
    }
    const Explanation& a = *session().a().explanation;
    trust_->setTable(trustRows(a));
    QStringList lines;
    for (const std::string& line : assumptionLines(a, session().answers().report.get())) {
        lines << "•  " + linkToWhy(QString::fromStdString(line));
    }
    assumed_->setText(lines.isEmpty() ? "Nothing: the question says all." : lines.join("<br>"));
    sources_->setTable(sourceRows(session().bench().profiles(), a.scenario));
    showBody();
}

}  // namespace fabricast
