#pragma once
#include "planner/report/table.h"

#include <QAbstractTableModel>
#include <QVariant>
#include <optional>
#include <set>

namespace fabricast {

/// A report's table as widgets show it: the same words as on the command line.
/// Under `kSortRole` a cell is its number where its column is one of numbers, so that rows sort.
class TableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    static constexpr int kSortRole = Qt::UserRole;
    /// From 0 to 1, of cells in a column of shares.
    static constexpr int kShareRole = Qt::UserRole + 1;

    explicit TableModel(QObject* parent = nullptr);

    /// Rows that only change keep their selection.
    void setTable(Table table);
    [[nodiscard]] const Table& table() const { return table_; }
    /// Rows that are set off: A and B of a list.
    void setMarks(std::optional<int> a, std::optional<int> b);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation side, int role) const override;

private:
    Table table_;
    std::optional<int> a_;
    std::optional<int> b_;
};

/// The number that a cell begins with, without grouping and marks: "6,577", "$0.125", "79.9??".
std::optional<double> leadingNumber(const std::string& cell);

}  // namespace fabricast
