#include "gui/charts/waterfall_widget.h"

#include <utility>

namespace fabricast {

WaterfallWidget::WaterfallWidget(QWidget* parent) : PlotWidget(parent) {
    setObjectName("waterfall");
}

void WaterfallWidget::setValues(WaterfallValues values) {
    values_ = std::move(values);
    announce(values_.title);
}

WaterfallLayout WaterfallWidget::layoutHere() const {
    return waterfallLayout(shownIn(size(), themeHere()), size(), themeHere());
}

WaterfallValues WaterfallWidget::shownIn(const QSizeF& size, const ChartTheme& theme) const {
    return withRoomForWords(values_, size.width(), theme.textSize);
}

void WaterfallWidget::paintPlot(Canvas& canvas, const QSizeF& size, const ChartTheme& theme) const {
    paintPage(canvas, size, values_.title, theme);
    const WaterfallValues shown = shownIn(size, theme);
    paintWaterfall(canvas, shown, waterfallLayout(shown, size, theme), theme);
}

std::string WaterfallWidget::describe() const {
    return describeWaterfall(values_);
}

Table WaterfallWidget::table() const {
    return waterfallTable(values_);
}

int WaterfallWidget::itemAt(const QPointF& place) const {
    return waterfallBarAt(layoutHere(), place);
}

int WaterfallWidget::itemBeside(int item, HoverStep step) const {
    const bool back = step == HoverStep::Up || step == HoverStep::Left;
    const int next = item < 0 ? 0 : item + (back ? -1 : 1);
    return next < static_cast<int>(layoutHere().bars.size()) ? next : -1;
}

HoverTip WaterfallWidget::tipOf(int item) const {
    const auto bar = static_cast<std::size_t>(item);
    return {.around = layoutHere().bars[bar].bar,
            .text = waterfallBarText(shownIn(size(), themeHere()), bar)};
}

void WaterfallWidget::pick(int item, Qt::KeyboardModifiers /*modifiers*/) {
    Q_EMIT barPicked(item);
}

}  // namespace fabricast
