#pragma once
#include "gui/jobs/latest_job.h"
#include "gui/window/machine_work.h"

#include <QDialog>
#include <string>

class QLabel;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;

namespace fabricast {

class StudySession;

/// This makes the machine that it runs on the hardware of the scenario: as a profile that it looks
/// like, or as it is measured here.
class MachineDialog final : public QDialog {
    Q_OBJECT

public:
    MachineDialog(StudySession& session, MachinePlaces places, QWidget* parent);

    [[nodiscard]] bool isWorking() const { return job_.isRunning(); }

private:
    void addButtons();
    void look();
    void measure();
    void stop();
    void use();
    void setWorking(const QString& words);
    void takeSeen(const Result<SeenMachine>& seen);
    void takeMeasured(const Result<MeasuredMachine>& machine);

    StudySession& session_;
    MachinePlaces places_;
    QLabel* state_ = nullptr;
    QPlainTextEdit* words_ = nullptr;
    QProgressBar* progress_ = nullptr;
    QPushButton* measure_ = nullptr;
    QPushButton* stop_ = nullptr;
    QPushButton* use_ = nullptr;
    std::string offered_;  ///< hardware that may be used
    std::string folder_;   ///< of profiles that it needs; empty: the usual ones
    LatestJob job_;
};

}  // namespace fabricast
