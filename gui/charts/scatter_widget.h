#pragma once
#include "gui/charts/plot_widget.h"
#include "gui/charts/scatter.h"

#include <QPointF>
#include <QRectF>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace fabricast {

/// This is the Pareto chart. Click picks A, Shift-click B; dragging with the left button brushes,
/// with the right or middle one pans; the wheel zooms; F or a double click shows all. By keys, B on
/// a point and then on another brushes what is between them; Escape takes the brush away.
class ScatterWidget final : public PlotWidget {
    Q_OBJECT

public:
    explicit ScatterWidget(QWidget* parent = nullptr);

    /// The view is kept where it still shows a point, unless it showed all.
    void setValues(ScatterValues values);
    void setMarks(ScatterMarks marks);
    [[nodiscard]] const ScatterValues& values() const { return values_; }
    [[nodiscard]] const ScatterMarks& marks() const { return marks_; }
    [[nodiscard]] const ScatterView& view() const { return view_; }
    void showAll();

    void paintPlot(Canvas& canvas, const QSizeF& size, const ChartTheme& theme) const override;
    [[nodiscard]] std::string describe() const override;
    [[nodiscard]] Table table() const override;

Q_SIGNALS:
    void pickedA(std::uint32_t id);
    void pickedB(std::uint32_t id);
    /// The points of the brush; none: it was taken away.
    void brushed(const std::vector<std::uint32_t>& ids);

protected:
    [[nodiscard]] int itemAt(const QPointF& place) const override;
    [[nodiscard]] int itemBeside(int item, HoverStep step) const override;
    [[nodiscard]] HoverTip tipOf(int item) const override;
    void pick(int item, Qt::KeyboardModifiers modifiers) override;
    void paintAbove(Canvas& canvas) const override;

    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    [[nodiscard]] PlotFrame frameHere() const;
    void setView(const ScatterView& view);
    void zoom(const QPointF& around, double factor);
    void endBrush();
    void brushByKey();
    [[nodiscard]] QRectF keyBrush() const;

    ScatterValues values_;
    ScatterMarks marks_;
    ScatterView view_;
    std::vector<std::size_t> front_;
    std::optional<QPointF> brushFrom_;
    std::optional<QPointF> panFrom_;
    QRectF brush_;
    std::optional<std::size_t> brushCorner_;  ///< the point where a brush by keys began
};

}  // namespace fabricast
