#include "gui/pages/layouts_page.h"

#include "gui/jobs/study_session.h"
#include "gui/models/plan_rows.h"
#include "gui/pages/table_view.h"
#include "planner/report/plan_text.h"
#include "study/typed_plan.h"

#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace fabricast {

LayoutsPage::LayoutsPage(StudySession& session, QWidget* parent)
    : Page(session, "layouts", parent), table_(new ReportTableView("layouts.table")) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(10, 8, 10, 8);
    auto* tools = new QHBoxLayout;
    note_ = new QLabel;
    note_->setObjectName("layouts.note");
    note_->setWordWrap(true);
    tools->addWidget(note_, 1);
    filter_ = new QLineEdit;
    filter_->setObjectName("layouts.filter");
    filter_->setPlaceholderText("filter: fsdp2, tp=4 …");
    filter_->setClearButtonEnabled(true);
    filter_->setFixedWidth(170);
    filter_->setAccessibleName("Filter the layouts");
    tools->addWidget(filter_);
    asB_ = new QPushButton("Compare as &B");
    asB_->setObjectName("layouts.asB");
    asB_->setToolTip("Puts the selected layout beside A on every page (B)");
    tools->addWidget(asB_);
    pin_ = new QPushButton("&Keep this layout");
    pin_->setObjectName("layouts.pin");
    pin_->setToolTip("Holds the selected layout while you change other things");
    tools->addWidget(pin_);
    column->addLayout(tools);
    column->addWidget(table_, 1);
    table_->setAccessibleName("Layouts, best first");
    connect(filter_, &QLineEdit::textChanged, table_, &ReportTableView::setFilter);
    connect(table_->selectionModel(),
            &QItemSelectionModel::currentRowChanged,
            this,
            &LayoutsPage::selectA);
    connect(asB_, &QPushButton::clicked, this, [this] {
        if (selectedRow() >= 0) {
            this->session().chooseB(static_cast<std::size_t>(selectedRow()));
        }
    });
    connect(pin_, &QPushButton::clicked, this, &LayoutsPage::pinSelected);
}

int LayoutsPage::selectedRow() const {
    const QModelIndex current = table_->currentIndex();
    return current.isValid() ? table_->tableRow(current) : -1;
}

void LayoutsPage::selectA() {
    if (!isShowing_ && selectedRow() >= 0) {
        session().chooseA(static_cast<std::size_t>(selectedRow()));
    }
}

void LayoutsPage::pinSelected() {
    const std::vector<Plan>& plans = session().answers().shown();
    const auto row = static_cast<std::size_t>(selectedRow() < 0 ? 0 : selectedRow());
    if (row >= plans.size()) {
        return;
    }
    Result<std::vector<Edit>> edits = layoutEdits(typedLayout(plans[row].scenario), "--fix");
    if (edits) {
        edits->push_back({"search.stacks", plans[row].scenario.stack, "--stack"});
        session().edit(*edits, {.title = "Keep layout " + planLayoutText(plans[row].scenario)});
    }
}

void LayoutsPage::refresh() {
    const PlanAnswers& answers = session().answers();
    const std::vector<Plan>& plans = answers.shown();
    isShowing_ = true;
    if (answers.report) {
        table_->setTable(planRows(*answers.report, plans));
    }
    const std::optional<std::size_t> a = session().placeOf(session().a());
    const std::optional<std::size_t> b = session().placeOf(session().b());
    const auto row = [](const std::optional<std::size_t>& place) {
        return place ? std::optional(static_cast<int>(*place)) : std::nullopt;
    };
    table_->tableModel().setMarks(row(a), row(b));
    if (a) {
        table_->setCurrentIndex(table_->shownRow(static_cast<int>(*a)));
    }
    isShowing_ = false;
    table_->setEnabled(!plans.empty());
    asB_->setEnabled(!plans.empty());
    pin_->setEnabled(!plans.empty());
    note_->setText(QString::fromStdString(planListNote(answers.report.get(), answers.error)));
}

std::string LayoutsPage::text() const {
    const PlanAnswers& answers = session().answers();
    return answers.report ? planText(*answers.report) : note_->text().toStdString();
}

}  // namespace fabricast
