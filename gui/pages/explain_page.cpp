#include "gui/pages/explain_page.h"

#include "gui/jobs/study_session.h"
#include "gui/models/edit_words.h"
#include "gui/models/page_views.h"
#include "gui/models/suggestions.h"
#include "gui/pages/suggestion_list.h"
#include "gui/pages/table_view.h"
#include "planner/report/fixes_report.h"
#include "planner/report/memory_report.h"
#include "planner/report/plain_number.h"
#include "study/plan.h"
#include "study/targets.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace fabricast {
namespace {

std::string missText(const MemoryBreakdown& memory) {
    const std::string is = memory.verdict == Verdict::Unlikely ? "is " : "";
    std::string text = "The nearest layout " + is + std::string(fitText(memory.verdict)) + ".";
    for (const Rejection& rejection : memory.rejections) {
        const HostNeed& need = rejection.bound == Bound::HostMemory ? memory.host : memory.drives;
        text += rejection.bound == Bound::GpuMemory
                    ? " It is over at " + rejection.where + "."
                    : (need.isUnknown() ? " Not sure: " : " Too much: ") + hostNeedText(need) + ".";
    }
    return text;
}

constexpr const char* kNothingFaster =
    "Of the settings of this software that cost nothing, none makes this layout faster by 2 % or "
    "more. Type a target above to see what other software, other hardware or another training "
    "would bring.";

/// A target to start from: "230k" tokens per second.
std::string halfAsFastAgain(const StepEstimate& step) {
    constexpr int kDigits = 3;
    const double wanted = 1.5 * step.tokensPerSecond;
    return wanted >= 1e6   ? roundedNumber(wanted / 1e6, kDigits) + "M"
           : wanted >= 1e3 ? roundedNumber(wanted / 1e3, kDigits) + "k"
                           : roundedNumber(wanted, kDigits);
}

}  // namespace

ExplainPage::ExplainPage(StudySession& session, QWidget* parent)
    : JobPage(session, "explain", parent) {
    headline_ = addHeadline("explain.headline");
    addTime();
    fixTitle_ = addTitle("What would help");
    addTarget();
    fixes_ = new SuggestionList("explain.fix");
    body()->addWidget(fixes_);
    connect(fixes_, &SuggestionList::applied, this, &ExplainPage::apply);
}

void ExplainPage::addTime() {
    time_ = new ReportTableView("explain.time");
    time_->setAccessibleName("What the step goes to");
    addSharing(time_);
    connect(time_, &QTableView::activated, this, [this](const QModelIndex& index) {
        const auto row = static_cast<std::size_t>(time_->tableRow(index));
        if (row < why_.size()) {
            emit whyAsked(QString::fromStdString(why_[row]));
        }
    });
}

void ExplainPage::addTarget() {
    auto* row = new QHBoxLayout;
    row->addWidget(new QLabel("To reach"));
    metric_ = new QComboBox;
    metric_->setObjectName("explain.metric");
    metric_->setAccessibleName("What is to be reached");
    constexpr int kLeastMetric = 120;
    metric_->setMinimumWidth(kLeastMetric);
    metric_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    metric_->addItem("tokens per second, at least", "tokens-per-s");
    metric_->addItem("days for the run, at most", "days");
    metric_->addItem("step time, at most", "step");
    metric_->addItem("MFU, at least", "mfu");
    wanted_ = new QLineEdit;
    wanted_->setObjectName("explain.wanted");
    wanted_->setPlaceholderText("200k, 30, 2.5s, 45%");
    wanted_->setAccessibleName("How much is to be reached");
    wanted_->setMinimumWidth(90);
    wanted_->setMaximumWidth(130);
    auto* find = new QPushButton("F&ind how");
    find->setObjectName("explain.find");
    targetState_ = new QLabel;
    targetState_->setObjectName("explain.target");
    targetState_->setWordWrap(true);
    row->addWidget(metric_);
    row->addWidget(wanted_);
    row->addWidget(find);
    row->addStretch(1);
    body()->addLayout(row);
    body()->addWidget(targetState_);
    sayTarget({});
    connect(find, &QPushButton::clicked, this, &ExplainPage::askTarget);
    connect(wanted_, &QLineEdit::returnPressed, this, &ExplainPage::askTarget);
    connect(metric_, &QComboBox::activated, this, [this] { wanted_->setModified(true); });
    connect(&session(), &StudySession::opened, this, [this] { wanted_->setModified(false); });
}

void ExplainPage::sayTarget(const QString& words) {
    targetState_->setText(words);
    targetState_->setVisible(!words.isEmpty());
}

void ExplainPage::askTarget() {
    const std::string typedTarget =
        metric_->currentData().toString().toStdString() + "=" + wanted_->text().toStdString();
    const auto targets = readTargets({typedTarget});
    if (!targets) {
        sayTarget(QString::fromStdString(targets.error().text()));
        return;
    }
    sayTarget("searching …");
    targetOf_ = documentText(session().question());
    forget();
    ask(typedTarget,
        [this, targets = *targets, question = session().question(), bench = session().bench()](
            const Watch& watch, const LatestJob::Post& post) {
            const Result<PlanReport> report = plan(question, {.targets = targets}, bench, watch);
            post([this, report] {
                target_ = report ? std::make_shared<const PlanReport>(*report) : nullptr;
                sayTarget(report ? QString() : QString::fromStdString(report.error().text()));
                showFixes();
            });
        });
}

void ExplainPage::apply(const Suggestion& suggestion) {
    session().edit(editsForPlan(suggestion), {.title = suggestion.title, .isApplied = true});
}

std::vector<Suggestion> ExplainPage::suggestions() const {
    const PlanAnswers& answers = session().answers();
    if (target_ && target_->fixes) {
        return suggestionsOf(*target_->fixes);
    }
    if (answers.report && answers.report->plans.empty() && answers.report->fixes) {
        return fitSuggestions(*answers.report);
    }
    if (!session().a().explanation) {
        return {};
    }
    const Explanation& a = *session().a().explanation;
    return answers.report ? suggestionsOf(a, *answers.report) : suggestionsOf(a);
}

void ExplainPage::showFixes() {
    if (target_ && targetOf_ != documentText(session().question())) {
        target_ = nullptr;
        sayTarget({});
    }
    if (target_ && target_->fixes) {
        const QString found = QString::fromStdString(fixesText(*target_->fixes));
        const std::string& cut = target_->cutShort;
        sayTarget((session().isBesideBest() ? "The best layout, which A is not: " : "") +
                  found.section('\n', 0, 0).simplified() +
                  QString::fromStdString(cut.empty() ? "" : "\ncut short: " + windowWords(cut)));
    }
    fixes_->setEnabled(
        (target_ && target_->fixes) ||
        (session().answers().stage == AnswerStage::Done && !session().a().isWaiting));
    const bool isReached = target_ && target_->fixes && target_->fixes->allMet();
    fixes_->show(suggestions(),
                 isReached                 ? "It is reached as it is."
                 : session().a().isSeeking ? "Looking for what would make it faster …"
                                           : kNothingFaster);
}

void ExplainPage::showTime() {
    const Explanation& a = *session().a().explanation;
    if (!a.step) {
        time_->setTable({});
        return;
    }
    TimeParts parts = timeParts(*a.step);
    why_ = std::move(parts.why);
    time_->setTable(std::move(parts.table));
}

/// No layout at all, but other software, or another way to train, that would take one.
bool ExplainPage::isRefused() const {
    const PlanAnswers& answers = session().answers();
    return answers.stage == AnswerStage::Done && answers.shown().empty() && answers.report->fixes &&
           !answers.report->fixes->fixes.empty();
}

void ExplainPage::showRefused() {
    headline_->setText(QString::fromStdString(whyNoPlan(*session().answers().report)));
    fixTitle_->setText("What would help");
    time_->hide();
    showFixes();
    showBody();
}

void ExplainPage::refresh() {
    if (isRefused()) {
        showRefused();
        return;
    }
    if (!hasLayout()) {
        return;
    }
    time_->show();
    const Explanation& a = *session().a().explanation;
    const PlanAnswers& answers = session().answers();
    const bool isMiss = answers.report && answers.report->plans.empty() && a.memory;
    headline_->setText(QString::fromStdString(isMiss   ? missText(*a.memory)
                                              : a.step ? timeHeadline(*a.step)
                                                       : std::string()));
    if (!wanted_->isModified() && !wanted_->hasFocus() && a.step) {
        metric_->setCurrentIndex(0);
        wanted_->setText(QString::fromStdString(halfAsFastAgain(*a.step)));
    }
    const bool hasSurer = answers.report && answers.report->surer;
    const bool isUnsure = hasSurer || (a.memory && !a.memory->rejections.empty());
    fixTitle_->setText(isMiss     ? "What would make it fit"
                       : isUnsure ? "What would make it fit surely, or faster"
                                  : "What would make it faster");
    showTime();
    showFixes();
    showBody();
}

}  // namespace fabricast
