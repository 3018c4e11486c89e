#include "gui/pages/key_control.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <utility>

namespace fabricast {
namespace {

constexpr int kTitleWidth = 112;

}  // namespace

KeyControl::KeyControl(ControlAbout about, QWidget* parent)
    : QWidget(parent), about_(std::move(about)) {
    setObjectName("control." + about_.path);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    row_ = new QHBoxLayout;
    row_->setSpacing(6);
    title_ = new QLabel(about_.title);
    title_->setObjectName("title");
    title_->setFixedWidth(kTitleWidth);
    title_->setToolTip(about_.help);
    row_->addWidget(title_);
    column->addLayout(row_);
    trouble_ = new QLabel;
    trouble_->setObjectName("trouble");
    trouble_->setWordWrap(true);
    trouble_->hide();
    column->addWidget(trouble_);
    setToolTip(about_.help);
}

void KeyControl::addControl(QWidget* control) {
    control->setAccessibleName(QString(about_.title).remove('&'));
    control->setAccessibleDescription(about_.help);
    control->setToolTip(about_.help);
    row_->addWidget(control);
}

void KeyControl::addWide(QWidget* control) {
    addControl(control);
    row_->setStretchFactor(control, 1);
    if (focusProxy() == nullptr) {
        setFocusProxy(control);
        title_->setBuddy(control);
    }
}

void KeyControl::setTrouble(const QString& why) {
    trouble_->setText(why);
    trouble_->setVisible(!why.isEmpty());
}

QString KeyControl::trouble() const {
    return trouble_->text();
}

}  // namespace fabricast
