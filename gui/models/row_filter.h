#pragma once
#include <QSortFilterProxyModel>
#include <QString>
#include <optional>
#include <set>
#include <vector>

namespace fabricast {

/// This is a report's table sorted and filtered. Words filter: each must be in the row ("fsdp2
/// tp=4"), must not ("-fsdp2"), or compares a number of a column whose title has it ("mfu>40",
/// "gib<60"). Rows may be chosen besides, by their places.
class RowFilter final : public QSortFilterProxyModel {
    Q_OBJECT

public:
    explicit RowFilter(QObject* parent = nullptr);

    void setWords(const QString& words);
    /// Nothing: all of them.
    void setRows(std::optional<std::set<int>> rows);

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    enum class Kind { Has, HasNot, Below, Above };
    struct Term {
        Kind kind = Kind::Has;
        QString words;  ///< of the row, or of a title
        double limit = 0.0;
    };

    [[nodiscard]] static Term termOf(const QString& word);
    [[nodiscard]] bool accepts(int row, const Term& term) const;
    [[nodiscard]] bool hasWords(int row, const QString& words) const;
    [[nodiscard]] std::optional<double> numberIn(int row, const QString& title) const;

    std::vector<Term> terms_;
    std::optional<std::set<int>> rows_;
};

}  // namespace fabricast
