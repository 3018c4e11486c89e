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

void ElidedLabel::letWrap(bool wraps) {
    const int line = fontMetrics().height() + 2;
    wraps_ = wraps;
    setWordWrap(wraps);
    setMinimumHeight(line);
    setMaximumHeight(wraps ? QWIDGETSIZE_MAX : line);
    QSizePolicy policy(QSizePolicy::Ignored, wraps ? QSizePolicy::Minimum : QSizePolicy::Fixed);
    policy.setHeightForWidth(wraps);
    setSizePolicy(policy);
    fit();
}

void ElidedLabel::fit() {
    if (wraps_) {
        const QString text = QString(words_).replace(",", ",\u200b");  // a layout is one word
        if (text != this->text()) {
            setText(text);
        }
        return;
    }
    setText(fontMetrics().elidedText(QString(words_).replace('\n', ' '), Qt::ElideRight, width()));
}

void ElidedLabel::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    fit();
}

}  // namespace fabricast
