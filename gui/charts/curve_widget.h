#pragma once
#include "gui/charts/curve.h"
#include "gui/charts/plot_widget.h"

namespace fabricast {

/// This is a chart of curves; a click on a point gives it.
class CurveWidget final : public PlotWidget {
    Q_OBJECT

public:
    explicit CurveWidget(QWidget* parent = nullptr);

    void setValues(CurveValues values);
    [[nodiscard]] const CurveValues& values() const { return values_; }

    void paintPlot(Canvas& canvas, const QSizeF& size, const ChartTheme& theme) const override;
    [[nodiscard]] std::string describe() const override;
    [[nodiscard]] Table table() const override;

Q_SIGNALS:
    void pointPicked(int series, int point);

protected:
    [[nodiscard]] int itemAt(const QPointF& place) const override;
    [[nodiscard]] int itemBeside(int item, HoverStep step) const override;
    [[nodiscard]] HoverTip tipOf(int item) const override;
    void pick(int item, Qt::KeyboardModifiers modifiers) override;

private:
    [[nodiscard]] CurveLayout layoutHere() const;

    CurveValues values_;
};

}  // namespace fabricast
