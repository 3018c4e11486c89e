#pragma once
#include "gui/pages/scenario_controls.h"

#include <QWidget>
#include <vector>

namespace fabricast {

class StudySession;

/// This is the question as controls: each shows what is said, or what the forecast takes, and edits
/// one key.
class ScenarioPanel final : public QWidget {
    Q_OBJECT

public:
    explicit ScenarioPanel(StudySession& session, QWidget* parent = nullptr);

    /// The control of a key; nullptr: there is none.
    [[nodiscard]] KeyControl* control(const QString& path) const;

signals:
    /// What becomes of several values of a key is asked.
    void sweepAsked(const QString& path);

private:
    void refresh();
    void showTroubles();
    void connectControl(KeyControl* control);

    StudySession& session_;
    std::vector<KeyControl*> controls_;
};

}  // namespace fabricast
