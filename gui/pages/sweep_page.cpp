#include "gui/pages/sweep_page.h"

#include "gui/charts/curve_widget.h"
#include "gui/jobs/study_session.h"
#include "gui/models/edit_words.h"
#include "gui/models/sweep_view.h"
#include "gui/pages/table_view.h"
#include "study/said_value.h"
#include "study/sweep_rows.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <memory>
#include <utility>

namespace fabricast {
namespace {

bool isAmong(const std::string& value, const std::vector<std::string>& values) {
    return value.empty() || std::ranges::find(values, value) != values.end();
}

}  // namespace

SweepPage::SweepPage(StudySession& session, QWidget* parent) : JobPage(session, "sweep", parent) {
    addChoice();
    headline_ = addHeadline("sweep.headline");
    curve_ = new CurveWidget;
    curve_->setAccessibleName("Tokens per second at each value");
    addChart(curve_, "sweep.curve");
    rows_ = new ReportTableView("sweep.rows");
    rows_->setAccessibleName("The best layout at each value");
    addSharing(rows_);
    if (saidValue(session.question(), "cluster.gpus")) {
        key_->setCurrentIndex(key_->findData("cluster.gpus"));  // servers would be whole ones
    }
    showStart();
}

void SweepPage::addChoice() {
    auto* row = new QHBoxLayout;
    row->addWidget(new QLabel("Try"));
    key_ = new QComboBox;
    key_->setObjectName("sweep.key");
    key_->setAccessibleName("What is tried with several values");
    for (const SweptKey& key : sweptKeys()) {
        key_->addItem(QString::fromStdString(key.title), QString::fromStdString(key.path));
    }
    row->addWidget(key_);
    row->addWidget(new QLabel("as"));
    values_ = new QLineEdit;
    values_->setObjectName("sweep.values");
    values_->setAccessibleName("Values, with commas");
    row->addWidget(values_, 1);
    use_ = new QPushButton("Use the se&lected one");
    use_->setObjectName("sweep.use");
    row->addWidget(use_);
    body()->addLayout(row);
    connect(key_, &QComboBox::activated, this, &SweepPage::showStart);
    connect(values_, &QLineEdit::editingFinished, this, &SweepPage::refresh);
    connect(use_, &QPushButton::clicked, this, &SweepPage::useSelected);
}

void SweepPage::choose(const QString& path) {
    if (key_->findData(path) < 0) {
        key_->addItem(QString::fromStdString(keyWords(path.toStdString())), path);
    }
    key_->setCurrentIndex(key_->findData(path));
    showStart();
}

/// The values that people try first; of other keys none are known.
QString SweepPage::start() const {
    const auto place = static_cast<std::size_t>(key_->currentIndex());
    const bool isKnown = place < sweptKeys().size();
    QStringList values;
    for (const std::string& value :
         valuesWith(isKnown ? sweptKeys()[place].values : std::vector<std::string>(), asked())) {
        values << QString::fromStdString(value);
    }
    return values.join(", ");
}

std::string SweepPage::asked() const {
    const std::string path = key_->currentData().toString().toStdString();
    return saidValue(session().question(), path).value_or("");
}

void SweepPage::showStart() {
    proposed_ = start();
    values_->setText(proposed_);
    values_->setPlaceholderText("values, with commas");
    refreshSoon();
}

SweepAxis SweepPage::axis() const {
    return {.key = key_->currentData().toString().toStdString(),
            .values = typedValues(values_->text().toStdString())};
}

void SweepPage::refresh() {
    showBody();
    if (values_->text() == proposed_ && !isAmong(asked(), axis().values)) {
        proposed_ = start();
        values_->setText(proposed_);
    }
    const SweepAxis wanted = axis();
    if (wanted.values.empty()) {
        headline_->setText("Type values to try, with commas in between.");
        return;
    }
    std::string key = wanted.key;
    for (const std::string& value : wanted.values) {
        key += " " + value;
    }
    const auto work = [this, wanted, question = session().question(), bench = session().bench()](
                          const Watch& watch, const LatestJob::Post& post) {
        const auto answer = std::make_shared<const Result<SweepAnswer>>(
            sweep(planPoints(question), {wanted}, {}, bench, watch));
        post([this, answer] { show(*answer); });
    };
    if (ask(key + "\n" + typed(session().question()), work)) {
        headline_->setText(
            QString("Searching the best layout at each of %1 values …").arg(wanted.values.size()));
    }
}

void SweepPage::show(const Result<SweepAnswer>& answer) {
    Result<Table> rows = answer ? sweepRows(*answer) : tl::unexpected(answer.error());
    if (!rows) {
        headline_->setText(QString::fromStdString(errorWords(rows.error())));
        rows_->setTable({});
        curve_->hide();
        return;
    }
    shown_ = answer->axes.front();
    const bool isWhole =
        shown_.key == "cluster.nodes" && saidValue(session().question(), "cluster.gpus");
    headline_->setText(QString::fromStdString(
        "The best layout at each value of " + keyWords(shown_.key) + "." +
        (isWhole ? " With all GPUs of each server: the scenario's number of GPUs is let go."
                 : "")));
    rows_->setTable(*std::move(rows));
    Result<CurveValues> curve = sweepCurve(*answer);
    constexpr std::size_t kLeastPoints = 2;
    const bool hasCurve = curve && curve->series.front().points.size() >= kLeastPoints;
    curve_->setVisible(hasCurve);
    if (hasCurve) {
        curve_->setValues(*std::move(curve));
    }
    showBody();
}

void SweepPage::useSelected() {
    const QModelIndex current = rows_->currentIndex();
    const auto row = static_cast<std::size_t>(current.isValid() ? rows_->tableRow(current) : 0);
    if (current.isValid() && row < shown_.values.size()) {
        session().edit({{shown_.key, shown_.values[row], shown_.key}},
                       {.title = keyWords(shown_.key) + " " + shown_.values[row]});
    }
}

}  // namespace fabricast
