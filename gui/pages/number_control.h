#pragma once
#include "gui/pages/key_control.h"

#include <cstdint>
#include <vector>

class QSlider;
class QSpinBox;

namespace fabricast {

/// A whole number with a slider over round values, and a box for any other.
class NumberControl final : public KeyControl {
    Q_OBJECT

public:
    /// `stops`: what the slider snaps to, from small to large.
    NumberControl(ControlAbout about, std::vector<int> stops, QWidget* parent = nullptr);

protected:
    void show(const std::optional<QString>& said, const QString& automatic) override;

private:
    void slide(int stop);

    std::vector<int> stops_;
    QSlider* slider_ = nullptr;
    QSpinBox* box_ = nullptr;
};

/// 1, 2, 3, 4, 6, 8, 12, 16, …
std::vector<int> roundStops(int most);
/// `least`, twice that, …
std::vector<int> doublingStops(int least, int most);

}  // namespace fabricast
