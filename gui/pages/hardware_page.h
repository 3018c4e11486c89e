#pragma once
#include "gui/pages/job_page.h"
#include "planner/base/result.h"
#include "planner/result/hardware_answer.h"

class QLineEdit;

namespace fabricast {

class ReportTableView;

/// This puts several kinds of hardware side by side: the same training on each, and its price.
class HardwarePage final : public JobPage {
    Q_OBJECT

public:
    explicit HardwarePage(StudySession& session, QWidget* parent = nullptr);

protected:
    void refresh() override;

private:
    void showNames();
    void takeNames();
    void useSelected();
    [[nodiscard]] std::string ownName() const;
    void addOwn();
    void show(const Result<HardwareAnswer>& answer);
    void sayFound();

    QLineEdit* names_ = nullptr;
    QLabel* headline_ = nullptr;
    std::string kept_;  ///< with the study, as it is shown
    QString found_;     ///< the headline of the answer
    ReportTableView* rows_ = nullptr;
    QLabel* notes_ = nullptr;
};

}  // namespace fabricast
