#pragma once
#include "gui/pages/job_page.h"
#include "planner/base/result.h"
#include "simulator/report/simulation.h"

namespace fabricast {

class TimelineWidget;

/// This is one step as it runs: what each stage does when, and its memory meanwhile.
class TimelinePage final : public JobPage {
    Q_OBJECT

public:
    explicit TimelinePage(StudySession& session, QWidget* parent = nullptr);

protected:
    void refresh() override;

private:
    void show(const Result<Simulation>& simulation);

    QLabel* headline_ = nullptr;
    TimelineWidget* timeline_ = nullptr;
};

}  // namespace fabricast
