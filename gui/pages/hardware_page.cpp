#include "gui/pages/hardware_page.h"

#include "gui/jobs/study_session.h"
#include "gui/models/edit_words.h"
#include "gui/models/page_views.h"
#include "gui/pages/table_view.h"
#include "study/hardware.h"
#include "study/said_value.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace fabricast {
namespace {

constexpr const char* kFirstNames = "dgx-h100, dgx-h200, dgx-b200, mi300x-8";

std::vector<std::string> namesIn(const QString& text) {
    std::vector<std::string> names;
    for (const QString& name : text.split(',', Qt::SkipEmptyParts)) {
        if (!name.trimmed().isEmpty()) {
            names.push_back(name.trimmed().toStdString());
        }
    }
    return names;
}

/// As many servers of each: another cluster has nothing of the one in a file but what is typed.
Question withServersTyped(const Question& question) {
    std::vector<Edit> edits;
    for (const auto& [path, flag] :
         {std::pair("cluster.nodes", "-n"), std::pair("cluster.gpus", "--gpus")}) {
        if (const std::optional<std::string> said = saidValue(question, path)) {
            edits.push_back({path, *said, flag});
        }
    }
    return with(question, edits).value_or(question);
}

}  // namespace

HardwarePage::HardwarePage(StudySession& session, QWidget* parent)
    : JobPage(session, "hardware", parent) {
    auto* row = new QHBoxLayout;
    row->addWidget(new QLabel("Side by side"));
    names_ = new QLineEdit;
    names_->setObjectName("hardware.names");
    names_->setAccessibleName("Hardware to put side by side, with commas");
    row->addWidget(names_, 1);
    auto* use = new QPushButton("Use the se&lected one");
    use->setObjectName("hardware.use");
    row->addWidget(use);
    body()->addLayout(row);
    headline_ = addHeadline("hardware.headline");
    rows_ = new ReportTableView("hardware.rows");
    rows_->setAccessibleName("Hardware side by side");
    rows_->letSort();
    addSharing(rows_);
    notes_ = addHeadline("hardware.notes");
    showNames();
    connect(&session, &StudySession::opened, this, &HardwarePage::showNames);
    connect(names_, &QLineEdit::editingFinished, this, &HardwarePage::takeNames);
    connect(use, &QPushButton::clicked, this, &HardwarePage::useSelected);
}

void HardwarePage::showNames() {
    kept_ = session().hardware();
    names_->setText(kept_.empty() ? kFirstNames : QString::fromStdString(kept_));
}

/// What was typed is kept with the study; what stands there by itself is not.
void HardwarePage::takeNames() {
    if (names_->isModified()) {
        session().setHardware(names_->text().toStdString());
    }
    refresh();
}

void HardwarePage::useSelected() {
    const QModelIndex current = rows_->currentIndex();
    if (!current.isValid()) {
        return;
    }
    const auto row = static_cast<std::size_t>(rows_->tableRow(current));
    const std::string name = rows_->tableModel().table().rows[row].front();
    std::vector<Edit> edits = {{"cluster.name", name, "-c"}};
    if (const auto nodes = saidValue(session().question(), "cluster.nodes")) {
        edits.push_back({"cluster.nodes", *nodes, "-n"});
    }
    session().edit(edits, {.title = "Hardware " + name});
}

/// What the scenario names: a cluster, else a node or a GPU. A node of the file's own has no name.
std::string HardwarePage::ownName() const {
    for (const char* key : {"cluster.name", "cluster.node", "cluster.gpu"}) {
        if (const auto said = saidValue(session().question(), key)) {
            return *said;
        }
    }
    return {};
}

/// The hardware of the scenario comes first.
void HardwarePage::addOwn() {
    const std::string own = ownName();
    const std::vector<std::string> names = namesIn(names_->text());
    if (!own.empty() && std::ranges::find(names, own) == names.end()) {
        names_->setText(QString::fromStdString(own) + ", " + names_->text());
    }
}

void HardwarePage::refresh() {
    if (session().hardware() != kept_) {
        showNames();  // after an undo
    }
    addOwn();
    const std::vector<std::string> names = namesIn(names_->text());
    const std::string key = names_->text().toStdString() + typed(session().question());
    const auto work = [this,
                       names,
                       own = ownName(),
                       question = withServersTyped(session().question()),
                       bench = session().bench()](const Watch& watch, const LatestJob::Post& post) {
        Result<HardwareAnswer> answer =
            whichHardware(question, names, bench, watch, BadBox::HasReason, own);
        post([this, answer = std::move(answer)] { show(answer); });
    };
    if (ask(key, work)) {
        showBody();
        found_.clear();
        headline_->setText("Searching the best layout on each …");
    } else if (!found_.isEmpty()) {
        sayFound();
    }
}

void HardwarePage::sayFound() {
    const bool isBeside = session().isBesideBest();
    headline_->setText(found_ + (isBeside ? " Each with its best layout, which A is not." : ""));
}

void HardwarePage::show(const Result<HardwareAnswer>& answer) {
    if (!answer) {
        headline_->setText(QString::fromStdString(errorWords(answer.error())));
        rows_->setTable({});
        notes_->clear();
        return;
    }
    found_ = QString::fromStdString(hardwareHeadline(*answer));
    sayFound();
    rows_->setTable(hardwareRows(*answer));
    QStringList notes;
    for (const std::string& line : hardwareNotes(*answer)) {
        notes << QString::fromStdString(windowWords(line));
    }
    notes_->setText(notes.join('\n'));
}

}  // namespace fabricast
