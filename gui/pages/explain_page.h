#pragma once
#include "gui/pages/job_page.h"
#include "planner/result/plan_report.h"

#include <memory>
#include <string>
#include <vector>

class QComboBox;
class QLineEdit;

namespace fabricast {

class ReportTableView;
class SuggestionList;
struct Suggestion;

/// This says why the layout is not faster, or does not fit, and what would change it. A target that
/// is typed is searched for: each change that reaches it can be made.
class ExplainPage final : public JobPage {
    Q_OBJECT

public:
    explicit ExplainPage(StudySession& session, QWidget* parent = nullptr);

protected:
    /// What reaches a target is looked for beside what is shown.
    [[nodiscard]] bool isStale() const override { return Page::isStale(); }
    void refresh() override;

private:
    void addTime();
    void addTarget();
    void askTarget();
    /// Without words there is no line for them.
    void sayTarget(const QString& words);
    void showFixes();
    [[nodiscard]] bool isRefused() const;
    void showRefused();
    void showTime();
    void apply(const Suggestion& suggestion);
    [[nodiscard]] std::vector<Suggestion> suggestions() const;

    QLabel* headline_ = nullptr;
    ReportTableView* time_ = nullptr;
    QLabel* fixTitle_ = nullptr;
    SuggestionList* fixes_ = nullptr;
    QComboBox* metric_ = nullptr;
    QLineEdit* wanted_ = nullptr;
    QLabel* targetState_ = nullptr;
    std::vector<std::string> why_;
    std::shared_ptr<const PlanReport> target_;  ///< what reaches it
    std::string targetOf_;                      ///< the question that it was asked of
};

}  // namespace fabricast
