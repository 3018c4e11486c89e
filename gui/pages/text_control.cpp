#include "gui/pages/text_control.h"

#include <QLineEdit>
#include <utility>

namespace fabricast {

TextControl::TextControl(ControlAbout about, const QString& example, QWidget* parent)
    : KeyControl(std::move(about), parent), line_(new QLineEdit), example_(example) {
    line_->setObjectName("text." + this->about().path);
    line_->setPlaceholderText(example);
    line_->setClearButtonEnabled(true);
    addWide(line_);
    connect(line_, &QLineEdit::editingFinished, this, [this] {
        const QString text = line_->text().trimmed();
        settle();
        if (text != shown_) {
            shown_ = text;
            emit edited(text.isEmpty() ? "null" : text, false);
        }
    });
}

void TextControl::show(const std::optional<QString>& said, const QString& automatic) {
    shown_ = said.value_or("");
    if (line_->text() != shown_) {
        line_->setText(shown_);
    }
    line_->setPlaceholderText(automatic.isEmpty() ? example_ : "auto: " + automatic);
}

}  // namespace fabricast
