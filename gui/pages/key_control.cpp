#include "gui/pages/key_control.h"

#include <QContextMenuEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QShortcut>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <memory>
#include <utility>

namespace fabricast {
namespace {

constexpr int kTitleWidth = 112;
constexpr int kResetWidth = 18;

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

/// To the right of all, where what is said may be taken back.
void KeyControl::addReset() {
    reset_ = new QToolButton;
    reset_->setObjectName("reset." + about_.path);
    reset_->setText("×");
    reset_->setAutoRaise(true);
    reset_->setFixedWidth(kResetWidth);
    reset_->setFocusPolicy(Qt::NoFocus);  // Ctrl+Backspace is its key
    reset_->setToolTip("Back to auto, or to the profile's value (Ctrl+Backspace)");
    reset_->setAccessibleName("Reset " + QString(about_.title).remove('&'));
    QSizePolicy policy = reset_->sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    reset_->setSizePolicy(policy);
    reset_->hide();
    row_->addWidget(reset_);
    connect(reset_, &QToolButton::clicked, this, &KeyControl::reset);
    auto* key = new QShortcut(QKeySequence("Ctrl+Backspace"), this);
    key->setContext(Qt::WidgetWithChildrenShortcut);
    connect(key, &QShortcut::activated, this, &KeyControl::reset);
}

void KeyControl::reset() {
    if (isSaid_ && !about_.isRequired) {
        settle();
        emit edited("null", false);
    }
}

void KeyControl::settle() {
    for (QLineEdit* line : findChildren<QLineEdit*>()) {
        line->setModified(false);
    }
}

bool KeyControl::isTyping() const {
    const QList<QLineEdit*> lines = findChildren<QLineEdit*>();
    return std::ranges::any_of(lines, [](const QLineEdit* line) { return line->isModified(); });
}

void KeyControl::showValue(const std::optional<QString>& said, const QString& automatic) {
    if (reset_ == nullptr) {
        addReset();
    }
    isSaid_ = said.has_value();
    const bool isHeld = isSaid_ && !about_.isRequired;
    reset_->setVisible(isHeld);
    if (!isTyping()) {
        show(said, automatic);
    }
    QFont font = focusProxy()->font();
    font.setBold(isHeld);
    focusProxy()->setFont(font);
}

void KeyControl::addEntries(QMenu& menu) {
    QAction* reset = menu.addAction("&Back to auto", this, &KeyControl::reset);
    reset->setEnabled(isSaid_ && !about_.isRequired);
    menu.addAction("&Try several values …", this, &KeyControl::sweepAsked);
}

void KeyControl::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    addEntries(menu);
    menu.exec(event->globalPos());
}

bool KeyControl::eventFilter(QObject* watched, QEvent* event) {
    auto* field = qobject_cast<QWidget*>(watched);
    if (field == nullptr || event->type() != QEvent::ContextMenu) {
        return QWidget::eventFilter(watched, event);
    }
    auto* line = qobject_cast<QLineEdit*>(field);
    line = line != nullptr ? line : field->findChild<QLineEdit*>();
    const std::unique_ptr<QMenu> menu(line != nullptr ? line->createStandardContextMenu()
                                                      : new QMenu(this));
    menu->addSeparator();
    addEntries(*menu);
    menu->exec(static_cast<QContextMenuEvent*>(event)->globalPos());
    return true;
}

void KeyControl::addControl(QWidget* control) {
    control->setAccessibleName(QString(about_.title).remove('&'));
    control->setAccessibleDescription(about_.help);
    control->setToolTip(about_.help);
    control->installEventFilter(this);
    for (QLineEdit* line : control->findChildren<QLineEdit*>()) {
        line->installEventFilter(this);
    }
    row_->addWidget(control);
    if (focusProxy() == nullptr) {
        setFocusProxy(control);
        title_->setBuddy(control);
    }
}

void KeyControl::addWide(QWidget* control) {
    addControl(control);
    row_->setStretchFactor(control, 1);
}

void KeyControl::setTrouble(const QString& why) {
    trouble_->setText(why);
    trouble_->setVisible(!why.isEmpty());
}

QString KeyControl::trouble() const {
    return trouble_->text();
}

void KeyControl::limit(int /*most*/, const QString& /*why*/) {}

}  // namespace fabricast
