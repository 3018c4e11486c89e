#include "gui/pages/memory_page.h"

#include "gui/charts/memory_bars_widget.h"
#include "gui/jobs/study_session.h"
#include "gui/models/page_views.h"
#include "gui/pages/table_view.h"

#include <QLabel>
#include <QVBoxLayout>

namespace fabricast {

MemoryPage::MemoryPage(StudySession& session, QWidget* parent)
    : Page(session, "memory", parent),
      headline_(addHeadline("memory.headline")),
      bars_(new MemoryBarsWidget),
      parts_(new ReportTableView("memory.parts")) {
    bars_->setAccessibleName("Memory of each stage");
    addChart(bars_, "memory.bars");
    addTitle("The fullest stage, part by part. Enter or a double click opens the formula.");
    parts_->setAccessibleName("Parts of the memory");
    addSharing(parts_);
    connect(bars_, &MemoryBarsWidget::partPicked, this, [this](int stage, int part) {
        emit whyAsked(QString::fromStdString(memoryPartKey(bars_->values(),
                                                           names_,
                                                           static_cast<std::size_t>(stage),
                                                           static_cast<std::size_t>(part))));
    });
    connect(parts_, &QTableView::activated, this, [this](const QModelIndex& index) {
        const auto row = static_cast<std::size_t>(parts_->tableRow(index));
        if (row < why_.size()) {
            emit whyAsked(QString::fromStdString(why_[row]));
        }
    });
}

void MemoryPage::refresh() {
    if (!hasLayout()) {
        return;
    }
    const Explanation& a = *session().a().explanation;
    if (!a.memory) {
        say(QString::fromStdString("The memory of this layout is not modelled:\n" +
                                   a.whyNoVerdict));
        return;
    }
    const auto& b = session().b().explanation;
    const MemoryBreakdown* other = b && b->memory ? &*b->memory : nullptr;
    headline_->setText(QString::fromStdString(memoryHeadline(*a.memory)));
    names_ = runtimeNames(a.scenario.cluster.node.gpu.vendor);
    bars_->setValues(memoryBars(*a.memory, other, names_));
    MemoryParts parts = memoryParts(*a.memory, other, names_);
    why_ = std::move(parts.why);
    parts_->setTable(std::move(parts.table));
    showBody();
}

}  // namespace fabricast
