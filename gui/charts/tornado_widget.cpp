#include "gui/charts/tornado_widget.h"

#include <QFontMetrics>
#include <algorithm>
#include <cmath>
#include <utility>

namespace fabricast {

TornadoWidget::TornadoWidget(QWidget* parent) : PlotWidget(parent) {
    setObjectName("tornado");
}

void TornadoWidget::setValues(TornadoValues values) {
    values_ = std::move(values);
    announce(values_.title);
    updateGeometry();
}

QSize TornadoWidget::minimumSizeHint() const {
    const QSize least = PlotWidget::minimumSizeHint();
    const double any = 2.0 * least.height();
    const TornadoLayout layout = tornadoLayout(values_, QSizeF(least.width(), any), themeHere());
    double bands = 0.0;
    for (const TornadoPlace& place : layout.rows) {
        bands += place.band.height();
    }
    const double names = static_cast<double>(layout.rows.size()) * QFontMetricsF(font()).height();
    const double needed = layout.rows.empty() ? 0.0 : any - bands + names;
    return {least.width(), std::max(least.height(), static_cast<int>(std::ceil(needed)))};
}

TornadoLayout TornadoWidget::layoutHere() const {
    return tornadoLayout(values_, size(), themeHere());
}

void TornadoWidget::paintPlot(Canvas& canvas, const QSizeF& size, const ChartTheme& theme) const {
    paintPage(canvas, size, values_.title, theme);
    paintTornado(canvas, values_, tornadoLayout(values_, size, theme), theme);
}

std::string TornadoWidget::describe() const {
    return describeTornado(values_);
}

Table TornadoWidget::table() const {
    return tornadoTable(values_);
}

int TornadoWidget::itemAt(const QPointF& place) const {
    return tornadoRowAt(layoutHere(), place);
}

int TornadoWidget::itemBeside(int item, HoverStep step) const {
    const bool back = step == HoverStep::Up || step == HoverStep::Left;
    const int next = item < 0 ? 0 : item + (back ? -1 : 1);
    return next < static_cast<int>(values_.rows.size()) ? next : -1;
}

HoverTip TornadoWidget::tipOf(int item) const {
    const TornadoLayout layout = layoutHere();
    const TornadoPlace& place = layout.rows[static_cast<std::size_t>(item)];
    return {.around = place.low.united(place.high), .text = tornadoRowText(values_, place.row)};
}

void TornadoWidget::pick(int item, Qt::KeyboardModifiers /*modifiers*/) {
    Q_EMIT rowPicked(static_cast<int>(layoutHere().rows[static_cast<std::size_t>(item)].row));
}

}  // namespace fabricast
