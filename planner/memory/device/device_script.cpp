#include "planner/memory/device/device_script.h"

namespace fabricast {

void DeviceScript::begin(std::span<const Storage> known) {
    for (const Storage storage : known) {
        name(storage);
    }
}

void DeviceScript::name(Storage storage) {
    if (storage != kNoStorage) {
        const auto place = static_cast<std::size_t>(storage);
        if (place >= numbers_.size()) {
            numbers_.resize(2 * place + 1, kNoNumber);
        }
        numbers_[place] = static_cast<int>(storages_.size());
    }
    storages_.push_back(storage);
}

int DeviceScript::numberOf(Storage storage) const {
    const auto place = static_cast<std::size_t>(storage);
    return storage != kNoStorage && place < numbers_.size() ? numbers_[place] : kNoNumber;
}

void DeviceScript::add(Do what, Storage storage) {
    const int number = numberOf(storage);
    isWhole_ = isWhole_ && number != kNoNumber;
    steps_.push_back({.what = what, .number = number});
}

void DeviceScript::take(Storage storage, const DeviceEvent& event) {
    name(storage);
    steps_.push_back({.what = Do::Take, .number = numberOf(storage), .event = event});
}

void DeviceScript::pass(const DeviceEvent& event) {
    steps_.push_back({.what = Do::Pass, .event = event});
}

void DeviceScript::visit(std::int64_t tag, Storage storage) {
    const int number = numberOf(storage);
    isWhole_ = isWhole_ && (storage == kNoStorage || number != kNoNumber);
    steps_.push_back({.what = Do::Visit, .number = number, .event = {.bytes = tag}});
}

std::vector<int> DeviceScript::alive(const Device& device) const {
    std::vector<int> numbers;
    for (std::size_t number = 0; number < storages_.size(); ++number) {
        const Storage storage = storages_[number];
        if (numberOf(storage) == static_cast<int>(number) && device.isLive(storage)) {
            numbers.push_back(static_cast<int>(number));
        }
    }
    return numbers;
}

}  // namespace fabricast
