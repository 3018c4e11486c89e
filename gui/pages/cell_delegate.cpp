#include "gui/pages/cell_delegate.h"

#include "gui/models/table_model.h"

#include <QApplication>
#include <QPainter>

namespace fabricast {
namespace {

constexpr int kRoom = 5;

}  // namespace

void CellDelegate::paint(QPainter* painter,
                         const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    const QString words = cell.text;
    cell.text.clear();
    const QStyle* style = cell.widget != nullptr ? cell.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);
    const QVariant share = index.data(TableModel::kShareRole);
    const bool isSelected = cell.state.testFlag(QStyle::State_Selected);
    if (share.isValid() && !isSelected) {
        QColor colour = cell.palette.color(QPalette::Highlight);
        colour.setAlpha(60);
        QRect bar = cell.rect.adjusted(0, 3, 0, -3);
        bar.setWidth(static_cast<int>(share.toDouble() * bar.width()));
        painter->fillRect(bar, colour);
    }
    const QRect room = cell.rect.adjusted(kRoom, 0, -kRoom, 0);
    painter->setFont(cell.font);
    style->drawItemText(painter,
                        room,
                        static_cast<int>(cell.displayAlignment),
                        cell.palette,
                        cell.state.testFlag(QStyle::State_Enabled),
                        cell.fontMetrics.elidedText(words, Qt::ElideRight, room.width()),
                        isSelected ? QPalette::HighlightedText : QPalette::Text);
}

QSize CellDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const QSize size = QStyledItemDelegate::sizeHint(option, index);
    const QStyle* style = option.widget != nullptr ? option.widget->style() : QApplication::style();
    const int margin = style->pixelMetric(QStyle::PM_FocusFrameHMargin, &option, option.widget);
    return {size.width() - 2 * margin + 2 * kRoom, size.height()};
}

}  // namespace fabricast
