#include "gui/models/table_model.h"

#include <QFont>
#include <limits>
#include <utility>

namespace fabricast {

std::optional<double> leadingNumber(const std::string& cell) {
    std::string digits;
    for (const char letter : cell) {
        const bool skipped = letter == ',' || letter == '$' || letter == '+';
        const bool partOfNumber =
            (letter >= '0' && letter <= '9') || letter == '.' || letter == '-';
        if (partOfNumber) {
            digits += letter;
        } else if (!skipped) {
            break;
        }
    }
    bool isNumber = false;
    const double number = QString::fromStdString(digits).toDouble(&isNumber);
    return isNumber ? std::optional(number) : std::nullopt;
}

namespace {

QVariant shareIn(const std::string& title, const std::string& cell) {
    const std::optional<double> percent = title == "share" ? leadingNumber(cell) : std::nullopt;
    return percent ? QVariant(*percent / 100.0) : QVariant();
}

}  // namespace

TableModel::TableModel(QObject* parent) : QAbstractTableModel(parent) {}

void TableModel::setTable(Table table) {
    const auto titlesOf = [](const Table& one) {
        std::vector<std::string> titles;
        for (const Column& column : one.columns) {
            titles.push_back(column.title);
        }
        return titles;
    };
    const bool sameShape =
        table.rows.size() == table_.rows.size() && titlesOf(table) == titlesOf(table_);
    if (sameShape && !table.rows.empty()) {
        table_ = std::move(table);
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
        return;
    }
    beginResetModel();
    table_ = std::move(table);
    endResetModel();
}

void TableModel::setMarks(std::optional<int> a, std::optional<int> b) {
    if (a == a_ && b == b_) {
        return;
    }
    a_ = a;
    b_ = b;
    if (rowCount() > 0) {
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    }
}

int TableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(table_.rows.size());
}

int TableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(table_.columns.size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) {
        return {};
    }
    const auto row = static_cast<std::size_t>(index.row());
    const auto column = static_cast<std::size_t>(index.column());
    const std::string cell = column < table_.rows[row].size() ? table_.rows[row][column] : "";
    const bool isA = a_ == index.row();
    const bool isB = b_ == index.row();
    switch (role) {
        case Qt::DisplayRole:
            return QString::fromStdString(cell + (index.column() > 0 ? ""
                                                  : isA              ? "  A"
                                                  : isB              ? "  B"
                                                                     : ""));
        case Qt::ToolTipRole:
            return QString::fromStdString(cell);
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(Qt::Alignment(
                Qt::AlignVCenter |
                (table_.columns[column].align == Align::Right ? Qt::AlignRight : Qt::AlignLeft)));
        case Qt::FontRole: {
            QFont font;
            font.setBold(isA || isB);
            return font;
        }
        case kSortRole:
            if (table_.columns[column].align == Align::Right) {
                return leadingNumber(cell).value_or(std::numeric_limits<double>::infinity());
            }
            return QString::fromStdString(cell);
        case kShareRole:
            return shareIn(table_.columns[column].title, cell);
        default:
            return {};
    }
}

QVariant TableModel::headerData(int section, Qt::Orientation side, int role) const {
    if (side != Qt::Horizontal || section < 0 || section >= columnCount()) {
        return {};
    }
    const Column& column = table_.columns[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole) {
        return QString::fromStdString(column.title);
    }
    if (role == Qt::TextAlignmentRole) {
        return QVariant::fromValue(Qt::Alignment(
            Qt::AlignVCenter | (column.align == Align::Right ? Qt::AlignRight : Qt::AlignLeft)));
    }
    return {};
}

}  // namespace fabricast
