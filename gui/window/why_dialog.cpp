#include "gui/window/why_dialog.h"

#include "gui/jobs/study_session.h"
#include "planner/report/explanation_report.h"

#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QLabel>
#include <QPlainTextEdit>
#include <QVBoxLayout>

namespace fabricast {
namespace {

QString formulaOf(const PlanInView& view, const QString& key) {
    if (!view.explanation) {
        return view.error ? QString::fromStdString(view.error->text())
                          : QString("It is still being worked out.");
    }
    const Result<Report> why = explanationWhy(*view.explanation, key.toStdString());
    return QString::fromStdString(why ? reportText(*why) : why.error().text());
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
    formula->setAccessibleName("Formula of " + key);
    formula->setReadOnly(true);
    formula->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    formula->setPlainText(formulaOf(session.a(), key));
    column->addWidget(formula);
    auto* command =
        new QLabel("fabricast explain " + QString::fromStdString(typed(session.a().question)) +
                   " --why " + key);
    command->setObjectName("why.command");
    command->setWordWrap(true);
    command->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(command);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    column->addWidget(buttons);
    resize(760, 380);
}

}  // namespace fabricast
