#include "gui/pages/scrolled_body.h"

#include <QEvent>
#include <QLayout>
#include <QScrollBar>

namespace fabricast {
namespace {

/// It may be as low as its layout goes, where Qt would scroll below the height that it prefers.
class SqueezedColumn final : public QWidget {
public:
    int heightForWidth(int width) const override { return layout()->minimumHeightForWidth(width); }
};

}  // namespace

ScrolledBody::ScrolledBody(QWidget* parent) : QScrollArea(parent) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus);  // it follows what is inside, which Tab goes to
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setWidgetResizable(true);
    setWidget(new SqueezedColumn);
}

QSize ScrolledBody::minimumSizeHint() const {
    return {widget()->minimumSizeHint().width() + verticalScrollBar()->sizeHint().width(),
            QScrollArea::minimumSizeHint().height()};
}

bool ScrolledBody::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::LayoutRequest) {
        updateGeometry();
    }
    return QScrollArea::eventFilter(watched, event);
}

}  // namespace fabricast
