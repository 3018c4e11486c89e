#include "gui/window/command_palette.h"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace fabricast {

bool matchesWords(const QString& title, const QString& words) {
    for (const QString& word : words.split(' ', Qt::SkipEmptyParts)) {
        if (!title.contains(word, Qt::CaseInsensitive)) {
            return false;
        }
    }
    return true;
}

namespace {

/// How a word is found in a name, the best way first.
enum class Found { Word, Start, Inside, Not };

Found foundIn(const QString& name, const QString& word) {
    Found best = Found::Not;
    for (qsizetype at = name.indexOf(word, 0, Qt::CaseInsensitive); at >= 0;
         at = name.indexOf(word, at + 1, Qt::CaseInsensitive)) {
        const qsizetype end = at + word.size();
        const bool starts = at == 0 || !name[at - 1].isLetterOrNumber();
        const bool ends = end == name.size() || !name[end].isLetterOrNumber();
        best = std::min(best, starts && ends ? Found::Word : starts ? Found::Start : Found::Inside);
    }
    return best;
}

/// Of all words the one that is found worst.
Found foundIn(const QString& name, const QStringList& words) {
    Found worst = Found::Word;
    for (const QString& word : words) {
        worst = std::max(worst, foundIn(name, word));
    }
    return worst;
}

/// Without the page that it is on, and what is asked first.
QString bareName(const QString& title) {
    return title.section(" (", 0, 0).remove(" …");
}

}  // namespace

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

/// The better a name is what is typed, the earlier it comes; what is only about it comes last.
void CommandPalette::list() {
    found_->clear();
    const QStringList words = words_->text().split(' ', Qt::SkipEmptyParts);
    struct Entry {
        std::pair<Found, qsizetype> order;  ///< a shorter name is more of what is typed
        std::size_t place;
        QString title;
    };
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < actions_.size(); ++i) {
        const QString title = QString(actions_[i]->text()).remove('&');
        const QString about = title + " " + actions_[i]->data().toString();
        if (actions_[i]->isEnabled() && matchesWords(about, words_->text())) {
            const Found found = foundIn(title, words);
            const bool isRanked = !words.isEmpty() && found != Found::Not;
            entries.push_back({{found, isRanked ? bareName(title).size() : 0}, i, title});
        }
    }
    std::ranges::stable_sort(entries, {}, &Entry::order);
    for (const Entry& entry : entries) {
        add(entry.place, entry.title);
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
