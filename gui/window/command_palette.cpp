#include "gui/window/command_palette.h"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>

namespace fabricast {

bool matchesWords(const QString& title, const QString& words) {
    for (const QString& word : words.split(' ', Qt::SkipEmptyParts)) {
        if (!title.contains(word, Qt::CaseInsensitive)) {
            return false;
        }
    }
    return true;
}

CommandPalette::CommandPalette(const std::vector<QAction*>& actions, QWidget* parent)
    : QDialog(parent), actions_(actions), words_(new QLineEdit), found_(new QListWidget) {
    setObjectName("palette");
    setWindowTitle("Commands");
    auto* column = new QVBoxLayout(this);
    words_->setObjectName("palette.words");
    words_->setPlaceholderText("Type what you want to do");
    words_->setAccessibleName("Find a command");
    words_->installEventFilter(this);
    found_->setObjectName("palette.found");
    found_->setFocusPolicy(Qt::NoFocus);
    column->addWidget(words_);
    column->addWidget(found_);
    resize(460, 420);
    connect(words_, &QLineEdit::textChanged, this, &CommandPalette::list);
    connect(words_, &QLineEdit::returnPressed, this, &CommandPalette::run);
    connect(found_, &QListWidget::itemActivated, this, &CommandPalette::run);
    connect(found_, &QListWidget::itemClicked, this, &CommandPalette::run);
    list();
}

/// What has the words in its title comes before what they are only about.
void CommandPalette::list() {
    found_->clear();
    for (const bool inTitle : {true, false}) {
        for (std::size_t i = 0; i < actions_.size(); ++i) {
            const QString title = QString(actions_[i]->text()).remove('&');
            const QString about = title + " " + actions_[i]->data().toString();
            if (actions_[i]->isEnabled() && matchesWords(about, words_->text()) &&
                matchesWords(title, words_->text()) == inTitle) {
                add(i, title);
            }
        }
    }
    if (found_->count() == 0) {
        auto* none = new QListWidgetItem("Nothing found. A word of a title is enough.", found_);
        none->setFlags(Qt::NoItemFlags);
    }
    found_->setCurrentRow(0);
}

void CommandPalette::add(std::size_t place, const QString& title) {
    const QString keys = actions_[place]->shortcut().toString(QKeySequence::NativeText);
    auto* item = new QListWidgetItem(keys.isEmpty() ? title : title + "    " + keys, found_);
    item->setData(Qt::UserRole, static_cast<int>(place));
}

void CommandPalette::run() {
    const QListWidgetItem* item = found_->currentItem();
    if (item == nullptr || !item->data(Qt::UserRole).isValid()) {
        return;
    }
    QAction* action = actions_[static_cast<std::size_t>(item->data(Qt::UserRole).toInt())];
    accept();
    action->trigger();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (watched == words_ && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const int step = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
        if (step != 0) {
            const int row = found_->currentRow() + step;
            found_->setCurrentRow(qBound(0, row, found_->count() - 1));
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

}  // namespace fabricast
