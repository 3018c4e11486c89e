#include "gui/jobs/study_session.h"

#include "study/typed_plan.h"

#include <utility>

namespace fabricast {
namespace {

StudyMarks marksOf(const ViewState& view) {
    return {.failed = namesIn(view.failed), .hardware = view.hardware};
}

/// "megatron" of "megatron tp=8,pp=2".
std::string softwareOf(const PlanInView& view) {
    return view.typed.substr(0, view.typed.find(' '));
}

}  // namespace

const std::vector<Plan>& PlanAnswers::shown() const {
    static const std::vector<Plan> kNone;
    if (!report) {
        return kNone;
    }
    return report->plans.empty() ? report->misses : report->plans;
}

StudySession::StudySession(Workbench bench, const SavedStudy& study, QObject* parent)
    : QObject(parent),
      bench_(std::move(bench)),
      history_(study.question, marksOf(study.view)),
      trace_(study.view.trace) {
    choose(study.view);
    ask();
}

StudySession::~StudySession() {
    planJob_.cancel();
    aJob_.cancel();
    bJob_.cancel();
}

Result<void> StudySession::useProfiles(const std::vector<std::string>& folders) {
    FABRICAST_ASSIGN(bench_, Workbench::open(folders));
    folders_ = folders;
    ask();
    emit questionChanged();
    return {};
}

std::string StudySession::command() const {
    std::string words = "fabricast ";
    for (const std::string& folder : folders_) {
        words += "--profile-dir '" + folder + "' ";
    }
    return words + (isBesideBest() && !answers_.isStale() ? "explain " + typed(a_.question)
                                                          : "plan " + typed(question()));
}

bool StudySession::isWorking() const {
    return planJob_.isRunning() || aJob_.isRunning() || bJob_.isRunning();
}

std::optional<std::size_t> StudySession::placeOf(const PlanInView& view) const {
    return placeOf(view.typed);
}

std::optional<std::size_t> StudySession::placeOf(const std::string& typed) const {
    const std::vector<Plan>& plans = answers_.shown();
    for (std::size_t place = 0; place < plans.size(); ++place) {
        if (typedPlan(plans[place]) == typed) {
            return place;
        }
    }
    return {};
}

std::string StudySession::choiceOf(const PlanInView& view) const {
    return answers_.stage == AnswerStage::Done && !placeOf(view.chosen) ? "" : view.chosen;
}

bool StudySession::edit(const std::vector<Edit>& edits, const History::Label& label) {
    const std::string before = documentText(question());
    const Result<void> done = history_.edit(edits, label);
    if (!done) {
        emit refused(QString::fromStdString(done.error().where),
                     QString::fromStdString(done.error().text()));
        return false;
    }
    if (documentText(question()) != before) {
        softwareBefore_ = label.isApplied ? softwareOf(a_) : "";
        ask();
        emit questionChanged();
    }
    return true;
}

void StudySession::setFailed(std::vector<std::string> failed, const std::string& title) {
    setMarks({.failed = std::move(failed), .hardware = hardware()}, title);
}

void StudySession::setMarks(StudyMarks marks, const std::string& title) {
    if (marks != history_.marks()) {
        history_.setMarks(std::move(marks), title);
        emit questionChanged();
        emit viewChanged();
    }
}

void StudySession::setTrace(const std::string& file) {
    if (file != trace_) {
        trace_ = file;
        emit viewChanged();
    }
}

void StudySession::setHardware(const std::string& names) {
    setMarks({.failed = failed(), .hardware = names}, "Side by side " + names);
}

/// Asks again only where another question is asked: what has failed changes no plan.
void StudySession::goTo(void (History::*where)()) {
    const std::string before = documentText(question());
    (history_.*where)();
    softwareBefore_.clear();
    if (documentText(question()) != before) {
        ask();
    }
    emit questionChanged();
    emit viewChanged();
}

void StudySession::undo() {
    goTo(&History::undo);
}

void StudySession::redo() {
    goTo(&History::redo);
}

void StudySession::open(Question question, const ViewState& view) {
    begin(History(std::move(question), marksOf(view)), view);
}

void StudySession::recover(const SavedStudy& file, const SavedStudy& left) {
    History history(file.question, marksOf(file.view));
    history.recover(left.question, marksOf(left.view));
    begin(std::move(history), left.view);
}

void StudySession::begin(History history, const ViewState& view) {
    history_ = std::move(history);
    trace_ = view.trace;
    a_ = {};
    b_ = {};
    choose(view);
    aJob_.cancel();
    bJob_.cancel();
    answers_ = {};
    emit opened();
    ask();
    emit questionChanged();
    emit answersChanged();
    emit viewChanged();
}

/// What is refused is refused at another place now.
void StudySession::markSaved(const Question& saved) {
    history_.markSaved(saved);
    if (answers_.stage == AnswerStage::Failed) {
        ask();
    }
    emit questionChanged();
}

void StudySession::markUnsaved() {
    history_.markUnsaved();
    emit questionChanged();
}

void StudySession::ask() {
    answers_.stage = AnswerStage::Searching;
    answers_.error.reset();
    planJob_.start(planWork(question(), bench_, width_, [this](FoundPlans found) {
        PlanAnswers answers{.stage = found.isAll ? AnswerStage::Done : AnswerStage::Partial,
                            .report = answers_.report,
                            .best = answers_.best,
                            .seconds = found.seconds};
        if (found.report) {
            answers.report = *found.report;
            answers.best = found.best > 0 ? found.best : answers.report->plans.size();
        } else {
            answers.stage = AnswerStage::Failed;
            answers.error = found.report.error();
        }
        take(std::move(answers), found.isWidened);
    }));
    emit answersChanged();
}

/// A layout that was chosen by hand is waited for while more are searched.
void StudySession::take(PlanAnswers answers, bool isWidened) {
    answers_ = std::move(answers);
    if (isWidened && !hasChosen()) {
        answers_.stage = AnswerStage::Partial;
    }
    if (answers_.stage == AnswerStage::Done) {
        lookAgain();
    }
    emit answersChanged();
    if (answers_.stage == AnswerStage::Done) {
        tellSoftware();
    }
}

/// Also in the menu, where it is undone.
void StudySession::tellSoftware() {
    const std::string before = std::exchange(softwareBefore_, {});
    const std::string now = softwareOf(a_);
    if (!before.empty() && !now.empty() && now != before) {
        history_.addToTitle(" (" + now + " in place of " + before + ")");
        emit questionChanged();
        emit softwareChanged(QString::fromStdString(before), QString::fromStdString(now));
    }
}

/// Whether what was chosen by hand is among the plans.
bool StudySession::hasChosen() const {
    const auto has = [this](const PlanInView& view) {
        return view.chosen.empty() || placeOf(view.chosen);
    };
    return has(a_) && has(b_);
}

/// The layouts that were chosen by hand where they are among these; else the best one, and no B.
void StudySession::lookAgain() {
    const std::vector<Plan>& plans = answers_.shown();
    if (plans.empty()) {
        aJob_.cancel();
        a_ = {.chosen = a_.chosen};
    } else {
        look(a_, aJob_, plans[placeOf(a_.chosen).value_or(0)]);
    }
    if (const std::optional<std::size_t> place = placeOf(b_.chosen)) {
        look(b_, bJob_, plans[*place]);
    } else {
        bJob_.cancel();
        b_ = {.chosen = b_.chosen};
    }
    emit viewChanged();
}

void StudySession::look(PlanInView& view, LatestJob& job, const Plan& plan) {
    view.typed = typedPlan(plan);
    view.error.reset();
    Result<Question> about = questionAbout(question(), answers_.report->question, plan.scenario);
    if (!about) {
        view.error = about.error();
        view.explanation = nullptr;
        return;
    }
    view.question = *std::move(about);
    view.isWaiting = true;
    view.isSeeking = true;
    job.start(explainWork(view.question, bench_, [this, &view](const FoundExplanation& found) {
        const auto& explanation = found.explanation;
        view.explanation = explanation ? *explanation : nullptr;
        view.error = explanation ? std::optional<Error>() : explanation.error();
        view.isWaiting = false;
        view.isSeeking = !found.isAll;
        emit viewChanged();
    }));
}

/// The layouts that A and B are once they are found: among the best ones or beside them.
void StudySession::choose(const ViewState& view) {
    a_.chosen = view.chosen;
    b_.chosen = view.other;
    if (!a_.chosen.empty() || !b_.chosen.empty()) {
        width_ = SearchWidth::Front;
    }
}

void StudySession::chooseA(std::size_t place) {
    const std::vector<Plan>& plans = answers_.shown();
    if (place < plans.size() && answers_.stage == AnswerStage::Done) {
        look(a_, aJob_, plans[place]);
        a_.chosen = place == 0 ? std::string() : a_.typed;  // the best one, whichever that is
        emit viewChanged();
    }
}

void StudySession::chooseB(std::size_t place) {
    const std::vector<Plan>& plans = answers_.shown();
    if (place < plans.size() && answers_.stage == AnswerStage::Done) {
        look(b_, bJob_, plans[place]);
        b_.chosen = b_.typed;
        emit viewChanged();
    }
}

void StudySession::compareWith(std::size_t place) {
    if (placeOf(a_) == place) {
        chooseA(place == 0 ? 1 : 0);
    }
    chooseB(place);
}

void StudySession::clearB() {
    bJob_.cancel();
    b_ = {};
    emit viewChanged();
}

void StudySession::setWidth(SearchWidth width) {
    if (width != width_) {
        width_ = width;
        ask();
    }
}

void StudySession::swap() {
    const std::optional<std::size_t> placeA = placeOf(a_);
    const std::optional<std::size_t> placeB = placeOf(b_);
    if (placeA && placeB) {
        chooseA(*placeB);
        chooseB(*placeA);
    }
}

}  // namespace fabricast
