#include "gui/pages/number_control.h"

#include <QLineEdit>
#include <QLocale>
#include <QSignalBlocker>
#include <QSlider>
#include <QSpinBox>
#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace fabricast {
namespace {

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
    box_->setRange(1, std::numeric_limits<int>::max());
    box_->setGroupSeparatorShown(true);
    box_->setLocale(QLocale(QLocale::English, QLocale::UnitedStates));
    box_->setKeyboardTracking(false);
    box_->setAlignment(Qt::AlignRight);
    box_->setFixedWidth(112);  // for 100 millions, in bold
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
    const QString text = said.value_or(automatic);
    const qint64 factor = text.endsWith('k') ? 1024 : 1;
    const qint64 value = QString(text).remove('k').remove(',').toLongLong() * factor;
    const bool isHeld = value > 0 && value <= box_->maximum();
    box_->findChild<QLineEdit*>()->setPlaceholderText(isHeld ? QString() : text);
    if (!isHeld) {
        box_->clear();
        return;
    }
    box_->setValue(static_cast<int>(value));
    const auto above = std::ranges::upper_bound(stops_, static_cast<int>(value));
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
