#pragma once
#include "gui/pages/page.h"

namespace fabricast {

class ReportTableView;

/// This is how far the answer can be trusted: each number's interval, what was assumed, and where
/// the hardware's numbers are from.
class EvidencePage final : public Page {
    Q_OBJECT

public:
    explicit EvidencePage(StudySession& session, QWidget* parent = nullptr);

protected:
    void refresh() override;

private:
    ReportTableView* trust_ = nullptr;
    QLabel* assumed_ = nullptr;
    ReportTableView* sources_ = nullptr;
};

}  // namespace fabricast
