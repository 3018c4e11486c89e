#include "gui/pages/table_view.h"

#include "gui/models/row_filter.h"
#include "gui/pages/cell_delegate.h"
#include "planner/report/markup.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QProxyStyle>
#include <QScrollBar>
#include <algorithm>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr int kMostColumn = 400;  ///< pixels of a column

/// Titles begin where the cells below do. With a style sheet instead, Qt paints the mark of the
/// sorted column over its title.
class TitleStyle final : public QProxyStyle {
public:
    int pixelMetric(PixelMetric metric,
                    const QStyleOption* option,
                    const QWidget* widget) const override {
        constexpr int kBeside = 6;
        return metric == PM_HeaderMargin ? kBeside
                                         : QProxyStyle::pixelMetric(metric, option, widget);
    }
};

}  // namespace

ReportTableView::ReportTableView(const QString& name, QWidget* parent)
    : QTableView(parent), model_(new TableModel(this)), sorted_(new RowFilter(this)) {
    setObjectName(name);
    sorted_->setSourceModel(model_);
    setModel(sorted_);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setShowGrid(false);
    setAlternatingRowColors(true);
    auto* titles = new TitleStyle;
    titles->setParent(this);
    horizontalHeader()->setStyle(titles);
    setItemDelegate(new CellDelegate(this));
    setWordWrap(false);
    setTabKeyNavigation(false);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(24);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setMinimumSectionSize(28);
    horizontalHeader()->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(horizontalHeader(),
            &QHeaderView::customContextMenuRequested,
            this,
            &ReportTableView::showColumnMenu);
    connect(horizontalScrollBar(), &QScrollBar::rangeChanged, this, &ReportTableView::fitHeight);
}

void ReportTableView::setTable(Table table) {
    const int columns = model_->columnCount();
    const bool wasEmpty = model_->rowCount() == 0;
    model_->setTable(std::move(table));
    fitColumns(columns == model_->columnCount() && !wasEmpty);
    fitHeight();
}

int ReportTableView::heightOf(int rows) const {
    const QScrollBar& bar = *horizontalScrollBar();
    return horizontalHeader()->sizeHint().height() + rows * verticalHeader()->defaultSectionSize() +
           (bar.maximum() > 0 ? bar.sizeHint().height() : 0) + 2 * frameWidth();
}

QSize ReportTableView::sizeHint() const {
    return {QTableView::sizeHint().width(), heightOf(model_->rowCount())};
}

QSize ReportTableView::minimumSizeHint() const {
    constexpr int kLeastRows = 5;
    return {QTableView::minimumSizeHint().width(),
            heightOf(std::min(model_->rowCount(), kLeastRows))};
}

void ReportTableView::fitHeight() {
    setMaximumHeight(sizeHint().height());
    updateGeometry();
}

/// Of a title, without the mark of the sorted column, which only one has.
int ReportTableView::titleWidth(int column) {
    QHeaderView& header = *horizontalHeader();
    const bool hasMark = header.isSortIndicatorShown();
    header.setSortIndicatorShown(hasMark && header.sortIndicatorSection() == column);
    const int width = header.sectionSizeHint(column);
    header.setSortIndicatorShown(hasMark);
    return width;
}

/// Columns that only grow do not jump while numbers change.
void ReportTableView::fitColumns(bool onlyGrow) {
    const std::vector<Column>& columns = model_->table().columns;
    if (columns.empty()) {
        return;
    }
    if (sharesWidth_) {
        shareWidth();
        return;
    }
    constexpr int kLeastFirst = 46;  // the number, and which of A and B it is
    constexpr int kMostWords = 195;  // of columns behind the first: the tooltip has the rest
    const int last = static_cast<int>(columns.size()) - 1;
    // A number is not moved to the far side of the window.
    const bool fills = columns.back().align == Align::Left;
    const bool givesWay = fills && mostLast_ < kMostColumn;
    horizontalHeader()->setStretchLastSection(givesWay);
    for (int column = 0; column <= last; ++column) {
        const bool isWords = columns[static_cast<std::size_t>(column)].align == Align::Left;
        const int most = isWords && column > 0 ? kMostWords : kMostColumn;
        const int whole = std::max(sizeHintForColumn(column), titleWidth(column));
        const int needed = std::min(most, whole);
        const int least = column == 0 ? std::max(kLeastFirst, needed) : needed;
        const int width = onlyGrow ? std::max(std::min(columnWidth(column), most), least) : least;
        setColumnWidth(column, givesWay && column == last ? mostLast_ : width);
    }
    lastNeeds_ =
        fills ? std::min(mostLast_, std::max(sizeHintForColumn(last), titleWidth(last))) : 0;
    if (fills) {
        widenWords();
    }
    fitLast();
}

int ReportTableView::columnNeeds(int column) {
    return isColumnHidden(column) ? 0 : std::max(sizeHintForColumn(column), titleWidth(column));
}

void ReportTableView::shareWidth() {
    constexpr int kLeast = 60;
    constexpr int kStep = 4;
    std::vector<int> needs;
    for (int column = 0; column < model_->columnCount(); ++column) {
        needs.push_back(columnNeeds(column));
    }
    const auto widthUpTo = [&needs](int most) {
        int sum = 0;
        for (const int need : needs) {
            sum += std::min(need, most);
        }
        return sum;
    };
    int most = kMostColumn;
    while (most > kLeast && widthUpTo(most) > viewport()->width()) {
        most -= kStep;
    }
    for (int column = 0; column < model_->columnCount(); ++column) {
        setColumnWidth(column, std::min(needs[static_cast<std::size_t>(column)], most));
    }
    horizontalHeader()->setStretchLastSection(true);
}

void ReportTableView::fitWidth() {
    int width = 2 * frameWidth() + verticalScrollBar()->sizeHint().width();
    for (int column = 0; column < model_->columnCount(); ++column) {
        width += columnWidth(column);
    }
    setMaximumWidth(width);
}

/// What the last column can spare goes to words that are cut off, from the left.
void ReportTableView::widenWords() {
    const int bar =  // which may come with the next rows
        verticalScrollBar()->isVisible() ? 0 : verticalScrollBar()->sizeHint().width();
    int spare = viewport()->width() - bar - lastNeeds_;
    const int last = model_->columnCount() - 1;
    for (int column = 0; column < last; ++column) {
        spare -= isColumnHidden(column) ? 0 : columnWidth(column);
    }
    for (int column = 1; column < last && spare > 0; ++column) {
        const int missing = sizeHintForColumn(column) - columnWidth(column);
        if (!isColumnHidden(column) && missing > 0) {
            setColumnWidth(column, columnWidth(column) + std::min(missing, spare));
            spare -= std::min(missing, spare);
        }
    }
}

void ReportTableView::fitLast() {
    const int last = model_->columnCount() - 1;
    if (sharesWidth_ || lastNeeds_ == 0 || last < 0 || mostLast_ < kMostColumn) {
        return;
    }
    int spare = viewport()->width();
    for (int column = 0; column < last; ++column) {
        spare -= isColumnHidden(column) ? 0 : columnWidth(column);
    }
    const bool fills = spare >= lastNeeds_;
    horizontalHeader()->setStretchLastSection(fills);
    if (!fills) {
        setColumnWidth(last, lastNeeds_);
    }
}

void ReportTableView::resizeEvent(QResizeEvent* event) {
    QTableView::resizeEvent(event);
    if (sharesWidth_) {
        shareWidth();
    }
    fitLast();
}

int ReportTableView::tableRow(const QModelIndex& shown) const {
    return sorted_->mapToSource(shown).row();
}

QModelIndex ReportTableView::shownRow(int row) const {
    return sorted_->mapFromSource(model_->index(row, 0));
}

void ReportTableView::setFilter(const QString& words) {
    sorted_->setWords(words);
}

void ReportTableView::setRows(std::optional<std::set<int>> rows) {
    sorted_->setRows(std::move(rows));
}

int ReportTableView::shownRows() const {
    return sorted_->rowCount();
}

void ReportTableView::letSort() {
    horizontalHeader()->setSortIndicatorClearable(true);
    horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    setSortingEnabled(true);
    connect(horizontalHeader(), &QHeaderView::sortIndicatorChanged, this, [this](int column) {
        if (column >= 0) {
            setColumnWidth(column, std::max(columnWidth(column), titleWidth(column)));
        }
    });
}

void ReportTableView::fillColumnMenu(QMenu& menu) {
    const std::vector<Column>& columns = model_->table().columns;
    for (int column = 0; column < model_->columnCount(); ++column) {
        const std::string& title = columns[static_cast<std::size_t>(column)].title;
        if (title.empty()) {
            continue;  // the number of the row, and whether it is A or B
        }
        QAction* action = menu.addAction(QString::fromStdString(title));
        action->setCheckable(true);
        action->setChecked(!isColumnHidden(column));
        connect(action, &QAction::toggled, this, [this, column](bool shown) {
            setColumnHidden(column, !shown);
        });
    }
}

/// What a click on a title does: a second time the other way round.
void ReportTableView::fillSortMenu(QMenu& menu) {
    const std::vector<Column>& columns = model_->table().columns;
    const QHeaderView& header = *horizontalHeader();
    for (int column = 0; column < model_->columnCount(); ++column) {
        const std::string& title = columns[static_cast<std::size_t>(column)].title;
        if (title.empty() || isColumnHidden(column)) {
            continue;
        }
        const bool isAgain = header.sortIndicatorSection() == column &&
                             header.sortIndicatorOrder() == Qt::AscendingOrder;
        menu.addAction(QString::fromStdString(title), this, [this, column, isAgain] {
            sortByColumn(column, isAgain ? Qt::DescendingOrder : Qt::AscendingOrder);
        });
    }
    menu.addAction("As it was", this, [this] { sortByColumn(-1, Qt::AscendingOrder); });
}

void ReportTableView::showColumnMenu(const QPoint& place) {
    QMenu menu(this);
    fillColumnMenu(menu);
    menu.exec(horizontalHeader()->mapToGlobal(place));
}

Table ReportTableView::shownTable() const {
    Table shown;
    std::vector<std::size_t> columns;
    for (int column = 0; column < model_->columnCount(); ++column) {
        if (!isColumnHidden(column)) {
            columns.push_back(static_cast<std::size_t>(column));
            shown.columns.push_back(model_->table().columns[columns.back()]);
        }
    }
    for (int row = 0; row < sorted_->rowCount(); ++row) {
        const auto from = static_cast<std::size_t>(tableRow(sorted_->index(row, 0)));
        const std::vector<std::string>& cells = model_->table().rows[from];
        std::vector<std::string>& copy = shown.rows.emplace_back();
        for (const std::size_t column : columns) {
            copy.push_back(column < cells.size() ? cells[column] : "");
        }
    }
    return shown;
}

void ReportTableView::copyAsMarkdown() const {
    const std::string text = markdownEscaped(markdownText(shownTable()));
    QApplication::clipboard()->setText(QString::fromStdString(text));
}

void ReportTableView::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    menu.addAction("&Copy the table as Markdown", this, &ReportTableView::copyAsMarkdown);
    fillColumnMenu(*menu.addMenu("C&olumns"));
    if (isSortingEnabled()) {
        fillSortMenu(*menu.addMenu("&Sort by"));
    }
    menu.exec(event->globalPos());
}

void ReportTableView::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy)) {
        copyAsMarkdown();
        return;
    }
    QTableView::keyPressEvent(event);
}

}  // namespace fabricast
