#include "gui/window/page_tabs.h"

#include "gui/pages/compare_page.h"
#include "gui/pages/cost_page.h"
#include "gui/pages/evidence_page.h"
#include "gui/pages/explain_page.h"
#include "gui/pages/hardware_page.h"
#include "gui/pages/layouts_page.h"
#include "gui/pages/memory_page.h"
#include "gui/pages/sensitivity_page.h"
#include "gui/pages/sweep_page.h"
#include "gui/pages/timeline_page.h"
#include "gui/pages/topology_page.h"

#include <QTabBar>

namespace fabricast {

PageTabs::PageTabs(StudySession& session, QWidget* parent) : QTabWidget(parent) {
    setObjectName("pages");
    setDocumentMode(true);
    setUsesScrollButtons(true);
    tabBar()->setAccessibleName("Pages");
    addPage(new LayoutsPage(session), "Layouts");
    addPage(new ExplainPage(session), "Explain");
    addPage(new MemoryPage(session), "Memory");
    addPage(new ComparePage(session), "Compare");
    addPage(new CostPage(session), "Cost");
    addPage(new HardwarePage(session), "Hardware");
    addPage(new SensitivityPage(session), "What if");
    addPage(new TimelinePage(session), "Timeline");
    addPage(new TopologyPage(session), "Network");
    addPage(new EvidencePage(session), "Evidence");
    sweep_ = new SweepPage(session);
    addPage(sweep_, "Sweep");
}

void PageTabs::showSweep(const QString& path) {
    sweep_->choose(path);
    showPage(sweep_->name());
}

void PageTabs::addPage(Page* page, const QString& title) {
    addTab(page, title);
    page->setAccessibleName(title);
    connect(page, &Page::whyAsked, this, &PageTabs::whyAsked);
}

QStringList PageTabs::names() const {
    QStringList names;
    for (int i = 0; i < count(); ++i) {
        names << qobject_cast<Page*>(widget(i))->name();
    }
    return names;
}

QString PageTabs::titleOf(const QString& name) const {
    return tabText(static_cast<int>(names().indexOf(name)));
}

std::vector<QPushButton*> PageTabs::buttonsOf(const QString& name) const {
    return qobject_cast<Page*>(widget(static_cast<int>(names().indexOf(name))))->buttons();
}

bool PageTabs::showPage(const QString& name) {
    const QStringList all = names();
    auto place = all.indexOf(name);
    for (int tab = 0; tab < count() && place < 0; ++tab) {
        place = titleOf(all[tab]).toLower().replace(' ', '-') == name ? tab : -1;
    }
    if (place >= 0) {
        setCurrentIndex(static_cast<int>(place));
    }
    return place >= 0;
}

Page* PageTabs::page() const {
    return qobject_cast<Page*>(currentWidget());
}

}  // namespace fabricast
