#pragma once
#include "gui/pages/job_page.h"
#include "planner/result/comparison.h"

#include <memory>

class QBoxLayout;
class QCheckBox;

namespace fabricast {

class ReportTableView;
class WaterfallWidget;

/// This puts A and B side by side: what was asked differently, what came out differently, and which
/// parts of the step make the difference.
class ComparePage final : public JobPage {
    Q_OBJECT

public:
    explicit ComparePage(StudySession& session, QWidget* parent = nullptr);

protected:
    void refresh() override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void askForB(const QString& ask);
    void show();

    QLabel* headline_ = nullptr;
    WaterfallWidget* fall_ = nullptr;
    ReportTableView* numbers_ = nullptr;
    ReportTableView* inputs_ = nullptr;
    QBoxLayout* tables_ = nullptr;
    QCheckBox* all_ = nullptr;
    std::shared_ptr<const Comparison> comparison_;
};

}  // namespace fabricast
