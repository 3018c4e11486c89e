#pragma once
#include "gui/models/table_model.h"

#include <QTableView>

class QSortFilterProxyModel;

namespace fabricast {

/// A report's table on screen: its columns as wide as their words, the last one taking the rest.
class ReportTableView final : public QTableView {
    Q_OBJECT

public:
    explicit ReportTableView(const QString& name, QWidget* parent = nullptr);

    void setTable(Table table);
    [[nodiscard]] TableModel& tableModel() const { return *model_; }
    /// The row of the table that a row on screen shows, and back.
    [[nodiscard]] int tableRow(const QModelIndex& shown) const;
    [[nodiscard]] QModelIndex shownRow(int row) const;
    void setFilter(const QString& words);

private:
    void fitColumns(bool onlyGrow);

    TableModel* model_ = nullptr;
    QSortFilterProxyModel* sorted_ = nullptr;
};

}  // namespace fabricast
