#include "gui/pages/failure_bar.h"

#include <QCompleter>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QStringListModel>

namespace fabricast {

FailureBar::FailureBar(QWidget* parent)
    : QWidget(parent),
      typed_(new QLineEdit),
      names_(new QStringListModel(this)),
      list_(new QListWidget),
      healAll_(new QPushButton("Hea&l all")) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    typed_->setObjectName("topology.fail");
    typed_->setPlaceholderText("fail: leaf2, node0, …");
    typed_->setToolTip(
        "A link, switch, server or device fails. A click in the map does it too, and "
        "another click heals it.");
    typed_->setAccessibleName("Name of a link, switch, server or device that fails");
    typed_->setFixedWidth(190);
    auto* completer = new QCompleter(names_, this);
    completer->setFilterMode(Qt::MatchContains);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    typed_->setCompleter(completer);
    row->addWidget(typed_);
    list_->setObjectName("topology.failed");
    list_->setAccessibleName("What has failed; Delete heals it");
    list_->setToolTip("What has failed. A click or Delete heals it.");
    list_->setFlow(QListView::LeftToRight);
    list_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    list_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setSpacing(2);
    list_->setFixedHeight(typed_->sizeHint().height() + 10);
    QSizePolicy keepsItsPlace = list_->sizePolicy();
    keepsItsPlace.setRetainSizeWhenHidden(true);
    list_->setSizePolicy(keepsItsPlace);
    list_->installEventFilter(this);
    row->addWidget(list_, 1);
    healAll_->setObjectName("topology.healAll");
    row->addWidget(healAll_);
    connect(typed_, &QLineEdit::returnPressed, this, &FailureBar::failTyped);
    connect(list_, &QListWidget::itemClicked, this, &FailureBar::healCurrent);
    connect(healAll_, &QPushButton::clicked, this, &FailureBar::healAllAsked);
}

void FailureBar::setFailed(const std::vector<std::string>& names) {
    list_->clear();
    for (const std::string& name : names) {
        auto* item = new QListWidgetItem(QString::fromStdString(name) + "  ×", list_);
        item->setData(Qt::UserRole, QString::fromStdString(name));
        item->setData(Qt::AccessibleTextRole, QString::fromStdString(name) + " has failed");
    }
    list_->setVisible(!names.empty());  // an empty box looks like one to type in
    healAll_->setEnabled(!names.empty());
}

void FailureBar::setNames(const std::vector<std::string>& names) {
    QStringList all;
    for (const std::string& name : names) {
        all << QString::fromStdString(name);
    }
    if (all != names_->stringList()) {
        names_->setStringList(all);
    }
}

void FailureBar::clearTyped() {
    typed_->clear();
    typed_->setModified(false);
}

void FailureBar::failTyped() {
    const QString name = typed_->text().trimmed();
    if (!name.isEmpty()) {
        emit failAsked(name);
    }
}

void FailureBar::healCurrent() {
    if (const QListWidgetItem* item = list_->currentItem()) {
        emit healAsked(item->data(Qt::UserRole).toString());
    }
}

bool FailureBar::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const int key = dynamic_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Delete || key == Qt::Key_Backspace || key == Qt::Key_Return) {
            healCurrent();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace fabricast
