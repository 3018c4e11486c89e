#pragma once
#include "gui/charts/memory_bars.h"
#include "gui/charts/plot_widget.h"

namespace fabricast {

/// This is the memory of each stage as bars; a click on a part gives it.
class MemoryBarsWidget final : public PlotWidget {
    Q_OBJECT

public:
    explicit MemoryBarsWidget(QWidget* parent = nullptr);

    void setValues(MemoryBarValues values);
    [[nodiscard]] const MemoryBarValues& values() const { return values_; }

    void paintPlot(Canvas& canvas, const QSizeF& size, const ChartTheme& theme) const override;
    [[nodiscard]] std::string describe() const override;
    [[nodiscard]] Table table() const override;
    /// Its legend has many rows where it is narrow.
    QSize minimumSizeHint() const override { return {220, 230}; }

Q_SIGNALS:
    void partPicked(int stage, int part);

protected:
    [[nodiscard]] int itemAt(const QPointF& place) const override;
    [[nodiscard]] int itemBeside(int item, HoverStep step) const override;
    [[nodiscard]] HoverTip tipOf(int item) const override;
    void pick(int item, Qt::KeyboardModifiers modifiers) override;

private:
    [[nodiscard]] MemoryBarLayout layoutHere() const;

    MemoryBarValues values_;
};

}  // namespace fabricast
