#include "gui/pages/suggestion_list.h"

#include "gui/pages/page_theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace fabricast {

SuggestionList::SuggestionList(const QString& name, QWidget* parent)
    : QWidget(parent), name_(name), rows_(new QVBoxLayout(this)) {
    setObjectName(name);
    rows_->setContentsMargins(0, 0, 0, 0);
    rows_->setSpacing(4);
}

void SuggestionList::show(const std::vector<Suggestion>& suggestions, const QString& nothing) {
    while (QLayoutItem* item = rows_->takeAt(0)) {
        if (item->widget() != nullptr) {
            item->widget()->hide();
            item->widget()->setObjectName({});
            item->widget()->deleteLater();
        }
        delete item;
    }
    for (std::size_t place = 0; place < suggestions.size(); ++place) {
        addRow(suggestions[place], place);
    }
    if (suggestions.empty()) {
        auto* label = new QLabel(nothing);
        label->setWordWrap(true);
        rows_->addWidget(label);
    }
    rows_->addStretch(1);
}

void SuggestionList::addRow(const Suggestion& suggestion, std::size_t place) {
    auto* box = new QWidget;
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(0, 2, 0, 2);
    const QString title = QString::fromStdString(suggestion.title);
    QString words = "<b>" + title.toHtmlEscaped() +
                    "</b> &nbsp;<span style='color:" + themeOf(palette()).faint.name() + "'>" +
                    QString::fromStdString(suggestion.group).toHtmlEscaped() + "</span><br>" +
                    QString::fromStdString(suggestion.effect).toHtmlEscaped();
    if (!suggestion.warning.empty()) {
        words += "<br><i>" + QString::fromStdString(suggestion.warning).toHtmlEscaped() + "</i>";
    }
    auto* label = new QLabel(words);
    label->setWordWrap(true);
    auto* apply = new QPushButton("Apply");
    apply->setObjectName(QString("%1.%2.apply").arg(name_).arg(place));
    apply->setAccessibleName("Apply " + title);
    row->addWidget(label, 1);
    row->addWidget(apply, 0, Qt::AlignTop);
    connect(apply, &QPushButton::clicked, this, [this, suggestion] { emit applied(suggestion); });
    rows_->addWidget(box);
}

}  // namespace fabricast
