#include "gui/window/undo_keys.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>

namespace fabricast {
namespace {

bool isUndoOrRedo(QEvent& event) {
    if (event.type() != QEvent::ShortcutOverride) {
        return false;
    }
    const auto& key = static_cast<QKeyEvent&>(event);
    return key.matches(QKeySequence::Undo) || key.matches(QKeySequence::Redo);
}

/// Of a field, or inside of a number's or a choice's.
const QLineEdit* lineOf(const QWidget& field) {
    const auto* line = qobject_cast<const QLineEdit*>(&field);
    return line != nullptr ? line : field.findChild<const QLineEdit*>();
}

}  // namespace

UndoKeys::UndoKeys(QWidget& window) : QObject(&window), window_(window) {
    QApplication::instance()->installEventFilter(this);
}

/// A field takes these keys even where it has nothing to undo; left alone, they are the window's.
bool UndoKeys::eventFilter(QObject* target, QEvent* event) {
    const auto* field = qobject_cast<const QWidget*>(target);
    if (field == nullptr || !isUndoOrRedo(*event) || field->window() != &window_) {
        return false;
    }
    const QLineEdit* line = lineOf(*field);
    if (line == nullptr || line->isModified()) {
        return false;
    }
    event->ignore();
    return true;
}

}  // namespace fabricast
