#include "gui/pages/scenario_panel.h"

#include "gui/jobs/study_session.h"
#include "gui/models/edit_words.h"
#include "gui/models/says_hardware.h"
#include "gui/pages/control_edits.h"
#include "study/said_value.h"

#include <QGroupBox>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace fabricast {
namespace {

/// So that no control is cut off.
constexpr int kLeastWidth = 356;

bool isAbout(const Error& error, const ControlAbout& about, const Question& question) {
    const QString where = QString::fromStdString(error.where);
    if (!saysHardware(question) && where == "-n") {
        return about.path == "cluster.name";  // how many of what
    }
    const std::string path = about.path.toStdString();
    // What is wrong with a whole part is below the control of its name.
    const std::string part = about.isRequired ? path.substr(0, path.find('.')) : path;
    const auto isSaidThere = [&](const std::string& key) {
        const std::string said = whereSaid(question, key);
        return !said.empty() && said == error.where;
    };
    return isSaidThere(path) || isSaidThere(part) || where == about.origin ||
           where.startsWith(about.path) || where.startsWith(about.origin + ":") ||
           where.startsWith(about.origin + " ");
}

/// Under its control, which names the place.
QString troubleWords(const Error& error) {
    const std::string hint = error.hint.empty() ? "" : "\ntry: " + windowHint(error.hint);
    return QString::fromStdString(windowWords(error.why) + hint);
}

/// Whether it says over how many GPUs something is divided.
bool isDegree(const QString& path) {
    constexpr std::array kDegrees = {
        "layout.tp", "layout.pp", "layout.cp", "layout.ep", "layout.dp"};
    return std::ranges::any_of(kDegrees, [&path](const char* one) { return path == one; });
}

}  // namespace

ScenarioPanel::ScenarioPanel(StudySession& session, QWidget* parent)
    : QWidget(parent), session_(session) {
    setObjectName("scenario");
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    scroll_ = new QScrollArea;
    scroll_->setObjectName("scenario.scroll");
    scroll_->setWidgetResizable(true);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setFocusPolicy(Qt::NoFocus);  // it follows the controls, which Tab goes to
    auto* inside = new QWidget;
    auto* column = new QVBoxLayout(inside);
    column->setContentsMargins(8, 4, 8, 8);
    for (const ControlGroup& group : scenarioControls(session.bench().profiles())) {
        auto* box = new QGroupBox(group.title);
        auto* rows = new QVBoxLayout(box);
        rows->setSpacing(5);
        for (KeyControl* control : group.controls) {
            rows->addWidget(control);
            controls_.push_back(control);
            connectControl(control);
        }
        column->addWidget(box);
    }
    column->addStretch(1);
    scroll_->setWidget(inside);
    setMinimumWidth(kLeastWidth);
    whole->addWidget(scroll_);
    connect(&session, &StudySession::questionChanged, this, &ScenarioPanel::refresh);
    connect(&session, &StudySession::opened, this, [this] { rank_.reset(); });
    connect(&session, &StudySession::answersChanged, this, &ScenarioPanel::refresh);
    connect(&session, &StudySession::viewChanged, this, &ScenarioPanel::refresh);
    refresh();
}

void ScenarioPanel::connectControl(KeyControl* control) {
    connect(
        control, &KeyControl::edited, this, [this, control](const QString& value, bool dragging) {
            const ControlAbout& about = control->about();
            const std::string title = QString(about.title).remove('&').toStdString() + " " +
                                      (value == "null" ? std::string("auto") : value.toStdString());
            const std::string drag = dragging ? about.path.toStdString() : "";
            control->setTrouble({});
            std::vector<Edit> edits = controlEdits(about, value, session_);
            keepRank(edits);
            session_.edit(edits, {.title = title, .drag = drag});
        });
    connect(control, &KeyControl::sweepAsked, this, [this, control] {
        emit sweepAsked(control->about().path);
    });
    connect(control, &KeyControl::released, this, [this] { session_.endDrag(); });
    connect(&session_,
            &StudySession::refused,
            control,
            [control](const QString& where, const QString& why) {
                if (where == control->about().origin || where == control->about().path) {
                    control->setTrouble(why);
                }
            });
}

void ScenarioPanel::keepRank(std::vector<Edit>& edits) {
    const Edit& edit = edits.front();
    if (edits.size() > 1 || edit.path != "settings.tuning") {
        return;
    }
    const std::optional<std::string> said = saidValue(session_.question(), "settings.lora.rank");
    const bool hasAdapters = edit.value != "full" && edit.value != "null";
    if (!hasAdapters) {
        rank_ = said ? said : rank_;
    } else if (rank_ && !said) {
        edits.push_back({"settings.lora.rank", *std::exchange(rank_, {}), "--lora-rank"});
    }
}

KeyControl* ScenarioPanel::control(const QString& path) const {
    for (KeyControl* control : controls_) {
        if (control->about().path == path) {
            return control;
        }
    }
    return nullptr;
}

void ScenarioPanel::focusControl(const QString& path) {
    if (KeyControl* one = control(path)) {
        scroll_->ensureWidgetVisible(one);
        one->setFocus(Qt::ShortcutFocusReason);
    }
}

void ScenarioPanel::refresh() {
    const PlanAnswers& answers = session_.answers();
    const std::vector<Plan>& plans = answers.shown();
    const std::optional<std::size_t> place = session_.placeOf(session_.a());
    const Plan* plan = plans.empty() ? nullptr : &plans[place.value_or(0)];
    std::map<std::string, std::string> automatic;
    if (answers.report && saysHardware(session_.question())) {
        automatic = automaticValues(*answers.report, plan);
    }
    for (KeyControl* control : controls_) {
        const std::string path = control->about().path.toStdString();
        std::optional<std::string> said = saidOf(control->about(), session_.question());
        if (said == "auto") {  // as a launch file leaves it open
            said.reset();
        }
        control->showValue(said ? std::optional(QString::fromStdString(*said)) : std::nullopt,
                           QString::fromStdString(automatic[path]));
    }
    limitDegrees();
    showTroubles();
}

void ScenarioPanel::limitDegrees() {
    const PlanAnswers& answers = session_.answers();
    const std::int64_t gpus =
        answers.report ? answers.report->question.cluster.gpus() : std::numeric_limits<int>::max();
    for (KeyControl* control : controls_) {
        if (isDegree(control->about().path)) {
            control->limit(static_cast<int>(gpus),
                           QString("more than the %1 GPUs that there are").arg(gpus));
        }
    }
}

void ScenarioPanel::showTroubles() {
    const PlanAnswers& answers = session_.answers();
    for (KeyControl* control : controls_) {
        const bool isIts =
            answers.error && isAbout(*answers.error, control->about(), session_.question());
        control->setTrouble(isIts ? troubleWords(*answers.error) : QString());
    }
}

}  // namespace fabricast
