#include "gui/pages/choice_control.h"

#include <QComboBox>
#include <QCompleter>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <utility>

namespace fabricast {
namespace {

const QString kLeftOpen = "null";

/// A wheel over a panel scrolls it; it changes no value that happens to lie under the pointer.
class QuietComboBox final : public QComboBox {
protected:
    void wheelEvent(QWheelEvent* event) override { QWidget::wheelEvent(event); }
};

}  // namespace

ChoiceControl::ChoiceControl(ControlAbout about,
                             const std::vector<ControlChoice>& choices,
                             Kind kind,
                             bool hasAuto,
                             QWidget* parent)
    : KeyControl(std::move(about), parent), box_(new QuietComboBox), hasAuto_(hasAuto) {
    box_->setObjectName("choice." + this->about().path);
    box_->setMinimumContentsLength(8);
    box_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    if (hasAuto) {
        box_->addItem("auto", kLeftOpen);
    }
    for (const ControlChoice& choice : choices) {
        box_->addItem(choice.title.isEmpty() ? choice.value : choice.title, choice.value);
        box_->setItemData(box_->count() - 1, choice.help, Qt::ToolTipRole);
    }
    if (kind == Kind::Open) {
        box_->setEditable(true);
        box_->lineEdit()->setObjectName("line." + this->about().path);
        box_->setInsertPolicy(QComboBox::NoInsert);
        box_->completer()->setFilterMode(Qt::MatchContains);
        box_->completer()->setCompletionMode(QCompleter::PopupCompletion);
        connect(box_->lineEdit(), &QLineEdit::editingFinished, this, &ChoiceControl::say);
    }
    connect(box_, &QComboBox::activated, this, &ChoiceControl::say);
    addWide(box_);
}

void ChoiceControl::say() {
    const QString text = box_->currentText().trimmed();
    const int place = box_->findText(text);
    const QString value = place >= 0 ? box_->itemData(place).toString() : text;
    settle();
    if (value != shown_ && !value.isEmpty()) {
        shown_ = value;
        emit edited(value, false);
    }
}

void ChoiceControl::limit(int most, const QString& why) {
    auto* items = qobject_cast<QStandardItemModel*>(box_->model());
    for (int place = hasAuto_ ? 1 : 0; items != nullptr && place < items->rowCount(); ++place) {
        QStandardItem& item = *items->item(place);
        const bool isPossible = item.data(Qt::UserRole).toString().toInt() <= most;
        item.setEnabled(isPossible);
        item.setToolTip(isPossible ? QString() : why);
    }
}

void ChoiceControl::show(const std::optional<QString>& said, const QString& automatic) {
    const QSignalBlocker quiet(box_);
    if (hasAuto_) {
        box_->setItemText(0, automatic.isEmpty() ? "auto" : "auto: " + automatic);
    }
    shown_ = said.value_or(kLeftOpen);
    int place = box_->findData(shown_);
    if (place < 0 && said) {
        if (box_->isEditable()) {
            box_->setCurrentIndex(-1);
            box_->setEditText(*said);
        } else {
            box_->addItem(*said, *said);
            place = box_->count() - 1;
        }
    }
    if (place >= 0 || !box_->isEditable()) {
        box_->setCurrentIndex(place);
    } else if (!said) {
        box_->setEditText(automatic);
    }
    if (box_->isEditable()) {
        box_->lineEdit()->setCursorPosition(0);
    }
}

}  // namespace fabricast
