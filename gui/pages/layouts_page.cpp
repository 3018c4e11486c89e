#include "gui/pages/layouts_page.h"

#include "gui/charts/scatter_widget.h"
#include "gui/jobs/study_session.h"
#include "gui/models/row_texts.h"
#include "gui/pages/elided_label.h"
#include "gui/pages/table_view.h"
#include "planner/report/plan_views.h"
#include "study/typed_plan.h"

#include <QApplication>
#include <QComboBox>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

namespace fabricast {
namespace {

QComboBox* metricChoice(const QString& name, const char* chosen) {
    auto* choice = new QComboBox;
    choice->setObjectName(name);
    constexpr int kLeastChoice = 120;
    choice->setMinimumWidth(kLeastChoice);
    choice->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    for (const PlanMetric& metric : planMetrics()) {
        choice->addItem(QString::fromStdString(metric.axis.title), QString(metric.key));
    }
    choice->setCurrentIndex(choice->findData(QString(chosen)));
    return choice;
}

const PlanMetric& chosenMetric(const QComboBox& choice) {
    return planMetrics()[static_cast<std::size_t>(choice.currentIndex())];
}

}  // namespace

LayoutsPage::LayoutsPage(StudySession& session, QWidget* parent)
    : Page(session, "layouts", parent), table_(new ReportTableView("layouts.table")) {
    addScatter();
    addTools();
    addNone();
    addSharing(table_);
    table_->setAccessibleName("Layouts, best first");
    table_->letSort();
    constexpr int kLeastLast = 80;
    table_->letLastGiveWay(kLeastLast);  // for the layout
    connect(table_->selectionModel(),
            &QItemSelectionModel::currentRowChanged,
            this,
            &LayoutsPage::selectA);
}

void LayoutsPage::addScatter() {
    axes_ = new QWidget;
    axes_->setObjectName("layouts.axes");
    auto* row = new QHBoxLayout(axes_);
    row->setContentsMargins(0, 0, 0, 0);
    up_ = metricChoice("layouts.y", "tokens_per_s");
    up_->setAccessibleName("Upwards");
    across_ = metricChoice("layouts.x", "memory");
    across_->setAccessibleName("To the right");
    row->addWidget(new QLabel("Show"));
    row->addWidget(up_);
    row->addWidget(new QLabel("against"));
    row->addWidget(across_);
    auto* hint = new ElidedLabel("layouts.hint");
    hint->setWords("click: A   Shift-click: B   drag: filter");
    hint->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    hint->setToolTip(
        "The wheel zooms, F shows all. By keys: arrows go from point to point, Enter is a click; B "
        "on one point and then on another filters what is between them, Escape takes it away.");
    hint->setEnabled(false);
    row->addWidget(hint, 1);
    body()->addWidget(axes_);
    scatter_ = new ScatterWidget;
    scatter_->setAccessibleName("Layouts, two numbers of each");
    addChart(scatter_, "layouts.scatter");
    for (QComboBox* choice : {up_, across_}) {
        connect(choice, &QComboBox::currentIndexChanged, this, &LayoutsPage::showScatter);
    }
    connect(scatter_, &ScatterWidget::pickedA, this, [this](std::uint32_t id) {
        session().chooseA(id);
    });
    connect(scatter_, &ScatterWidget::brushed, this, &LayoutsPage::brush);
    connect(scatter_, &ScatterWidget::pickedB, this, [this](std::uint32_t id) {
        session().chooseB(id);
    });
}

/// On one line, so that a small window has room for the table; a button opens it.
void LayoutsPage::addNote() {
    auto* row = new QHBoxLayout;
    note_ = new ElidedLabel("layouts.note");
    row->addWidget(note_, 1);
    auto* more = new QToolButton;
    more->setObjectName("layouts.note.more");
    more->setText("more");
    more->setAccessibleName("All notes on the layouts");
    more->setCheckable(true);
    more->setAutoRaise(true);
    more->setFocusPolicy(Qt::StrongFocus);
    row->addWidget(more, 0, Qt::AlignTop);
    chart_ = new QToolButton;
    chart_->setObjectName("layouts.chart");
    chart_->setAccessibleName("The chart of the layouts");
    chart_->setAutoRaise(true);
    chart_->setFocusPolicy(Qt::StrongFocus);
    row->addWidget(chart_, 0, Qt::AlignTop);
    body()->addLayout(row);
    connect(chart_, &QToolButton::clicked, this, [this] {
        asked_ = !wantsChart();
        showChart();
    });
    connect(more, &QToolButton::toggled, this, [this, more](bool opens) {
        more->setText(opens ? "less" : "more");
        note_->letWrap(opens);
    });
}

void LayoutsPage::addTools() {
    addNote();
    auto* tools = new QHBoxLayout;
    addRowChoice(*tools);
    tools->addStretch(1);
    asB_ = new QPushButton("Compare as &B");
    asB_->setObjectName("layouts.asB");
    asB_->setToolTip("Puts the selected layout beside the best one, as B, on every page");
    tools->addWidget(asB_);
    pin_ = new QPushButton("&Keep this layout");
    pin_->setObjectName("layouts.pin");
    pin_->setToolTip("Holds the selected layout while you change other things");
    tools->addWidget(pin_);
    body()->addLayout(tools);
    connect(asB_, &QPushButton::clicked, this, [this] {
        if (selectedRow() >= 0) {
            session().compareWith(static_cast<std::size_t>(selectedRow()));
        }
    });
    connect(pin_, &QPushButton::clicked, this, &LayoutsPage::pinSelected);
}

void LayoutsPage::addRowChoice(QHBoxLayout& tools) {
    brush_ = new QPushButton;
    brush_->setObjectName("layouts.brush");
    brush_->setToolTip("Shows all layouts again");
    brush_->hide();
    tools.addWidget(brush_);
    connect(brush_, &QPushButton::clicked, this, [this] { brush({}); });
    filter_ = new QLineEdit;
    filter_->setObjectName("layouts.filter");
    filter_->setPlaceholderText("filter: fsdp2, tp=4 …");
    filter_->setToolTip(
        "Words that rows must have (tp=4) or must not (-fsdp2), or numbers of "
        "columns (mfu>40, gib<60)");
    filter_->setClearButtonEnabled(true);
    filter_->setMinimumWidth(96);
    filter_->setMaximumWidth(200);
    filter_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    filter_->setAccessibleName("Filter the layouts");
    tools.addWidget(filter_, 1);
    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& words) {
        filterRows([this, words] { table_->setFilter(words); });
    });
    auto* columns = new QPushButton("Co&lumns");
    columns->setObjectName("layouts.columns");
    columns->setToolTip("Shows and hides columns");
    auto* menu = new QMenu(columns);
    columns->setMenu(menu);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        menu->clear();
        table_->fillColumnMenu(*menu);
    });
    tools.addWidget(columns);
}

/// The way back from a filter that no row passes.
void LayoutsPage::addNone() {
    none_ = new QWidget;
    none_->setObjectName("layouts.none");
    auto* row = new QHBoxLayout(none_);
    row->setContentsMargins(0, 0, 0, 0);
    noneWords_ = new QLabel;
    noneWords_->setObjectName("layouts.none.words");
    noneWords_->setWordWrap(true);
    noneWords_->setTextFormat(Qt::PlainText);
    row->addWidget(noneWords_, 1);
    auto* all = new QPushButton("Show all layouts");
    all->setObjectName("layouts.none.all");
    row->addWidget(all, 0, Qt::AlignTop);
    none_->hide();
    body()->addWidget(none_);
    connect(all, &QPushButton::clicked, this, [this] {
        filter_->clear();
        brush({});
        filter_->setFocus();
    });
}

void LayoutsPage::showNone() {
    const int rows = table_->tableModel().rowCount();
    const bool isNone = rows > 0 && table_->shownRows() == 0;
    noneWords_->setText(QString("None of %1 layouts passes the filter \"%2\".")
                            .arg(rows)
                            .arg(filter_->text().trimmed()));
    none_->setVisible(isNone);
}

void LayoutsPage::brush(const std::vector<std::uint32_t>& ids) {
    const std::vector<Plan>& plans = session().answers().shown();
    brushed_.clear();
    for (const std::uint32_t id : ids) {
        if (id < plans.size()) {
            brushed_.insert(typedPlan(plans[id]));
        }
    }
    showBrush();
    showScatter();
}

std::vector<std::uint32_t> LayoutsPage::brushedPlaces() const {
    const std::vector<Plan>& plans = session().answers().shown();
    std::vector<std::uint32_t> places;
    for (std::uint32_t place = 0; place < plans.size() && !brushed_.empty(); ++place) {
        if (brushed_.contains(typedPlan(plans[place]))) {
            places.push_back(place);
        }
    }
    return places;
}

/// Of layouts that an answer does not have any more, nothing is left: then all are shown.
void LayoutsPage::showBrush() {
    const std::vector<std::uint32_t> places = brushedPlaces();
    brush_->setVisible(!places.empty());
    brush_->setText(
        QString("%1 of %2, clear ×").arg(places.size()).arg(session().answers().shown().size()));
    filterRows([this, &places] {
        table_->setRows(places.empty()
                            ? std::nullopt
                            : std::optional(std::set<int>(places.begin(), places.end())));
    });
}

/// A row that is hidden is not chosen by that, and A is selected again where it is left.
void LayoutsPage::filterRows(const std::function<void()>& filter) {
    const bool wasShowing = std::exchange(isShowing_, true);
    filter();
    showNone();
    if (const std::optional<std::size_t> a = session().placeOf(session().a())) {
        table_->setCurrentIndex(table_->shownRow(static_cast<int>(*a)));
    }
    isShowing_ = wasShowing;
}

int LayoutsPage::selectedRow() const {
    const QModelIndex current = table_->currentIndex();
    return current.isValid() ? table_->tableRow(current) : -1;
}

void LayoutsPage::selectA() {
    if (isShowing_ || selectedRow() < 0) {
        return;
    }
    const auto row = static_cast<std::size_t>(selectedRow());
    const bool isClicked = QApplication::mouseButtons().testFlag(Qt::LeftButton);
    if (isClicked && QApplication::keyboardModifiers().testFlag(Qt::ShiftModifier)) {
        session().chooseB(row);
        filterRows([] {});
    } else {
        session().chooseA(row);
    }
}

void LayoutsPage::pinSelected() {
    const std::vector<Plan>& plans = session().answers().shown();
    const auto row = static_cast<std::size_t>(selectedRow() < 0 ? 0 : selectedRow());
    if (row >= plans.size()) {
        return;
    }
    Result<std::vector<Edit>> edits = heldLayoutEdits(plans[row].scenario);
    if (edits) {
        edits->push_back({"search.stacks", plans[row].scenario.stack, "--stack"});
        session().edit(*edits, {.title = "Keep layout " + planLayoutText(plans[row].scenario)});
    }
}

void LayoutsPage::showTable() {
    const PlanAnswers& answers = session().answers();
    isShowing_ = true;
    table_->setTable(planRows(*answers.report, answers.shown()));
    const auto rowOf = [this](const PlanInView& view) {
        const std::optional<std::size_t> place = session().placeOf(view);
        return place ? std::optional(static_cast<int>(*place)) : std::nullopt;
    };
    const std::optional<int> a = rowOf(session().a());
    table_->tableModel().setMarks(a, rowOf(session().b()));
    if (a) {
        table_->setCurrentIndex(table_->shownRow(*a));
    }
    showNone();
    isShowing_ = false;
}

void LayoutsPage::showScatter() {
    const std::vector<Plan>& plans = session().answers().shown();
    const auto idOf = [this](const PlanInView& view) {
        const std::optional<std::size_t> place = session().placeOf(view);
        return place ? std::optional(static_cast<std::uint32_t>(*place)) : std::nullopt;
    };
    scatter_->setValues(planScatter(plans, chosenMetric(*across_), chosenMetric(*up_)));
    showChart();
    scatter_->setMarks(
        {.a = idOf(session().a()), .b = idOf(session().b()), .selected = brushedPlaces()});
}

bool LayoutsPage::wantsChart() const {
    constexpr int kLines = 120;  // pixels of what is above and between them
    const int both = scatter_->minimumSizeHint().height() + table_->minimumSizeHint().height();
    return asked_.value_or(height() >= both + kLines);
}

/// In a small window the rows go first; a button shows the chart.
void LayoutsPage::showChart() {
    const bool wants = wantsChart();
    const bool isEmpty = scatter_->values().points.empty();
    const PlanReport* report = session().answers().report.get();
    scatter_->setVisible(wants && !isEmpty);
    axes_->setVisible(wants && (!isEmpty || (report != nullptr && !report->plans.empty())));
    chart_->setVisible(!isEmpty);
    chart_->setText(wants ? "hide chart" : "show chart");
}

void LayoutsPage::resizeEvent(QResizeEvent* event) {
    Page::resizeEvent(event);
    showChart();
}

/// Its rows are the answer itself, and not an explanation of it.
bool LayoutsPage::isStale() const {
    return session().answers().isStale();
}

void LayoutsPage::refresh() {
    const PlanAnswers& answers = session().answers();
    const std::string note = planListNote(answers.report.get(), answers.best, answers.error);
    if (answers.shown().empty()) {
        say(QString::fromStdString(note));
        return;
    }
    note_->setWords(QString::fromStdString(note));
    showTable();
    showBrush();
    showScatter();
    showBody();
}

void LayoutsPage::showEvent(QShowEvent* event) {
    Page::showEvent(event);
    session().setWidth(SearchWidth::Front);
}

}  // namespace fabricast
