#include "gui/pages/number_control.h"

#include <QLocale>
#include <QSignalBlocker>
#include <QSlider>
#include <QSpinBox>
#include <algorithm>
#include <utility>

namespace fabricast {
namespace {

constexpr int kLargest = 16'777'216;

class QuietSlider final : public QSlider {
public:
    QuietSlider() : QSlider(Qt::Horizontal) {}

protected:
    void wheelEvent(QWheelEvent* event) override { QWidget::wheelEvent(event); }
};

class QuietSpinBox final : public QSpinBox {
protected:
    void wheelEvent(QWheelEvent* event) override { QWidget::wheelEvent(event); }
};

}  // namespace

NumberControl::NumberControl(ControlAbout about, std::vector<int> stops, QWidget* parent)
    : KeyControl(std::move(about), parent),
      stops_(std::move(stops)),
      slider_(new QuietSlider),
      box_(new QuietSpinBox) {
    slider_->setObjectName("slider." + this->about().path);
    slider_->setRange(0, static_cast<int>(stops_.size()) - 1);
    slider_->setPageStep(2);
    box_->setObjectName("number." + this->about().path);
    box_->setRange(1, kLargest);
    box_->setGroupSeparatorShown(true);
    box_->setLocale(QLocale(QLocale::English, QLocale::UnitedStates));
    box_->setKeyboardTracking(false);
    box_->setAlignment(Qt::AlignRight);
    box_->setFixedWidth(102);  // for millions, in bold
    addControl(box_);
    addWide(slider_);
    connect(slider_, &QSlider::valueChanged, this, &NumberControl::slide);
    connect(slider_, &QSlider::sliderReleased, this, &KeyControl::released);
    connect(box_, &QSpinBox::editingFinished, this, &NumberControl::settle);
    connect(box_, &QSpinBox::valueChanged, this, [this](int value) {
        settle();
        emit edited(QString::number(value), false);
    });
}

void NumberControl::slide(int stop) {
    const int value = stops_[static_cast<std::size_t>(stop)];
    const QSignalBlocker quiet(box_);
    box_->setValue(value);
    emit edited(QString::number(value), true);
}

void NumberControl::show(const std::optional<QString>& said, const QString& automatic) {
    const QSignalBlocker quietBox(box_);
    const QSignalBlocker quietSlider(slider_);
    QString text = said.value_or(automatic);
    const int factor = text.endsWith('k') ? 1024 : 1;
    text.remove('k').remove(',');
    const int value = text.toInt() * factor;
    if (value <= 0) {  // not known
        box_->clear();
        return;
    }
    box_->setValue(value);
    const auto above = std::ranges::upper_bound(stops_, value);
    slider_->setValue(std::max(0, static_cast<int>(above - stops_.begin()) - 1));
}

std::vector<int> roundStops(int most) {
    std::vector<int> stops{1};
    for (int power = 2; power <= most; power *= 2) {
        stops.push_back(power);
        if (power + power / 2 <= most) {
            stops.push_back(power + power / 2);
        }
    }
    return stops;
}

std::vector<int> doublingStops(int least, int most) {
    std::vector<int> stops;
    for (int stop = least; stop <= most; stop *= 2) {
        stops.push_back(stop);
    }
    return stops;
}

}  // namespace fabricast
