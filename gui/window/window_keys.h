#pragma once
#include <QObject>

class QWidget;

namespace fabricast {

/// The window's commands have their keys wherever the keyboard is: to a line, Ctrl+E would be its
/// end. A field has undo and redo for itself while what is typed into it is not said yet.
class WindowKeys final : public QObject {
    Q_OBJECT

public:
    explicit WindowKeys(QWidget& window);

protected:
    bool eventFilter(QObject* target, QEvent* event) override;

private:
    QWidget& window_;
};

}  // namespace fabricast
