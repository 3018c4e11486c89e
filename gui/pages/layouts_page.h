#pragma once
#include "gui/pages/page.h"

class QLabel;
class QLineEdit;
class QPushButton;

namespace fabricast {

class ReportTableView;

/// This is the list of the best layouts. The selected one is A; B is put beside it.
class LayoutsPage final : public Page {
    Q_OBJECT

public:
    explicit LayoutsPage(StudySession& session, QWidget* parent = nullptr);

    [[nodiscard]] std::string text() const override;

protected:
    void refresh() override;

private:
    void selectA();
    [[nodiscard]] int selectedRow() const;
    void pinSelected();

    ReportTableView* table_ = nullptr;
    QLabel* note_ = nullptr;
    QLineEdit* filter_ = nullptr;
    QPushButton* asB_ = nullptr;
    QPushButton* pin_ = nullptr;
    bool isShowing_ = false;
};

}  // namespace fabricast
