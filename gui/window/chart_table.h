#pragma once
#include <QDialog>

namespace fabricast {

class PlotWidget;

/// This is a chart in words and as a table: for those who cannot see it, and to copy its numbers.
class ChartTable final : public QDialog {
    Q_OBJECT

public:
    ChartTable(const PlotWidget& chart, QWidget* parent);
};

}  // namespace fabricast
