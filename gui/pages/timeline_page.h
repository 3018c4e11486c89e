#pragma once
#include "gui/pages/job_page.h"
#include "planner/base/result.h"
#include "study/measured_trace.h"
#include "study/simulate.h"

#include <memory>
#include <string>

class QPushButton;

namespace fabricast {

class TimelineWidget;

/// This is one simulated step of layout A over time, and below it one that was measured.
class TimelinePage final : public JobPage {
    Q_OBJECT

public:
    explicit TimelinePage(StudySession& session, QWidget* parent = nullptr);

    [[nodiscard]] bool isWaiting() const override;
    /// A trace of torch.profiler, beside what is simulated.
    void load(const QString& file);

protected:
    void refresh() override;

private:
    void addTools();
    void chooseTrace();
    /// Reads the session's trace, or shows none.
    void followTrace();
    void take(const Result<MeasuredTrace>& trace);
    void keepShownTrace(const QString& trouble);
    void forgetTrace();
    void removeTrace();
    void show(const Result<Simulation>& simulation);
    void showBoth();
    void sayMeasured();

    QLabel* headline_ = nullptr;
    QLabel* measured_ = nullptr;
    QPushButton* unload_ = nullptr;
    TimelineWidget* timeline_ = nullptr;
    std::shared_ptr<const Simulation> simulation_;
    std::shared_ptr<const MeasuredTrace> trace_;
    bool isNew_ = false;     ///< it is to be scrolled to
    std::string followed_;   ///< the file that is shown, or read
    std::string shown_;      ///< the file of `trace_`
    QString trouble_;        ///< why another one is not shown in its place
    bool isLoaded_ = false;  ///< what is read was chosen here, and did not come with a study
    LatestJob traceJob_;
};

}  // namespace fabricast
