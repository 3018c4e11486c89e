#pragma once
#include "gui/pages/key_control.h"

class QLineEdit;

namespace fabricast {

/// A value that is typed; empty leaves it open.
class TextControl final : public KeyControl {
    Q_OBJECT

public:
    TextControl(ControlAbout about, const QString& example, QWidget* parent = nullptr);

protected:
    void show(const std::optional<QString>& said, const QString& automatic) override;

private:
    QLineEdit* line_ = nullptr;
    QString example_;
    QString shown_;
};

}  // namespace fabricast
