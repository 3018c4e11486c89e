#pragma once
#include "gui/models/table_model.h"

#include <QTableView>
#include <optional>
#include <set>

class QMenu;

namespace fabricast {

class RowFilter;

/// A report's table on screen: its columns as wide as their words, the last one taking the rest.
/// Ctrl+C and a menu copy what is shown as Markdown; that menu sorts and hides columns too.
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
    /// Only these rows of the table; nothing: all.
    void setRows(std::optional<std::set<int>> rows);
    [[nodiscard]] int shownRows() const;
    /// A click on a title sorts by it, a third one as it was.
    void letSort();
    /// The last column is cut off before others are, down to so many pixels; its tip has the rest.
    void letLastGiveWay(int pixels) { mostLast_ = pixels; }
    /// Where its columns are wider than it, the widest give way; their tips have the rest.
    void letWidestGiveWay() { sharesWidth_ = true; }
    /// As wide as its columns, and no wider.
    void fitWidth();
    /// An entry for each column, to show and hide it.
    void fillColumnMenu(QMenu& menu);
    /// The same for the order of the rows, where titles sort.
    void fillSortMenu(QMenu& menu);
    /// What is shown, in the order in which it is.
    [[nodiscard]] Table shownTable() const;
    void copyAsMarkdown() const;

    /// All rows, and the few below which the page is scrolled instead.
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    /// It is never higher than its rows.
    void fitHeight();
    [[nodiscard]] int heightOf(int rows) const;
    void fitColumns(bool onlyGrow);
    void shareWidth();
    [[nodiscard]] int columnNeeds(int column);
    [[nodiscard]] int titleWidth(int column);
    void widenWords();
    /// The last column of words fills the rest; where that is less than it needs, it is scrolled.
    void fitLast();
    void showColumnMenu(const QPoint& place);

    TableModel* model_ = nullptr;
    RowFilter* sorted_ = nullptr;
    int mostLast_ = 400;  ///< pixels that the last column may need
    bool sharesWidth_ = false;
    int lastNeeds_ = 0;  ///< pixels of the last column, where it is of words
};

}  // namespace fabricast
