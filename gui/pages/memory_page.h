#pragma once
#include "gui/pages/page.h"
#include "planner/spec/runtime_names.h"

#include <string>
#include <vector>

namespace fabricast {

class MemoryBarsWidget;
class ReportTableView;

/// This is where a GPU's memory goes: a bar for each pipeline stage, and what it is made of.
class MemoryPage final : public Page {
    Q_OBJECT

public:
    explicit MemoryPage(StudySession& session, QWidget* parent = nullptr);

protected:
    void refresh() override;

private:
    QLabel* headline_ = nullptr;
    MemoryBarsWidget* bars_ = nullptr;
    ReportTableView* parts_ = nullptr;
    std::vector<std::string> why_;
    RuntimeNames names_{};  ///< of A's GPUs
};

}  // namespace fabricast
