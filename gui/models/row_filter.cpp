#include "gui/models/row_filter.h"

#include "gui/models/table_model.h"

#include <QRegularExpression>
#include <algorithm>
#include <utility>

namespace fabricast {

RowFilter::RowFilter(QObject* parent) : QSortFilterProxyModel(parent) {
    setSortRole(TableModel::kSortRole);
}

void RowFilter::setWords(const QString& words) {
    terms_.clear();
    for (const QString& word : words.split(QRegularExpression("[\\s,]+"), Qt::SkipEmptyParts)) {
        terms_.push_back(termOf(word));
    }
    invalidateFilter();
}

void RowFilter::setRows(std::optional<std::set<int>> rows) {
    if (rows != rows_) {
        rows_ = std::move(rows);
        invalidateFilter();
    }
}

RowFilter::Term RowFilter::termOf(const QString& word) {
    static const QRegularExpression kCompares("^(.+)([<>])(-?[0-9.]+)$");
    const QRegularExpressionMatch compared = kCompares.match(word);
    bool isNumber = false;
    const double limit = compared.captured(3).toDouble(&isNumber);
    if (isNumber) {
        return {.kind = compared.captured(2) == "<" ? Kind::Below : Kind::Above,
                .words = compared.captured(1),
                .limit = limit};
    }
    const bool isWithout = word.size() > 1 && word.startsWith('-');
    return {.kind = isWithout ? Kind::HasNot : Kind::Has, .words = isWithout ? word.mid(1) : word};
}

bool RowFilter::filterAcceptsRow(int row, const QModelIndex& /*parent*/) const {
    return (!rows_ || rows_->contains(row)) &&
           std::ranges::all_of(terms_, [&](const Term& term) { return accepts(row, term); });
}

bool RowFilter::accepts(int row, const Term& term) const {
    switch (term.kind) {
        case Kind::Has:
            return hasWords(row, term.words);
        case Kind::HasNot:
            return !hasWords(row, term.words);
        case Kind::Below:
        case Kind::Above:
            break;
    }
    const std::optional<double> number = numberIn(row, term.words);
    return number && (term.kind == Kind::Below ? *number < term.limit : *number > term.limit);
}

bool RowFilter::hasWords(int row, const QString& words) const {
    for (int column = 0; column < sourceModel()->columnCount(); ++column) {
        const QModelIndex cell = sourceModel()->index(row, column);
        if (cell.data().toString().contains(words, Qt::CaseInsensitive)) {
            return true;
        }
    }
    return false;
}

std::optional<double> RowFilter::numberIn(int row, const QString& title) const {
    for (int column = 0; column < sourceModel()->columnCount(); ++column) {
        const QString heading =
            sourceModel()->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        if (heading.contains(title, Qt::CaseInsensitive)) {
            const QString cell = sourceModel()->index(row, column).data().toString();
            return leadingNumber(cell.toStdString());
        }
    }
    return std::nullopt;
}

}  // namespace fabricast
