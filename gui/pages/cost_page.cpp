#include "gui/pages/cost_page.h"

#include "gui/jobs/study_session.h"
#include "gui/models/page_views.h"
#include "gui/pages/table_view.h"
#include "planner/report/cost_report.h"

#include <QLabel>
#include <QVBoxLayout>

namespace fabricast {

CostPage::CostPage(StudySession& session, QWidget* parent) : Page(session, "cost", parent) {
    addFitWarning();
    headline_ = addHeadline("cost.headline");
    rows_ = new ReportTableView("cost.rows");
    rows_->setAccessibleName("Costs");
    addSharing(rows_);
    addTitle("What it rests on");
    basis_ = addHeadline("cost.basis");
    connect(rows_, &QTableView::activated, this, [this](const QModelIndex& index) {
        const auto row = static_cast<std::size_t>(rows_->tableRow(index));
        if (row < why_.size()) {
            emit whyAsked(QString::fromStdString(why_[row]));
        }
    });
}

void CostPage::refresh() {
    if (!hasLayout()) {
        return;
    }
    const Explanation& a = *session().a().explanation;
    if (!a.cost) {
        say("The cost of this layout is not known: its step has no forecast.");
        return;
    }
    headline_->setText(
        a.basis.tokens
            ? "Of the whole run with layout A. Enter or a double click opens the formula."
            : "Enter the tokens of the run on the left to see its days and its price.");
    CostRows rows = costRows(*a.cost);
    why_ = std::move(rows.why);
    rows_->setTable(std::move(rows.table));
    QStringList lines;
    for (const std::string& line : costBasisLines(*a.cost, a.basis)) {
        lines << QString::fromStdString(line);
    }
    basis_->setText(lines.join('\n'));
    showBody();
}

}  // namespace fabricast
