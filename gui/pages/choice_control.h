#pragma once
#include "gui/pages/key_control.h"

#include <vector>

class QComboBox;

namespace fabricast {

/// One of the values of a choice.
struct ControlChoice {
    QString value;  ///< as typed
    QString title;  ///< as shown; empty: the value
    QString help{};
};

/// A choice of names, of which any other may be typed where it is open. The first is "auto" where
/// the forecast may choose.
class ChoiceControl final : public KeyControl {
    Q_OBJECT

public:
    enum class Kind { Closed, Open };

    ChoiceControl(ControlAbout about,
                  const std::vector<ControlChoice>& choices,
                  Kind kind,
                  bool hasAuto,
                  QWidget* parent = nullptr);

    /// They stay in the list, greyed.
    void limit(int most, const QString& why) override;

protected:
    void show(const std::optional<QString>& said, const QString& automatic) override;

private:
    void say();

    QComboBox* box_ = nullptr;
    bool hasAuto_ = false;
    QString shown_;
};

}  // namespace fabricast
