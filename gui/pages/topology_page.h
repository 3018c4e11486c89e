#pragma once
#include "gui/models/failure_view.h"
#include "gui/pages/job_page.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fabricast {

class FailureBar;
class NetworkMapWidget;
class ReportTableView;

/// This is the network of the cluster, and how loaded it is in a step of layout A: healthy, and
/// with links, switches and servers that a click fails.
class TopologyPage final : public JobPage {
    Q_OBJECT

public:
    explicit TopologyPage(StudySession& session, QWidget* parent = nullptr);

protected:
    void refresh() override;

private:
    void addMap();
    void addFailures();
    void show(const NetworkState& state);
    void clickLink(std::uint32_t id);
    void clickBox(std::uint32_t id);
    void fail(const QString& name);
    void heal(const QString& name);

    QLabel* headline_ = nullptr;
    NetworkMapWidget* map_ = nullptr;
    FailureBar* bar_ = nullptr;
    ReportTableView* failures_ = nullptr;
    ReportTableView* links_ = nullptr;
    NetworkMapView view_;
    std::shared_ptr<const TopologyAnswer> answer_;  ///< that is shown
    std::string about_;                             ///< what healthy_ is of
    std::shared_ptr<const NetworkStep> healthy_;    ///< null: not simulated yet
};

}  // namespace fabricast
