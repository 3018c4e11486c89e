#pragma once
#include <QString>
#include <QStringList>
#include <QWidget>
#include <optional>

class QHBoxLayout;
class QLabel;
class QMenu;
class QToolButton;

namespace fabricast {

/// What a control of the scenario is about.
struct ControlAbout {
    QString path;             ///< the key that it sets: "cluster.nodes"
    QString origin;           ///< the flag that types it: "-n"
    QString title;            ///< "Nodes"
    QString help;             ///< for somebody who has never heard of it
    bool isRequired = false;  ///< nothing is taken for it where it is not said
};

/// This is one control of the scenario: a title, what is said, and what is wrong with it. It shows
/// the question and says what to change; the question itself changes elsewhere. What is half typed
/// is not written over. A button and Ctrl+Backspace take back what is said.
class KeyControl : public QWidget {
    Q_OBJECT

public:
    explicit KeyControl(ControlAbout about, QWidget* parent = nullptr);

    [[nodiscard]] const ControlAbout& about() const { return about_; }
    /// What the question says, as typed; nothing where it is left to the forecast, which then takes
    /// `automatic`.
    void showValue(const std::optional<QString>& said, const QString& automatic);
    /// Leaves it to the forecast, or to the profile, again.
    void reset();
    void setTrouble(const QString& why);
    /// Numbers above this cannot be; `why` is said of each.
    virtual void limit(int most, const QString& why);
    [[nodiscard]] QString trouble() const;

signals:
    /// A new value as typed, "null" to leave it open. `dragging`: more will follow.
    void edited(const QString& value, bool dragging);
    void released();
    /// What becomes of several values is asked.
    void sweepAsked();

protected:
    virtual void show(const std::optional<QString>& said, const QString& automatic) = 0;
    void contextMenuEvent(QContextMenuEvent* event) override;
    /// A field's own menu has what the control's has below it.
    bool eventFilter(QObject* watched, QEvent* event) override;
    /// The first one has the focus, and is bold while its value is held.
    void addControl(QWidget* control);
    void addWide(QWidget* control);
    /// Nothing of what is typed is left to be said.
    void settle();

private:
    void addReset();
    void addEntries(QMenu& menu);
    [[nodiscard]] bool isTyping() const;

    ControlAbout about_;
    bool isSaid_ = false;
    QToolButton* reset_ = nullptr;
    QHBoxLayout* row_ = nullptr;
    QLabel* title_ = nullptr;
    QLabel* trouble_ = nullptr;
};

}  // namespace fabricast
