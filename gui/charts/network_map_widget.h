#pragma once
#include "gui/charts/network_map.h"
#include "gui/charts/plot_widget.h"

#include <cstdint>

namespace fabricast {

/// This is the topology chart. Items are the links, then the boxes; a click gives the id.
class NetworkMapWidget final : public PlotWidget {
    Q_OBJECT

public:
    explicit NetworkMapWidget(QWidget* parent = nullptr);

    void setValues(NetworkMapValues values);
    [[nodiscard]] const NetworkMapValues& values() const { return values_; }

    void paintPlot(Canvas& canvas, const QSizeF& size, const ChartTheme& theme) const override;
    [[nodiscard]] std::string describe() const override;
    [[nodiscard]] Table table() const override;

Q_SIGNALS:
    void linkPicked(std::uint32_t id);
    void boxPicked(std::uint32_t id);

protected:
    [[nodiscard]] int itemAt(const QPointF& place) const override;
    [[nodiscard]] int itemBeside(int item, HoverStep step) const override;
    [[nodiscard]] HoverTip tipOf(int item) const override;
    void pick(int item, Qt::KeyboardModifiers modifiers) override;
    /// The links of the box that is hovered over the others, or the one that is.
    void paintAbove(Canvas& canvas) const override;

private:
    [[nodiscard]] NetworkMapLayout layoutHere() const;

    NetworkMapValues values_;
};

}  // namespace fabricast
