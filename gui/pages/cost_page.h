#pragma once
#include "gui/pages/page.h"

#include <string>
#include <vector>

namespace fabricast {

class ReportTableView;

/// This is what training costs, and what the price rests on.
class CostPage final : public Page {
    Q_OBJECT

public:
    explicit CostPage(StudySession& session, QWidget* parent = nullptr);

protected:
    void refresh() override;

private:
    QLabel* headline_ = nullptr;
    ReportTableView* rows_ = nullptr;
    QLabel* basis_ = nullptr;
    std::vector<std::string> why_;
};

}  // namespace fabricast
