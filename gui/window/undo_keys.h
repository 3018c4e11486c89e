#pragma once
#include <QObject>

class QWidget;

namespace fabricast {

/// Undo and redo are of the question wherever the keyboard is. A field has them for itself only
/// while what is typed into it is not said yet.
class UndoKeys final : public QObject {
    Q_OBJECT

public:
    explicit UndoKeys(QWidget& window);

protected:
    bool eventFilter(QObject* target, QEvent* event) override;

private:
    QWidget& window_;
};

}  // namespace fabricast
