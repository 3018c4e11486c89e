#pragma once
#include "gui/charts/plot_widget.h"
#include "gui/charts/timeline.h"

#include <QPointF>
#include <cstddef>
#include <optional>
#include <vector>

namespace fabricast {

/// This is the timeline of a step. The wheel zooms, dragging pans; W and S zoom, A and D move, F
/// shows all, Shift with the wheel scrolls lanes, arrows go from span to span; a click or Enter
/// selects a span.
class TimelineWidget final : public PlotWidget {
    Q_OBJECT

public:
    explicit TimelineWidget(QWidget* parent = nullptr);

    void setValues(TimelineValues values);
    [[nodiscard]] const TimelineValues& values() const { return values_; }
    [[nodiscard]] const ValueRange& view() const { return view_.time; }
    void setView(const ValueRange& view);
    void showAll();
    /// Scrolls down to it.
    void showLane(std::size_t lane);
    void select(std::optional<SpanRef> span);
    [[nodiscard]] std::optional<SpanRef> selected() const { return selected_; }

    void paintPlot(Canvas& canvas, const QSizeF& size, const ChartTheme& theme) const override;
    /// So high that no lane is left out, up to what a picture may have.
    [[nodiscard]] QSizeF wholeSize() const override;
    void paintWhole(Canvas& canvas, const QSizeF& size, const ChartTheme& theme) const override;
    [[nodiscard]] std::string describe() const override;
    [[nodiscard]] Table table() const override;

Q_SIGNALS:
    void spanPicked(int lane, int span);
    void viewChanged(double from, double to);

protected:
    [[nodiscard]] int itemAt(const QPointF& place) const override;
    [[nodiscard]] int itemBeside(int item, HoverStep step) const override;
    [[nodiscard]] HoverTip tipOf(int item) const override;
    void pick(int item, Qt::KeyboardModifiers modifiers) override;
    void paintAbove(Canvas& canvas) const override;

    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    [[nodiscard]] TimelineLayout layoutHere() const;
    void paintView(Canvas& canvas,
                   const TimelineView& view,
                   const QSizeF& size,
                   const ChartTheme& theme) const;
    [[nodiscard]] SpanRef spanOf(int item) const;
    [[nodiscard]] int itemOf(const std::optional<SpanRef>& span) const;
    void scroll(int lanes);
    /// Scrolls and moves so that it is seen.
    void reveal(const SpanRef& span);

    TimelineValues values_;
    std::vector<int> firstItem_;  ///< of each lane
    TimelineView view_;
    std::optional<SpanRef> selected_;
    std::optional<QPointF> panFrom_;
    bool panned_ = false;
};

}  // namespace fabricast
