#pragma once
#include "gui/pages/job_page.h"
#include "planner/base/result.h"
#include "planner/result/sensitivity.h"

namespace fabricast {

class ReportTableView;
class TornadoWidget;

/// This says what twice as much of each thing would do: with the layout as it is, then with the
/// best layout for that.
class SensitivityPage final : public JobPage {
    Q_OBJECT

public:
    explicit SensitivityPage(StudySession& session, QWidget* parent = nullptr);

protected:
    void refresh() override;

private:
    void show(const Result<Sensitivity>& answer, bool isSearching);

    QLabel* headline_ = nullptr;
    TornadoWidget* tornado_ = nullptr;
    ReportTableView* rows_ = nullptr;
};

}  // namespace fabricast
