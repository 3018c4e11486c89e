#pragma once
#include <QDialog>
#include <cstddef>
#include <vector>

class QAction;
class QLineEdit;
class QListWidget;

namespace fabricast {

/// This finds everything that the window can do by a few letters of its name, or of the words that
/// the action has as data.
class CommandPalette final : public QDialog {
    Q_OBJECT

public:
    CommandPalette(const std::vector<QAction*>& actions, QWidget* parent);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void list();
    void add(std::size_t place, const QString& title);
    void run();

    std::vector<QAction*> actions_;
    QLineEdit* words_ = nullptr;
    QListWidget* found_ = nullptr;
};

/// Whether each word occurs in a title, in any case.
bool matchesWords(const QString& title, const QString& words);

}  // namespace fabricast
