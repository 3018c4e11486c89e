#include "gui/window/why_dialog.h"

#include "gui/jobs/study_session.h"
#include "gui/models/why_words.h"
#include "planner/report/explanation_report.h"

#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QGridLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStringList>
#include <QVBoxLayout>

namespace fabricast {
namespace {

QString formulaOf(const PlanInView& view, const QString& key) {
    if (!view.explanation) {
        return view.error ? QString::fromStdString(view.error->text())
                          : QString("It is still being worked out.");
    }
    QStringList formulas;
    for (const QString& one : key.split(' ')) {
        const Result<Report> why = explanationWhy(*view.explanation, one.toStdString());
        formulas << QString::fromStdString(why ? reportText(*why) : why.error().text());
    }
    return formulas.join('\n');
}

constexpr const char* kTerms = "  terms: --why ";

/// The keys of the terms that have formulas of their own, each once.
QStringList termsIn(const QString& formulas) {
    QStringList keys;
    for (const QString& line : formulas.split('\n')) {
        if (line.startsWith(kTerms)) {
            keys << line.mid(QString(kTerms).size()).split(", ");
        }
    }
    keys.removeDuplicates();
    return keys;
}

/// A dialog has buttons for them.
QString withoutTerms(const QString& formulas) {
    QStringList lines = formulas.split('\n');
    lines.removeIf([](const QString& line) { return line.startsWith(kTerms); });
    return lines.join('\n');
}

QString namesOfAll(const QString& keys) {
    QStringList names;
    for (const QString& key : keys.split(' ')) {
        names << QString::fromStdString(numberWords(key.toStdString()));
    }
    return names.join(", ");
}

QString commandsFor(const StudySession& session, const QString& key) {
    QStringList commands;
    for (const QString& one : key.split(' ')) {
        commands << "fabricast explain " + QString::fromStdString(typed(session.a().question)) +
                        " --why " + one;
    }
    return commands.join('\n');
}

}  // namespace

WhyDialog::WhyDialog(const StudySession& session, const QString& key, QWidget* parent)
    : QDialog(parent) {
    setObjectName("why");
    setWindowTitle("Where the number is from");
    auto* column = new QVBoxLayout(this);
    auto* about = new QLabel("Of layout A:  " + QString::fromStdString(session.a().typed));
    about->setWordWrap(true);
    column->addWidget(about);
    auto* formula = new QPlainTextEdit;
    formula->setObjectName("why.formula");
    formula->setAccessibleName("Formula of " + namesOfAll(key));
    formula->setReadOnly(true);
    formula->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    const QString formulas = formulaOf(session.a(), key);
    formula->setPlainText(formulasInWords(withoutTerms(formulas)));
    column->addWidget(formula);
    column->addLayout(termButtons(session, termsIn(formulas)));
    auto* command = new QLabel(commandsFor(session, key));
    command->setObjectName("why.command");
    command->setWordWrap(true);
    command->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(command);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    column->addWidget(buttons);
    resize(760, 380);
}

QGridLayout* WhyDialog::termButtons(const StudySession& session, const QStringList& keys) {
    constexpr int kColumns = 3;
    auto* buttons = new QGridLayout;
    for (int place = 0; place < keys.size(); ++place) {
        auto* term =
            new QPushButton(QString::fromStdString(numberWords(keys[place].toStdString())));
        term->setObjectName("why.term." + keys[place]);
        term->setToolTip("Where this is from");
        term->setAutoDefault(false);
        connect(term, &QPushButton::clicked, this, [this, &session, key = keys[place]] {
            auto* dialog = new WhyDialog(session, key, this);
            dialog->setAttribute(Qt::WA_DeleteOnClose);
            dialog->open();
        });
        buttons->addWidget(term, place / kColumns, place % kColumns);
    }
    return buttons;
}

}  // namespace fabricast
