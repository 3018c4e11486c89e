#pragma once
#include <QScrollArea>

namespace fabricast {

/// This is what a page shows, as high as the window lets it: it is squeezed until its charts and
/// tables have their least height, and scrolled from there.
class ScrolledBody final : public QScrollArea {
    Q_OBJECT

public:
    explicit ScrolledBody(QWidget* parent = nullptr);

    /// The column that a page fills.
    [[nodiscard]] QWidget* inside() const { return widget(); }

    /// As wide as what is inside, which is never cut off at a side.
    QSize minimumSizeHint() const override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace fabricast
