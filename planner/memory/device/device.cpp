#include "planner/memory/device/device.h"

#include "planner/memory/device/device_script.h"

#include <algorithm>
#include <utility>

namespace fabricast {

namespace {

MemoryByKind together(const MemoryByKind& a, const MemoryByKind& b) {
    MemoryByKind sum = a;
    for (std::size_t kind = 0; kind < kMemoryKinds; ++kind) {
        sum.bytes[kind] += b.bytes[kind];
    }
    return sum;
}

}  // namespace

inline void Device::fill(Storage storage, std::int64_t bytes, std::string_view what) {
    Slot& slot = slots_[static_cast<std::size_t>(storage)];
    slot.bytes = bytes;
    now_.bytes[static_cast<std::size_t>(slot.kind)] += Bytes(bytes);
    live_ += bytes;
    rounded_ += inGranules(bytes);
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
    rounded_ -= inGranules(slot.bytes);
    if (slot.bytes > 0) {
        remember({storage, slot.pool, slot.kind, 0, {}});
    }
    slot.bytes = 0;
}

Storage Device::newStorage() {
    if (unused_.empty()) {
        slots_.emplace_back();
        return static_cast<Storage>(slots_.size() - 1);
    }
    const Storage storage = unused_.back();
    unused_.pop_back();
    return storage;
}

Storage Device::take(std::int64_t bytes,
                     MemoryKind kind,
                     std::int16_t pool,
                     std::string_view what) {
    const Storage storage = newStorage();
    slotOf(storage) = {0, kind, 1, pool};
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
    peakRounded_ = std::max(peakRounded_, rounded_ + inGranules(bytes));
    const Storage next = unused_.empty() ? static_cast<Storage>(slots_.size()) : unused_.back();
    remember({next, 0, kind, bytes, operation_});
    remember({next, 0, kind, 0, {}});
}

void Device::count(const ScriptSum& sum) {
    happened_ += sum.events;
    if (live_ + sum.most > peak_) {
        peak_ = live_ + sum.most;
        atPeak_ = together(now_, sum.atMost);
        isPeakMoment_ = true;
    }
    if (live_ + sum.most > markHigh_) {
        markHigh_ = live_ + sum.most;
        sinceMark_ = together(now_, sum.atMost);
        markMoment_ = moment_;
    }
    peakRounded_ = std::max(peakRounded_, rounded_ + sum.mostRounded);
    live_ += sum.left.total().count();
    rounded_ += sum.leftRounded;
    now_ = together(now_, sum.left);
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
