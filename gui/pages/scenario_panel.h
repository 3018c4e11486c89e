#pragma once
#include "gui/pages/scenario_controls.h"
#include "study/question.h"

#include <QWidget>
#include <optional>
#include <string>
#include <vector>

class QScrollArea;

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
    [[nodiscard]] const std::vector<KeyControl*>& controls() const { return controls_; }
    /// Where there is one it is seen, and has the keys.
    void focusControl(const QString& path);

signals:
    /// What becomes of several values of a key is asked.
    void sweepAsked(const QString& path);

private:
    void refresh();
    /// No more parts than there are GPUs.
    void limitDegrees();
    void showTroubles();
    void connectControl(KeyControl* control);
    /// A rank that goes with the adapters comes back with them.
    void keepRank(std::vector<Edit>& edits);

    StudySession& session_;
    QScrollArea* scroll_ = nullptr;
    std::vector<KeyControl*> controls_;
    std::optional<std::string> rank_;  ///< that went with the adapters
};

}  // namespace fabricast
