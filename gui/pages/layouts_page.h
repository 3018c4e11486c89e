#pragma once
#include "gui/pages/page.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

class QComboBox;
class QHBoxLayout;
class QLineEdit;
class QPushButton;
class QToolButton;

namespace fabricast {

class ElidedLabel;
class ReportTableView;
class ScatterWidget;

/// This is the list of the best layouts, and what they give up for each other: two numbers of each
/// as a point. The selected one is A; B is put beside it. A brush over points leaves their rows.
class LayoutsPage final : public Page {
    Q_OBJECT

public:
    explicit LayoutsPage(StudySession& session, QWidget* parent = nullptr);

protected:
    [[nodiscard]] bool isStale() const override;
    void refresh() override;
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void addNote();
    void addTools();
    void addScatter();
    void addRowChoice(QHBoxLayout& tools);
    void brush(const std::vector<std::uint32_t>& ids);
    void showBrush();
    void addNone();
    void showNone();
    void filterRows(const std::function<void()>& filter);
    [[nodiscard]] std::vector<std::uint32_t> brushedPlaces() const;
    void showTable();
    void showScatter();
    [[nodiscard]] bool wantsChart() const;
    void showChart();
    void selectA();
    [[nodiscard]] int selectedRow() const;
    void pinSelected();

    ReportTableView* table_ = nullptr;
    QWidget* axes_ = nullptr;
    ScatterWidget* scatter_ = nullptr;
    QComboBox* across_ = nullptr;
    QComboBox* up_ = nullptr;
    ElidedLabel* note_ = nullptr;
    QToolButton* chart_ = nullptr;
    std::optional<bool> asked_;  ///< for the chart; nothing: where there is room
    QLineEdit* filter_ = nullptr;
    QPushButton* brush_ = nullptr;   ///< how many rows are left
    std::set<std::string> brushed_;  ///< as typedPlan() has them; empty: all
    QWidget* none_ = nullptr;        ///< where the filter leaves no row
    QLabel* noneWords_ = nullptr;
    QPushButton* asB_ = nullptr;
    QPushButton* pin_ = nullptr;
    bool isShowing_ = false;
};

}  // namespace fabricast
