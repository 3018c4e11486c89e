#pragma once
#include "gui/charts/plot_widget.h"
#include "gui/charts/waterfall.h"

namespace fabricast {

/// This is how one number becomes another, as bars.
class WaterfallWidget final : public PlotWidget {
    Q_OBJECT

public:
    explicit WaterfallWidget(QWidget* parent = nullptr);

    void setValues(WaterfallValues values);
    [[nodiscard]] const WaterfallValues& values() const { return values_; }

    void paintPlot(Canvas& canvas, const QSizeF& size, const ChartTheme& theme) const override;
    [[nodiscard]] std::string describe() const override;
    [[nodiscard]] Table table() const override;

Q_SIGNALS:
    /// 0: what it starts from; then each step; then what it becomes.
    void barPicked(int bar);

protected:
    [[nodiscard]] int itemAt(const QPointF& place) const override;
    [[nodiscard]] int itemBeside(int item, HoverStep step) const override;
    [[nodiscard]] HoverTip tipOf(int item) const override;
    void pick(int item, Qt::KeyboardModifiers modifiers) override;

private:
    [[nodiscard]] WaterfallLayout layoutHere() const;
    [[nodiscard]] WaterfallValues shownIn(const QSizeF& size, const ChartTheme& theme) const;

    WaterfallValues values_;
};

}  // namespace fabricast
