#include "gui/charts/memory_bars_widget.h"

#include <utility>

namespace fabricast {

MemoryBarsWidget::MemoryBarsWidget(QWidget* parent) : PlotWidget(parent) {
    setObjectName("memoryBars");
}

void MemoryBarsWidget::setValues(MemoryBarValues values) {
    values_ = std::move(values);
    announce(values_.title);
}

MemoryBarLayout MemoryBarsWidget::layoutHere() const {
    return memoryBarLayout(values_, size(), themeHere());
}

void MemoryBarsWidget::paintPlot(Canvas& canvas,
                                 const QSizeF& size,
                                 const ChartTheme& theme) const {
    paintPage(canvas, size, values_.title, theme);
    paintMemoryBars(canvas, values_, memoryBarLayout(values_, size, theme), theme);
}

std::string MemoryBarsWidget::describe() const {
    return describeMemoryBars(values_);
}

Table MemoryBarsWidget::table() const {
    return memoryBarTable(values_);
}

int MemoryBarsWidget::itemAt(const QPointF& place) const {
    return memoryPartAt(layoutHere(), place);
}

int MemoryBarsWidget::itemBeside(int item, HoverStep step) const {
    const MemoryBarLayout layout = layoutHere();
    if (item < 0) {
        return layout.parts.empty() ? -1 : 0;
    }
    const MemoryPartPlace& from = layout.parts[static_cast<std::size_t>(item)];
    switch (step) {
        case HoverStep::Left:
            return memoryPartNear(layout, from.bar, from.part, -1);
        case HoverStep::Right:
            return memoryPartNear(layout, from.bar, from.part, 1);
        case HoverStep::Up:
            return memoryPartNear(layout, from.bar - 1, from.part, 0);
        case HoverStep::Down:
            break;
    }
    return memoryPartNear(layout, from.bar + 1, from.part, 0);
}

HoverTip MemoryBarsWidget::tipOf(int item) const {
    const MemoryBarLayout layout = layoutHere();
    const MemoryPartPlace& place = layout.parts[static_cast<std::size_t>(item)];
    return {.around = place.box, .text = memoryPartText(values_, place.bar, place.part)};
}

void MemoryBarsWidget::pick(int item, Qt::KeyboardModifiers /*modifiers*/) {
    const MemoryBarLayout layout = layoutHere();
    const MemoryPartPlace& place = layout.parts[static_cast<std::size_t>(item)];
    Q_EMIT partPicked(static_cast<int>(place.bar), static_cast<int>(place.part));
}

}  // namespace fabricast
