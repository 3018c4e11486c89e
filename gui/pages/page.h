#pragma once
#include "planner/report/table.h"

#include <QTimer>
#include <QWidget>
#include <functional>
#include <optional>
#include <string>
#include <vector>

class QLabel;
class QPushButton;
class QStackedLayout;
class QVBoxLayout;

namespace fabricast {

class PlotWidget;
class StudySession;

/// This is one way to look at the answer. A page is filled while it is seen: those behind it wait.
/// Where there is nothing to show yet, it says why instead of its body.
class Page : public QWidget {
    Q_OBJECT

public:
    Page(StudySession& session, const QString& name, QWidget* parent = nullptr);

    [[nodiscard]] QString name() const;
    /// Whether it still waits for an answer of its own.
    [[nodiscard]] virtual bool isWaiting() const { return false; }
    /// What it says instead of its body; empty while that is shown.
    [[nodiscard]] QString message() const;

    /// The first chart that it shows now, to export it or to read it as a table; may be null.
    [[nodiscard]] PlotWidget* chart() const;

    /// Those that are always there, and what they do is said on them.
    [[nodiscard]] std::vector<QPushButton*> buttons() const;

    /// The table that has the keyboard, or else the first one, as it is shown; of a page without
    /// one that of its chart.
    [[nodiscard]] std::optional<Table> table() const;

signals:
    /// The formula of a number is wanted.
    void whyAsked(const QString& key);

protected:
    [[nodiscard]] StudySession& session() const { return session_; }
    [[nodiscard]] QVBoxLayout* body() const { return body_; }
    /// A line of words above the body, empty for now.
    QLabel* addHeadline(const QString& name);
    QLabel* addTitle(const QString& words);
    /// Above the body where A does not fit: that its other numbers are of a run that cannot be.
    void addFitWarning();
    /// A chart with its text alternative, in the page's colours.
    void addChart(PlotWidget* chart, const QString& name);
    /// A table, or a list: the height that is left is shared with the charts.
    void addSharing(QWidget* part);
    virtual void refresh() = 0;
    void refreshSoon();
    void say(const QString& words);
    /// With a button below the words that does what they ask for.
    void offer(const QString& words, const QString& action, std::function<void()> act);
    void showBody();
    /// Whether the body is of another question than the one that is asked now.
    [[nodiscard]] virtual bool isStale() const;
    /// Greys the body where it has been stale for longer than a blink.
    void showStaleness();
    /// Says why where there is no layout to look at yet; else true.
    bool hasLayout();

    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    struct NamedChart {
        PlotWidget* chart = nullptr;
        QString title;  ///< for screen readers
    };

    void dressCharts();
    void grey(bool greyed);

    StudySession& session_;
    QStackedLayout* stack_ = nullptr;
    QLabel* message_ = nullptr;
    QLabel* unfit_ = nullptr;        ///< of pages that do not say it themselves
    QPushButton* action_ = nullptr;  ///< below the message
    std::function<void()> act_;
    QWidget* inside_ = nullptr;
    QVBoxLayout* body_ = nullptr;
    std::vector<NamedChart> charts_;
    bool isDue_ = true;
    bool isGreyed_ = false;
    bool isClosed_ = false;  ///< nothing more comes below what is in the body
    QTimer blink_;
};

}  // namespace fabricast
