#include "planner/memory/device/device.h"

#include "planner/memory/device/device_script.h"

#include <algorithm>
#include <utility>

namespace fabricast {

namespace {
/// The caching allocator hands out multiples of this many bytes.
constexpr std::int64_t kGranule = 512;

std::int64_t granules(std::int64_t bytes) {
    return (bytes + kGranule - 1) / kGranule * kGranule;
}
}  // namespace

inline void Device::fill(Storage storage, std::int64_t bytes, std::string_view what) {
    Slot& slot = slots_[static_cast<std::size_t>(storage)];
    slot.bytes = bytes;
    now_.bytes[static_cast<std::size_t>(slot.kind)] += Bytes(bytes);
    live_ += bytes;
    rounded_ += granules(bytes);
    if (bytes > 0) {
        remember({storage, slot.pool, slot.kind, bytes, what.empty() ? operation_ : what});
    }
    if (live_ > peak_) {
        peak_ = live_;
        atPeak_ = now_;
        isPeakMoment_ = true;
        peakEvent_ = events_.size();
    }
    peakRounded_ = std::max(peakRounded_, rounded_);
    if (live_ > markHigh_) {
        mark();
    }
}

void Device::mark() {
    markHigh_ = live_;
    sinceMark_ = now_;
    markMoment_ = moment_;
}

inline void Device::drain(Storage storage) {
    Slot& slot = slots_[static_cast<std::size_t>(storage)];
    now_.bytes[static_cast<std::size_t>(slot.kind)] -= Bytes(slot.bytes);
    live_ -= slot.bytes;
    rounded_ -= granules(slot.bytes);
    if (slot.bytes > 0) {
        remember({storage, slot.pool, slot.kind, 0, {}});
    }
    slot.bytes = 0;
}

Storage Device::take(std::int64_t bytes,
                     MemoryKind kind,
                     std::int16_t pool,
                     std::string_view what) {
    Storage storage = kNoStorage;
    if (unused_.empty()) {
        storage = static_cast<Storage>(slots_.size());
        slots_.emplace_back();
    } else {
        storage = unused_.back();
        unused_.pop_back();
    }
    slots_[static_cast<std::size_t>(storage)] = {0, kind, 1, pool};
    fill(storage, bytes, what);
    if (script_ != nullptr) {
        script_->take(storage, {storage, pool, kind, bytes, what.empty() ? operation_ : what});
    }
    return storage;
}

void Device::pass(std::int64_t bytes, MemoryKind kind) {
    if (bytes <= 0) {
        return;
    }
    DeviceScript* const script = pauseRecord();
    if (script != nullptr) {
        script->pass({kNoStorage, 0, kind, bytes, operation_});
    }
    passOn(bytes, kind);
    resumeRecord(script);
}

/// As little as a look at what is alive where it makes no moment the fullest: the storage would
/// have the next number, and leave it.
void Device::passOn(std::int64_t bytes, MemoryKind kind) {
    if (live_ + bytes > std::min(peak_, markHigh_)) {
        release(take(bytes, kind));
        return;
    }
    peakRounded_ = std::max(peakRounded_, rounded_ + granules(bytes));
    const Storage next = unused_.empty() ? static_cast<Storage>(slots_.size()) : unused_.back();
    remember({next, 0, kind, bytes, operation_});
    remember({next, 0, kind, 0, {}});
}

void Device::record(DeviceScript* script) {
    if (script_ != nullptr) {
        script_->end(operation_);
    }
    script_ = script;
}

/// A script has no word for what is done now.
void Device::spoilScript() {
    if (script_ != nullptr) {
        script_->spoil();
    }
}

void Device::writeRetain(Storage storage) {
    script_->retain(storage);
}

void Device::resize(Storage storage, std::int64_t bytes) {
    spoilScript();
    drain(storage);
    fill(storage, bytes, {});
}

void Device::release(Storage storage) {
    if (script_ != nullptr) {
        script_->release(storage);
    }
    if (--slots_[static_cast<std::size_t>(storage)].references == 0) {
        drain(storage);
        unused_.push_back(storage);
    }
}

void Device::rename(Storage storage, MemoryKind kind) {
    spoilScript();
    Slot& slot = slots_[static_cast<std::size_t>(storage)];
    now_.bytes[static_cast<std::size_t>(slot.kind)] -= Bytes(slot.bytes);
    now_.bytes[static_cast<std::size_t>(kind)] += Bytes(slot.bytes);
    slot.kind = kind;
    remember({storage, slot.pool, kind, kRenamed, {}});
}

void Device::resetPeak() {
    peak_ = live_;
    peakRounded_ = rounded_;
    atPeak_ = now_;
    isPeakMoment_ = true;
    peakEvent_ = events_.size();
}

}  // namespace fabricast
