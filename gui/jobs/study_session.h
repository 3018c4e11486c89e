#pragma once
#include "gui/document/history.h"
#include "gui/document/saved_study.h"
#include "gui/jobs/ask_plans.h"
#include "gui/jobs/latest_job.h"
#include "planner/base/result.h"
#include "planner/result/explanation.h"
#include "planner/result/plan_report.h"
#include "study/question.h"
#include "study/workbench.h"

#include <QObject>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

enum class AnswerStage {
    Searching,  ///< what is shown is of an earlier question, or nothing
    Partial,    ///< the best found so far
    Done,
    Failed
};

/// The plans of the question that is asked now, as far as they are known.
struct PlanAnswers {
    AnswerStage stage = AnswerStage::Searching;
    std::shared_ptr<const PlanReport> report;  ///< may be of the question before
    std::size_t best = 0;        ///< plans in order; those behind are other trade-offs
    std::optional<Error> error;  ///< where it failed
    double seconds = 0.0;        ///< that the search took

    /// Those that fit, else what comes nearest.
    [[nodiscard]] const std::vector<Plan>& shown() const;
    [[nodiscard]] bool isStale() const {
        return stage == AnswerStage::Searching || stage == AnswerStage::Failed;
    }
};

/// One of the plans, as it is looked at: A, or B beside it.
struct PlanInView {
    std::string typed;     ///< "megatron tp=8,pp=2"; empty: none
    std::string chosen{};  ///< by hand, which an answer without it does not forget; empty: none
    Question question;     ///< what to ask about it
    std::shared_ptr<const Explanation> explanation{};
    std::optional<Error> error{};
    bool isWaiting = false;  ///< for an explanation: that here is of a question or layout before
    bool isSeeking = false;  ///< what would make it faster: the explanation does not say it yet
};

/// This is the study that a window shows: the question with its undo steps, and its answers, which
/// follow each edit by themselves. Pages show it, controls edit it.
///     session.edit({{"cluster.nodes", "16", "-n"}}, {.title = "nodes 16"});
class StudySession : public QObject {
    Q_OBJECT

public:
    StudySession(Workbench bench, const SavedStudy& study, QObject* parent = nullptr);
    ~StudySession() override;

    [[nodiscard]] const Workbench& bench() const { return bench_; }
    /// Folders of profiles beside the built-in ones.
    [[nodiscard]] const std::vector<std::string>& profileFolders() const { return folders_; }
    /// Profiles of these folders too: all is asked again.
    Result<void> useProfiles(const std::vector<std::string>& folders);
    [[nodiscard]] const Question& question() const { return history_.now(); }
    [[nodiscard]] const History& history() const { return history_; }
    [[nodiscard]] const PlanAnswers& answers() const { return answers_; }
    [[nodiscard]] const PlanInView& a() const { return a_; }
    [[nodiscard]] const PlanInView& b() const { return b_; }
    /// The place of A or B among the plans shown.
    [[nodiscard]] std::optional<std::size_t> placeOf(const PlanInView& view) const;
    /// What was chosen by hand, for the saved file; empty where the answer has no such layout.
    [[nodiscard]] std::string choiceOf(const PlanInView& view) const;
    /// A is another layout than the best one.
    [[nodiscard]] bool isBesideBest() const { return placeOf(a_).value_or(0) > 0; }
    /// What prints the same in a terminal: of A where that was chosen beside the best one.
    [[nodiscard]] std::string command() const;
    [[nodiscard]] bool isWorking() const;

    /// False where the edit was refused: refused() says why.
    bool edit(const std::vector<Edit>& edits, const History::Label& label);
    /// Links, devices and nodes of the cluster that are down, by their names.
    [[nodiscard]] const std::vector<std::string>& failed() const { return history_.marks().failed; }
    void setFailed(std::vector<std::string> failed, const std::string& title);
    /// The file of a measured step that is shown beside the simulated one; may be empty.
    [[nodiscard]] const std::string& trace() const { return trace_; }
    void setTrace(const std::string& file);
    /// What is put side by side, as it was typed; empty: what the window starts with.
    [[nodiscard]] const std::string& hardware() const { return history_.marks().hardware; }
    void setHardware(const std::string& names);
    void endDrag() { history_.endDrag(); }
    void undo();
    void redo();
    /// Another study; nothing of it is to be undone.
    void open(Question question, const ViewState& view);
    /// What was left of it, unsaved: undone, it is as its file has it.
    void recover(const SavedStudy& file, const SavedStudy& left);
    /// As the file says it that it was saved to.
    void markSaved(const Question& saved);
    void markUnsaved();
    void chooseA(std::size_t place);
    void chooseB(std::size_t place);
    /// It becomes B; where it is A, the best other one becomes A.
    void compareWith(std::size_t place);
    void clearB();
    void swap();
    /// Also the plans beside the best: what they give up in speed for memory or GPUs.
    void setWidth(SearchWidth width);

signals:
    void opened();  ///< another study
    void questionChanged();
    void answersChanged();
    void viewChanged();  ///< A, B or what is known of them
    /// A change that was applied has another training software than before as its best.
    void softwareChanged(const QString& before, const QString& now);
    void refused(const QString& where, const QString& why);

private:
    void ask();
    void begin(History history, const ViewState& view);
    void choose(const ViewState& view);
    void setMarks(StudyMarks marks, const std::string& title);
    void goTo(void (History::*where)());
    void take(PlanAnswers answers, bool isWidened);
    void look(PlanInView& view, LatestJob& job, const Plan& plan);
    void lookAgain();
    void tellSoftware();
    [[nodiscard]] bool hasChosen() const;
    [[nodiscard]] std::optional<std::size_t> placeOf(const std::string& typed) const;

    Workbench bench_;
    std::vector<std::string> folders_;
    History history_;
    std::string trace_;
    std::string softwareBefore_;  ///< of a change that was applied, until it is answered
    PlanAnswers answers_;
    PlanInView a_;
    PlanInView b_;
    SearchWidth width_ = SearchWidth::Best;
    LatestJob planJob_;
    LatestJob aJob_;
    LatestJob bJob_;
};

}  // namespace fabricast
