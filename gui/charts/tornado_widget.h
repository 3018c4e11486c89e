#pragma once
#include "gui/charts/plot_widget.h"
#include "gui/charts/tornado.h"

namespace fabricast {

/// This is what each thing does to a number, as bars around its base.
class TornadoWidget final : public PlotWidget {
    Q_OBJECT

public:
    explicit TornadoWidget(QWidget* parent = nullptr);

    void setValues(TornadoValues values);
    [[nodiscard]] const TornadoValues& values() const { return values_; }

    /// So high that no name lies over the next one.
    QSize minimumSizeHint() const override;

    void paintPlot(Canvas& canvas, const QSizeF& size, const ChartTheme& theme) const override;
    [[nodiscard]] std::string describe() const override;
    [[nodiscard]] Table table() const override;

Q_SIGNALS:
    void rowPicked(int row);

protected:
    [[nodiscard]] int itemAt(const QPointF& place) const override;
    [[nodiscard]] int itemBeside(int item, HoverStep step) const override;
    [[nodiscard]] HoverTip tipOf(int item) const override;
    void pick(int item, Qt::KeyboardModifiers modifiers) override;

private:
    [[nodiscard]] TornadoLayout layoutHere() const;

    TornadoValues values_;
};

}  // namespace fabricast
