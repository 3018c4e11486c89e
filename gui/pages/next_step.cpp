#include "gui/pages/next_step.h"

#include "gui/jobs/study_session.h"
#include "gui/models/edit_words.h"
#include "gui/models/says_hardware.h"
#include "gui/pages/elided_label.h"
#include "planner/base/quantity_text.h"
#include "study/typed_edits.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <optional>
#include <utility>

namespace fabricast {

namespace {

/// The change that the hint of an error types, where it is one.
std::optional<Suggestion> hintedChange(const Question& question, const Error& error) {
    const std::string hint = error.hint.substr(0, error.hint.find(", or "));
    const Result<std::vector<Edit>> edits = typedEdits(hint, "--set");
    if (!edits || edits->empty() || !with(question, *edits)) {
        return {};
    }
    return Suggestion{.title = editWords(*edits), .edits = *edits};
}

/// Settings that cost nothing spare the host memory, and are as fast.
bool isSpared(const Plan& plan, const PlanReport& report) {
    return report.surer && report.surer->step.value <= plan.step.step.value;
}

/// The best layout needs host memory that nobody stated.
bool needsHost(const PlanReport& report) {
    return !report.plans.empty() && report.plans.front().memory.host.isUnknown() &&
           !isSpared(report.plans.front(), report);
}

/// A layout waits for host memory that nobody stated, and no setting that costs nothing is as fast.
bool waitsFirst(const PlanReport& report) {
    const bool isMissed = report.fixes && !report.fixes->allMet();
    if (!report.waitsForHost || isMissed || !report.waitsForHost->memory.host.isUnknown()) {
        return false;
    }
    if (isSpared(*report.waitsForHost, report)) {
        return false;
    }
    return !report.faster || report.faster->step.value > report.waitsForHost->step.step.value;
}

}  // namespace

NextStep::NextStep(StudySession& session, QWidget* parent)
    : QWidget(parent),
      session_(session),
      words_(new ElidedLabel("next.words")),
      button_(new QPushButton) {
    setObjectName("next");
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(10, 0, 10, 6);
    button_->setObjectName("next.do");
    words_->letWrap();
    row->addWidget(words_, 1);
    row->addWidget(button_);
    connect(button_, &QPushButton::clicked, this, &NextStep::act);
    connect(&session, &StudySession::answersChanged, this, &NextStep::refresh);
    connect(&session, &StudySession::viewChanged, this, &NextStep::refresh);
    constexpr int kBlinkMilliseconds = 150;
    blink_.setSingleShot(true);
    blink_.setInterval(kBlinkMilliseconds);
    connect(&blink_, &QTimer::timeout, this, &NextStep::sayStale);
    refresh();
}

NextStep::Step NextStep::nextStep() const {
    const PlanAnswers& answers = session_.answers();
    if (answers.stage == AnswerStage::Failed) {
        if (!says(session_.question(), "model")) {
            return {.kind = Kind::Control,
                    .words = "Next: choose the model that is trained.",
                    .button = "Choose the model",
                    .target = "model"};
        }
        if (!saysHardware(session_.question())) {
            return {.kind = Kind::Control,
                    .words = "Next: choose the hardware that it is trained on.",
                    .button = "Choose the hardware",
                    .target = "cluster.name"};
        }
        if (const auto change = hintedChange(session_.question(), *answers.error)) {
            return {.kind = Kind::Apply,
                    .words = "Try:  " + QString::fromStdString(change->title),
                    .button = "Apply",
                    .suggestion = *change};
        }
        return {.kind = Kind::None,
                .words = answers.error->hint.empty()
                             ? QString()
                             : "Try: " + QString::fromStdString(windowHint(answers.error->hint))};
    }
    if (!answers.report) {
        return {};
    }
    if (answers.stage != AnswerStage::Done) {
        return step_;
    }
    return stepAfter(*answers.report);
}

NextStep::Step NextStep::stepAfter(const PlanReport& report) const {
    if (needsHost(report)) {
        return {
            .kind = Kind::Control,
            .words =
                "Next: say how much memory the host of a server has; it decides whether this fits.",
            .button = "Enter memory",
            .target = "cluster.host_memory"};
    }
    if (waitsFirst(report)) {
        const Plan& plan = *report.waitsForHost;
        return {
            .kind = Kind::Control,
            .words = QString::fromStdString(
                "Next: say how much host memory a server has: " + shortText(plan.step.step.value) +
                " a step if it is " + shortText(plan.memory.host.perNode) + " or more."),
            .button = "Enter memory",
            .target = "cluster.host_memory"};
    }
    const Suggestion first = firstSuggestion(report);
    if (!first.title.empty()) {
        const QString why = report.plans.empty()
                                ? QString::fromStdString(whyNoPlan(report)) + " This helps:"
                            : first.isSurer           ? QString("Surer at no cost:")
                            : session_.isBesideBest() ? QString("Layout 1, faster at no cost:")
                                                      : QString("Faster at no cost:");
        return {.kind = Kind::Apply,
                .words = why + "  " + QString::fromStdString(first.title) + "  –  " +
                         QString::fromStdString(
                             first.effect + (first.warning.empty() ? "" : "; " + first.warning)),
                .button = "Apply",
                .suggestion = first};
    }
    if (report.plans.empty()) {
        return {.kind = Kind::ShowPage,
                .words = QString::fromStdString(whyNoPlan(report)) +
                         (report.refused ? " \"Explain\" says what comes nearest."
                                         : " \"Explain\" says by how much and why."),
                .button = "Explain",
                .target = "explain"};
    }
    if (!says(session_.question(), "workload.tokens")) {
        return {.kind = Kind::Control,
                .words = "Next: say how many tokens the run reads, to see its days and its price.",
                .button = "Enter tokens",
                .target = "workload.tokens"};
    }
    return {.kind = Kind::ShowPage,
            .words = "Next: see what other hardware would take for the same training.",
            .button = "Compare hardware",
            .target = "hardware"};
}

void NextStep::refresh() {
    step_ = nextStep();
    const AnswerStage stage = session_.answers().stage;  // until then it is of an earlier question
    const bool isOfQuestion = stage == AnswerStage::Done || stage == AnswerStage::Failed;
    if (isOfQuestion) {
        blink_.stop();
        words_->setWords(step_.words);
    } else if (!blink_.isActive()) {
        blink_.start();
    }
    words_->setEnabled(isOfQuestion);
    button_->setEnabled(isOfQuestion);
    button_->setText(step_.button);
    button_->setVisible(step_.kind != Kind::None);
    button_->setAccessibleDescription(step_.words);
    setVisible(!step_.words.isEmpty());
    emit changed();
}

void NextStep::sayStale() {
    if (!step_.words.isEmpty()) {
        words_->setWords("Of the question before:  " + step_.words);
    }
}

void NextStep::act() {
    const Step step = step_;
    switch (step.kind) {
        case Kind::Apply:
            session_.edit(editsForPlan(step.suggestion),
                          {.title = step.suggestion.title, .isApplied = true});
            break;
        case Kind::Control:
            emit controlAsked(step.target);
            break;
        case Kind::ShowPage:
            emit pageAsked(step.target);
            break;
        case Kind::None:
            break;
    }
}

}  // namespace fabricast
