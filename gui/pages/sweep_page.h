#pragma once
#include "gui/pages/job_page.h"
#include "planner/base/result.h"
#include "study/sweep.h"

class QComboBox;
class QLineEdit;
class QPushButton;

namespace fabricast {

class CurveWidget;
class ReportTableView;

/// This is the best layout at each of several values of one key, as rows and as a curve.
class SweepPage final : public JobPage {
    Q_OBJECT

public:
    explicit SweepPage(StudySession& session, QWidget* parent = nullptr);

    /// This key, with values to start with.
    void choose(const QString& path);

protected:
    void refresh() override;

private:
    void addChoice();
    void showStart();
    /// Values of the key, with what the question says of it.
    [[nodiscard]] QString start() const;
    [[nodiscard]] std::string asked() const;
    void useSelected();
    void show(const Result<SweepAnswer>& answer);
    [[nodiscard]] SweepAxis axis() const;

    QComboBox* key_ = nullptr;
    QLineEdit* values_ = nullptr;
    QPushButton* use_ = nullptr;
    QLabel* headline_ = nullptr;
    CurveWidget* curve_ = nullptr;
    ReportTableView* rows_ = nullptr;
    QString proposed_;  ///< values that nobody typed
    SweepAxis shown_;   ///< that the rows are of
};

}  // namespace fabricast
