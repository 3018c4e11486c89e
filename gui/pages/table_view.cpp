#include "gui/pages/table_view.h"

#include <QHeaderView>
#include <QSortFilterProxyModel>
#include <utility>

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
    setWordWrap(false);
    setTabKeyNavigation(false);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(24);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setStretchLastSection(true);
    horizontalHeader()->setMinimumSectionSize(28);
}

void ReportTableView::setTable(Table table) {
    const int columns = model_->columnCount();
    model_->setTable(std::move(table));
    if (!isSortingEnabled() && model_->rowCount() > 0) {
        sorted_->sort(-1);
    }
    if (columns != model_->columnCount() || columns == 0) {
        fitColumns();
    }
}

void ReportTableView::fitColumns() {
    resizeColumnsToContents();
    for (int column = 0; column + 1 < model_->columnCount(); ++column) {
        setColumnWidth(column, columnWidth(column) + 10);
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
