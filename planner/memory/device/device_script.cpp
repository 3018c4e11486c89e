#include "planner/memory/device/device_script.h"

#include <algorithm>

namespace fabricast {

void DeviceScript::begin(const Device& device, std::span<const Storage> known) {
    for (const Storage storage : known) {
        name(storage);
        Known& held = known_.emplace_back();
        if (storage != kNoStorage) {
            held.before = device.slotOf(storage);
            held.fewest = held.before.references;
        }
    }
}

void DeviceScript::sumUp() {
    isSummed_ = true;
    std::int64_t live = 0;
    const auto change = [&](const Device::Slot& slot, std::int64_t times) {
        sum_.left.bytes[static_cast<std::size_t>(slot.kind)] += Bytes(times * slot.bytes);
        sum_.leftRounded += times * inGranules(slot.bytes);
        live += times * slot.bytes;
        sum_.events += slot.bytes > 0 ? 1 : 0;
        if (live > sum_.most) {
            sum_.most = live;
            sum_.atMost = sum_.left;
        }
        sum_.mostRounded = std::max(sum_.mostRounded, sum_.leftRounded);
    };
    std::vector<Device::Slot> slots;
    for (const Known& known : known_) {
        slots.push_back(known.before);
    }
    for (const Step& step : steps_) {
        const DeviceEvent& event = step.event;
        const Device::Slot taken{event.bytes, event.kind, 1, event.pool};
        const auto number = static_cast<std::size_t>(step.number);
        if (step.what == Do::Take) {
            slots.push_back(taken);
            change(taken, 1);
        } else if (step.what == Do::Pass) {
            change(taken, 1);
            change(taken, -1);
        } else if (step.what == Do::Retain) {
            ++slots[number].references;
        } else if (--slots[number].references == 0) {
            change(slots[number], -1);
        }
        if (number < known_.size()) {
            known_[number].fewest = std::min(known_[number].fewest, slots[number].references);
        }
    }
    for (std::size_t number = 0; number < slots.size(); ++number) {
        if (number < known_.size()) {
            known_[number].change = slots[number].references - known_[number].before.references;
        } else if (slots[number].references > 0) {
            left_.push_back({static_cast<int>(number), slots[number]});
        }
    }
}

/// Whether nobody asks what happens on the way, and it lets go of the same bytes of what was there
/// before. What others do where they are visited is not known.
bool DeviceScript::hasSameSum(const Device& device, const std::vector<Storage>& storages) {
    if (device.keepsEvents_ || device.script_ != nullptr || isVisited_ || !isWhole_) {
        return false;
    }
    if (!isSummed_) {
        sumUp();
    }
    for (std::size_t number = 0; number < known_.size(); ++number) {
        const Storage storage = storages[number];
        const Known& known = known_[number];
        if ((storages_[number] == kNoStorage) != (storage == kNoStorage)) {
            return false;
        }
        if (storage == kNoStorage) {
            continue;
        }
        const Device::Slot& slot = device.slotOf(storage);
        const Device::Slot& before = known.before;
        const int more = slot.references - before.references;
        const bool isSame = more == 0 && slot.bytes == before.bytes && slot.kind == before.kind;
        if (known.fewest == 0 ? !isSame : known.fewest + more <= 0) {
            return false;
        }
    }
    return true;
}

/// What it takes and lets go of again has no storage.
void DeviceScript::playSum(Device& device, std::vector<Storage>& storages) const {
    device.count(sum_);
    device.running(last_);
    for (std::size_t number = 0; number < known_.size(); ++number) {
        if (known_[number].change != 0) {
            Device::Slot& slot = device.slotOf(storages[number]);
            slot.references += known_[number].change;
            if (slot.references == 0) {
                slot.bytes = 0;
                device.unused_.push_back(storages[number]);
            }
        }
    }
    storages.resize(storages_.size(), kNoStorage);
    for (const Left& left : left_) {
        const Storage storage = storages[static_cast<std::size_t>(left.number)] =
            device.newStorage();
        device.slotOf(storage) = left.slot;
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
    isVisited_ = true;
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
