#include "gui/pages/table_view.h"

#include "gui/pages/cell_delegate.h"

#include <QHeaderView>
#include <QSortFilterProxyModel>
#include <algorithm>
#include <utility>
#include <vector>

namespace fabricast {

ReportTableView::ReportTableView(const QString& name, QWidget* parent)
    : QTableView(parent), model_(new TableModel(this)), sorted_(new QSortFilterProxyModel(this)) {
    setObjectName(name);
    sorted_->setSourceModel(model_);
    sorted_->setSortRole(TableModel::kSortRole);
    sorted_->setFilterKeyColumn(-1);
    sorted_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    setModel(sorted_);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setShowGrid(false);
    setAlternatingRowColors(true);
    horizontalHeader()->setStyleSheet("QHeaderView::section{padding:3px 7px}");
    setItemDelegate(new CellDelegate(this));
    setWordWrap(false);
    setTabKeyNavigation(false);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(24);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setMinimumSectionSize(28);
}

void ReportTableView::setTable(Table table) {
    const int columns = model_->columnCount();
    const bool wasEmpty = model_->rowCount() == 0;
    model_->setTable(std::move(table));
    fitColumns(columns == model_->columnCount() && !wasEmpty);
}

/// Columns that only grow do not jump while numbers change.
void ReportTableView::fitColumns(bool onlyGrow) {
    const std::vector<Column>& columns = model_->table().columns;
    if (columns.empty()) {
        return;
    }
    constexpr int kLeastFirst = 46;  // the number, and which of A and B it is
    constexpr int kLeastLast = 80;   // it takes what is left
    constexpr int kMostWords = 195;  // of columns behind the first: the tooltip has the rest
    constexpr int kMost = 400;
    const int last = static_cast<int>(columns.size()) - 1;
    // A number is not moved to the far side of the window.
    const bool fills = columns.back().align == Align::Left;
    horizontalHeader()->setStretchLastSection(fills);
    for (int column = 0; column <= last; ++column) {
        const bool isWords = columns[static_cast<std::size_t>(column)].align == Align::Left;
        const int most = isWords && column > 0 ? kMostWords : kMost;
        const int whole =
            std::max(sizeHintForColumn(column), horizontalHeader()->sectionSizeHint(column));
        const int needed = std::min(most, whole);
        const int least = column == 0 ? std::max(kLeastFirst, needed) : needed;
        const int width = onlyGrow ? std::max(columnWidth(column), least) : least;
        setColumnWidth(column, fills && column == last ? kLeastLast : width);
    }
}

int ReportTableView::tableRow(const QModelIndex& shown) const {
    return sorted_->mapToSource(shown).row();
}

QModelIndex ReportTableView::shownRow(int row) const {
    return sorted_->mapFromSource(model_->index(row, 0));
}

void ReportTableView::setFilter(const QString& words) {
    sorted_->setFilterFixedString(words);
}

}  // namespace fabricast
