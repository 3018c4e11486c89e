#pragma once
#include "gui/charts/canvas.h"
#include "gui/charts/chart_theme.h"
#include "planner/report/table.h"

#include <QPixmap>
#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <QString>
#include <QWidget>
#include <cstddef>
#include <optional>
#include <string>

namespace fabricast {

enum class HoverStep : std::uint8_t { Left, Right, Up, Down };
/// A step of length 1 on the screen.
QPointF directionOf(HoverStep step);

/// What is shown beside the item under the pointer or the keyboard's hover.
struct HoverTip {
    QRectF around;     ///< highlighted; empty: nothing
    std::string text;  ///< lines, separated by newlines
    QRectF crosshair;  ///< through the middle of `around`, from edge to edge of this; empty: none
};

/// This is what all charts have in common: a picture that is painted once and kept, an item that
/// pointer and arrow keys move over and Enter picks, a text alternative, and what exports need
/// (gui/charts/export_plot.h). A chart is a list of items (points, parts of bars, links); -1 is no
/// item.
class PlotWidget : public QWidget {
    Q_OBJECT

public:
    explicit PlotWidget(QWidget* parent = nullptr);

    void setTheme(const ChartTheme& theme);
    [[nodiscard]] const ChartTheme& theme() const { return theme_; }

    /// The chart without hover, on any surface.
    virtual void paintPlot(Canvas& canvas, const QSizeF& size, const ChartTheme& theme) const = 0;
    /// The size at which all of it is seen, for a picture outside the window, and the chart so.
    [[nodiscard]] virtual QSizeF wholeSize() const { return size(); }
    virtual void paintWhole(Canvas& canvas, const QSizeF& size, const ChartTheme& theme) const {
        paintPlot(canvas, size, theme);
    }
    /// In sentences: for screen readers.
    [[nodiscard]] virtual std::string describe() const = 0;
    /// All values: for CSV and "Show as table".
    [[nodiscard]] virtual Table table() const = 0;

    [[nodiscard]] int hovered() const { return hovered_; }
    void setHovered(int item);
    QSize sizeHint() const override { return {520, 320}; }
    QSize minimumSizeHint() const override { return {220, 200}; }

Q_SIGNALS:
    /// The tip's text; empty when nothing is hovered.
    void hoverChanged(const QString& text);

protected:
    [[nodiscard]] virtual int itemAt(const QPointF& place) const = 0;
    /// From an item, or -1 for none yet, to the next in a direction.
    [[nodiscard]] virtual int itemBeside(int item, HoverStep step) const = 0;
    [[nodiscard]] virtual HoverTip tipOf(int item) const = 0;
    /// Clicked, or Enter on it.
    virtual void pick(int item, Qt::KeyboardModifiers modifiers) = 0;
    /// Above the kept picture: brush, crosshair.
    virtual void paintAbove(Canvas& canvas) const;
    /// After new values: names the chart to screen readers, forgets the hover, and paints anew.
    void announce(const std::string& title);
    /// After view or marks changed: paints anew.
    void refresh();
    /// With the letters of this widget's font.
    [[nodiscard]] ChartTheme themeHere() const;

    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void paintPicture(double density);
    void paintTip(Canvas& canvas, const HoverTip& tip) const;

    ChartTheme theme_ = lightChartTheme();
    QPixmap picture_;
    QString description_;
    int hovered_ = -1;
};

}  // namespace fabricast
