#include "gui/window/notice_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <utility>

namespace fabricast {

NoticeBar::NoticeBar(QWidget* parent)
    : QWidget(parent), words_(new QLabel), row_(new QHBoxLayout(this)) {
    setObjectName("notice");
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::AlternateBase);
    words_->setObjectName("notice.words");
    words_->setWordWrap(true);
    row_->setContentsMargins(10, 4, 10, 4);
    row_->addWidget(words_, 1);
    hide();
}

void NoticeBar::say(const QString& words, std::vector<NoticeButton> buttons) {
    isOfPage_ = false;
    words_->setText(words);
    for (QWidget* button : std::exchange(buttons_, {})) {
        button->deleteLater();
    }
    for (NoticeButton& one : buttons) {
        auto* button = new QPushButton(one.title);
        button->setObjectName(one.name);
        connect(button, &QPushButton::clicked, this, [this, act = std::move(one.act)] {
            hide();
            if (act) {
                act();
            }
        });
        row_->addWidget(button);
        button->show();
        buttons_.push_back(button);
    }
    show();
}

void NoticeBar::sayOfPage(const QString& words) {
    say(words, {{"notice.ok", "OK", {}}});
    isOfPage_ = true;
}

void NoticeBar::leavePage() {
    if (isOfPage_) {
        hide();
    }
}

}  // namespace fabricast
