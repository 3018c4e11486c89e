#include "gui/pages/elided_label.h"

#include <QFontMetrics>

namespace fabricast {

ElidedLabel::ElidedLabel(const QString& name, QWidget* parent) : QLabel(parent) {
    setObjectName(name);
    setTextFormat(Qt::PlainText);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    setFixedHeight(fontMetrics().height() + 2);
}

void ElidedLabel::setWords(const QString& words) {
    words_ = words;
    setToolTip(words);
    setAccessibleName(words);
    fit();
}

void ElidedLabel::fit() {
    setText(fontMetrics().elidedText(words_, Qt::ElideRight, width()));
}

void ElidedLabel::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    fit();
}

}  // namespace fabricast
