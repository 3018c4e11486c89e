#pragma once
#include "gui/models/suggestions.h"

#include <QTimer>
#include <QWidget>

class QPushButton;

namespace fabricast {

class ElidedLabel;
class StudySession;

/// This says what to do next, and does it: make it fit, make it faster, say what is missing, or
/// look at other hardware.
class NextStep final : public QWidget {
    Q_OBJECT

public:
    explicit NextStep(StudySession& session, QWidget* parent = nullptr);

    /// What its button does; empty where there is none.
    [[nodiscard]] QString button() const { return step_.button; }
    [[nodiscard]] QString words() const { return step_.words; }
    void act();

signals:
    void changed();
    void pageAsked(const QString& page);
    void controlAsked(const QString& path);

private:
    enum class Kind { None, Apply, Control, ShowPage };
    struct Step {
        Kind kind = Kind::None;
        QString words{};
        QString button{};
        QString target{};  ///< a page or a control
        Suggestion suggestion{};
    };

    [[nodiscard]] Step nextStep() const;
    [[nodiscard]] Step stepAfter(const PlanReport& report) const;
    void refresh();
    void sayStale();

    StudySession& session_;
    ElidedLabel* words_ = nullptr;
    QPushButton* button_ = nullptr;
    Step step_;
    QTimer blink_;  ///< a search that takes no longer changes no words
};

}  // namespace fabricast
