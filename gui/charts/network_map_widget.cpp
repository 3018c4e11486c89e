#include "gui/charts/network_map_widget.h"

#include <utility>

namespace fabricast {

NetworkMapWidget::NetworkMapWidget(QWidget* parent) : PlotWidget(parent) {
    setObjectName("networkMap");
}

void NetworkMapWidget::setValues(NetworkMapValues values) {
    values_ = std::move(values);
    announce(values_.title);
}

NetworkMapLayout NetworkMapWidget::layoutHere() const {
    return networkMapLayout(values_, size(), themeHere());
}

void NetworkMapWidget::paintPlot(Canvas& canvas,
                                 const QSizeF& size,
                                 const ChartTheme& theme) const {
    paintPage(canvas, size, values_.title, theme);
    paintNetworkMap(canvas, values_, networkMapLayout(values_, size, theme), theme);
}

std::string NetworkMapWidget::describe() const {
    return describeNetworkMap(values_);
}

Table NetworkMapWidget::table() const {
    return networkMapTable(values_);
}

int NetworkMapWidget::itemAt(const QPointF& place) const {
    const NetworkMapLayout layout = layoutHere();
    if (const int box = mapBoxAt(layout, place); box >= 0) {
        return static_cast<int>(layout.links.size()) + box;
    }
    return mapLinkAt(layout, place);
}

int NetworkMapWidget::itemBeside(int item, HoverStep step) const {
    return mapItemBeside(layoutHere(), item, directionOf(step));
}

HoverTip NetworkMapWidget::tipOf(int item) const {
    const NetworkMapLayout layout = layoutHere();
    const auto index = static_cast<std::size_t>(item);
    const std::size_t links = layout.links.size();
    return {.around = mapItemBox(layout, item),
            .text = index < links ? mapLinkText(values_, layout.links[index].link)
                                  : mapBoxText(values_, layout.boxes[index - links].box)};
}

void NetworkMapWidget::paintAbove(Canvas& canvas) const {
    if (hovered() >= 0) {
        paintLinksOf(canvas, values_, layoutHere(), hovered(), themeHere());
    }
}

void NetworkMapWidget::pick(int item, Qt::KeyboardModifiers /*modifiers*/) {
    const NetworkMapLayout layout = layoutHere();
    const auto index = static_cast<std::size_t>(item);
    const std::size_t links = layout.links.size();
    if (index < links) {
        Q_EMIT linkPicked(values_.links[layout.links[index].link].id);
    } else {
        Q_EMIT boxPicked(values_.boxes[layout.boxes[index - links].box].id);
    }
}

}  // namespace fabricast
