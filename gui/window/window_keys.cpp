#include "gui/window/window_keys.h"

#include <QAction>
#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <algorithm>

namespace fabricast {
namespace {

bool isUndoOrRedo(const QKeyEvent& key) {
    return key.matches(QKeySequence::Undo) || key.matches(QKeySequence::Redo);
}

/// With Ctrl: a letter alone is to be typed.
bool isOfCommand(const QKeyEvent& key, const QWidget& window) {
    if (!key.modifiers().testFlag(Qt::ControlModifier)) {
        return false;
    }
    const QKeySequence pressed(key.keyCombination());
    const QList<QAction*> actions = window.findChildren<QAction*>();
    return std::ranges::any_of(actions, [&pressed](const QAction* action) {
        return action->isEnabled() && action->shortcuts().contains(pressed);
    });
}

/// Of a field, or inside of a number's or a choice's.
const QLineEdit* lineOf(const QWidget& field) {
    const auto* line = qobject_cast<const QLineEdit*>(&field);
    return line != nullptr ? line : field.findChild<const QLineEdit*>();
}

}  // namespace

WindowKeys::WindowKeys(QWidget& window) : QObject(&window), window_(window) {
    QApplication::instance()->installEventFilter(this);
}

/// A field takes these keys even where it has nothing to undo; left alone, they are the window's.
bool WindowKeys::eventFilter(QObject* target, QEvent* event) {
    const auto* field = qobject_cast<const QWidget*>(target);
    if (field == nullptr || event->type() != QEvent::ShortcutOverride ||
        field->window() != &window_) {
        return false;
    }
    const QLineEdit* line = lineOf(*field);
    const auto& key = static_cast<const QKeyEvent&>(*event);
    const bool isWindows =
        isUndoOrRedo(key) ? line != nullptr && !line->isModified() : isOfCommand(key, window_);
    if (line == nullptr || !isWindows) {
        return false;
    }
    event->ignore();
    return true;
}

}  // namespace fabricast
