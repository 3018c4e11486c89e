#pragma once
#include "gui/pages/job_page.h"
#include "planner/base/result.h"
#include "simulator/links/link_use.h"
#include "study/topology.h"

#include <vector>

namespace fabricast {

class NetworkMapWidget;
class ReportTableView;

/// This is the network of the cluster, and how loaded it is in a step of layout A.
class TopologyPage final : public JobPage {
    Q_OBJECT

public:
    explicit TopologyPage(StudySession& session, QWidget* parent = nullptr);

protected:
    void refresh() override;

private:
    void show(const Result<TopologyAnswer>& answer, const std::vector<LinkUse>& uses);

    QLabel* headline_ = nullptr;
    NetworkMapWidget* map_ = nullptr;
    ReportTableView* links_ = nullptr;
};

}  // namespace fabricast
