#include "gui/window/machine_dialog.h"

#include "gui/jobs/study_session.h"

#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

namespace fabricast {

MachineDialog::MachineDialog(StudySession& session, MachinePlaces places, QWidget* parent)
    : QDialog(parent), session_(session), places_(std::move(places)) {
    setObjectName("machine");
    setWindowTitle("This machine");
    auto* column = new QVBoxLayout(this);
    state_ = new QLabel;
    state_->setObjectName("machine.state");
    state_->setWordWrap(true);
    column->addWidget(state_);
    progress_ = new QProgressBar;
    progress_->setObjectName("machine.progress");
    progress_->setAccessibleName("Whether work goes on");
    progress_->setRange(0, 0);
    column->addWidget(progress_);
    words_ = new QPlainTextEdit;
    words_->setObjectName("machine.words");
    words_->setAccessibleName("What this machine is, and what was measured");
    words_->setReadOnly(true);
    words_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    column->addWidget(words_, 1);
    addButtons();
    resize(760, 520);
    look();
}

void MachineDialog::addButtons() {
    auto* row = new QHBoxLayout;
    measure_ = new QPushButton("&Measure it (5 minutes)");
    measure_->setObjectName("machine.measure");
    stop_ = new QPushButton("&Stop");
    stop_->setObjectName("machine.stop");
    use_ = new QPushButton("&Use it as hardware");
    use_->setObjectName("machine.use");
    auto* close = new QPushButton("&Close");
    close->setObjectName("machine.close");
    for (QPushButton* button : {measure_, stop_, use_, close}) {
        row->addWidget(button);
    }
    qobject_cast<QVBoxLayout*>(layout())->addLayout(row);
    connect(measure_, &QPushButton::clicked, this, &MachineDialog::measure);
    connect(stop_, &QPushButton::clicked, this, &MachineDialog::stop);
    connect(use_, &QPushButton::clicked, this, &MachineDialog::use);
    connect(close, &QPushButton::clicked, this, &QDialog::reject);
}

void MachineDialog::setWorking(const QString& words) {
    state_->setText(words);
    progress_->show();
    measure_->setEnabled(false);
    use_->setEnabled(false);
    stop_->setEnabled(true);
}

void MachineDialog::look() {
    setWorking("Looking at this machine …");
    job_.start(lookWork(
        session_.bench(), places_, [this](const Result<SeenMachine>& seen) { takeSeen(seen); }));
}

void MachineDialog::takeSeen(const Result<SeenMachine>& seen) {
    progress_->hide();
    stop_->setEnabled(false);
    if (!seen) {
        state_->setText("What this machine is cannot be told: " +
                        QString::fromStdString(seen.error().text()));
        return;
    }
    offered_ = seen->likely;
    words_->setPlainText(QString::fromStdString(seen->words));
    measure_->setEnabled(seen->isMeasurable);
    use_->setEnabled(!offered_.empty());
    state_->setText(offered_.empty()
                        ? QString("No known hardware is like this machine. What is measured here "
                                  "can become a profile where there is enough of it.")
                        : "This machine looks like " + QString::fromStdString(offered_) +
                              ". Measured, it is forecast more surely.");
}

void MachineDialog::measure() {
    setWorking("Measuring …");
    const auto said = [this](const std::string& words) {
        state_->setText("Measuring: " + QString::fromStdString(words));
    };
    job_.start(measureWork(
        session_.bench(), places_, said, [this](const Result<MeasuredMachine>& machine) {
            takeMeasured(machine);
        }));
}

void MachineDialog::takeMeasured(const Result<MeasuredMachine>& machine) {
    progress_->hide();
    stop_->setEnabled(false);
    measure_->setEnabled(true);
    if (!machine) {
        state_->setText("Nothing was measured: " + QString::fromStdString(machine.error().text()));
        return;
    }
    words_->setPlainText(QString::fromStdString(machine->words));
    if (!machine->name.empty()) {
        offered_ = machine->name;
        folder_ = machine->folder;
    }
    use_->setEnabled(!offered_.empty());
    state_->setText(machine->name.empty()
                        ? QString("Measured. It is not enough for a profile, as is said below.")
                        : "Measured: " + QString::fromStdString(machine->name) +
                              " is now this machine.");
}

/// Programs that measure keep what they have.
void MachineDialog::stop() {
    job_.cancel();
    progress_->hide();
    stop_->setEnabled(false);
    measure_->setEnabled(true);
    use_->setEnabled(!offered_.empty());
    state_->setText(
        "Stopped. What was measured so far is kept, and measuring again goes on there.");
}

void MachineDialog::use() {
    if (!folder_.empty()) {
        if (const Result<void> used = session_.useProfiles({folder_}); !used) {
            state_->setText(QString::fromStdString(used.error().text()));
            return;
        }
    }
    session_.edit({{"cluster.name", offered_, "-c"}, {"cluster.nodes", "1", "-n"}},
                  {.title = "Hardware " + offered_});
    accept();
}

}  // namespace fabricast
