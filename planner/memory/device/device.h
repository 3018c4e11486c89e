#pragma once
#include "planner/result/memory_breakdown.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {

class DeviceScript;
struct ScriptSum;

/// A storage on the modelled device; valid until its last reference is released.
using Storage = int;
inline constexpr Storage kNoStorage = -1;

inline constexpr std::int64_t kRenamed = -1;

/// The caching allocator hands out multiples of 512 bytes.
constexpr std::int64_t inGranules(std::int64_t bytes) {
    constexpr std::int64_t kGranule = 512;
    return (bytes + kGranule - 1) / kGranule * kGranule;
}

/// One allocation or release, in order: what the caching allocator is asked for.
struct DeviceEvent {
    Storage storage = kNoStorage;
    std::int16_t pool = 0;  ///< the stream it belongs to
    MemoryKind kind = MemoryKind::Activations;
    std::int64_t bytes = 0;  ///< 0: release; kRenamed: only its kind changes
    std::string_view what;   ///< the operation or buffer it belongs to
};

/// This is a device that computes nothing: it counts the bytes alive, and remembers the fullest
/// moment, what it was made of and what was running.
///     const Storage x = device.take(4096, MemoryKind::Activations);
///     device.release(x);
class Device {
public:
    Storage take(std::int64_t bytes,
                 MemoryKind kind,
                 std::int16_t pool = 0,
                 std::string_view what = {});
    /// Takes bytes and gives them back at once; nothing happens where there are none.
    void pass(std::int64_t bytes, MemoryKind kind);
    /// Names the operation that runs: storages made without a name of their own are reported as
    /// its.
    void running(std::string_view operation) { operation_ = operation; }
    /// Gives a storage's bytes back, or other ones to it: it stays the same storage.
    void resize(Storage storage, std::int64_t bytes);
    void retain(Storage storage) {
        ++slots_[static_cast<std::size_t>(storage)].references;
        if (script_ != nullptr) {
            writeRetain(storage);
        }
    }
    void release(Storage storage);
    [[nodiscard]] bool isLive(Storage storage) const {
        return slots_[static_cast<std::size_t>(storage)].references > 0;
    }
    [[nodiscard]] bool isShared(Storage storage) const {
        return slots_[static_cast<std::size_t>(storage)].references > 1;
    }
    [[nodiscard]] std::int64_t bytes(Storage storage) const {
        return slots_[static_cast<std::size_t>(storage)].bytes;
    }
    /// What a live storage is reported as from now on.
    void rename(Storage storage, MemoryKind kind);
    /// Names the moment, and what it is of; what follows happens in it.
    void at(std::string_view moment, std::string_view of = {}) {
        if (isPeakMoment_) {
            std::swap(peakMoment_, moment_);
            isPeakMoment_ = false;
        }
        moment_.assign(moment).append(of);
    }

    [[nodiscard]] std::int64_t live() const { return live_; }
    [[nodiscard]] std::int64_t peak() const { return peak_; }
    [[nodiscard]] std::int64_t peakRounded() const { return peakRounded_; }
    [[nodiscard]] const MemoryByKind& atPeak() const { return atPeak_; }
    [[nodiscard]] const std::string& peakMoment() const {
        return isPeakMoment_ ? moment_ : peakMoment_;
    }
    [[nodiscard]] const MemoryByKind& now() const { return now_; }
    /// Whether allocations and releases are remembered one by one.
    void keepEvents(bool keep) { keepsEvents_ = keep; }
    /// Makes room for so many of them.
    void expectEvents(std::size_t events) { events_.reserve(keepsEvents_ ? events : 0); }
    /// Forgets the peak so far: what was live stays.
    void resetPeak();
    /// From here on the fullest moment is also remembered apart from the peak, until the next mark.
    void mark();
    [[nodiscard]] const MemoryByKind& sinceMark() const { return sinceMark_; }
    [[nodiscard]] const std::string& markMoment() const { return markMoment_; }
    /// What is done from here on is written down too, until another call; nullptr: nowhere.
    void record(DeviceScript* script);
    /// For a while nowhere; `resumeRecord` takes what this returns.
    [[nodiscard]] DeviceScript* pauseRecord() { return std::exchange(script_, nullptr); }
    void resumeRecord(DeviceScript* script) { script_ = script; }
    [[nodiscard]] const std::vector<DeviceEvent>& events() const { return events_; }
    /// How many there were, remembered or not.
    [[nodiscard]] std::int64_t happened() const { return happened_; }
    /// How many events had happened when the peak was reached.
    [[nodiscard]] std::size_t peakEvent() const { return peakEvent_; }

private:
    friend class DeviceScript;
    struct Slot {
        std::int64_t bytes = 0;
        MemoryKind kind = MemoryKind::Activations;
        int references = 0;
        std::int16_t pool = 0;
    };
    [[nodiscard]] Slot& slotOf(Storage storage) {
        return slots_[static_cast<std::size_t>(storage)];
    }
    [[nodiscard]] const Slot& slotOf(Storage storage) const {
        return slots_[static_cast<std::size_t>(storage)];
    }
    Storage newStorage();
    void fill(Storage storage, std::int64_t bytes, std::string_view what);
    void drain(Storage storage);
    void passOn(std::int64_t bytes, MemoryKind kind);
    void count(const ScriptSum& sum);
    void writeRetain(Storage storage);
    void spoilScript();
    void remember(const DeviceEvent& event) {
        ++happened_;
        if (keepsEvents_) {
            events_.push_back(event);
        }
    }

    std::vector<Slot> slots_;
    std::vector<Storage> unused_;
    std::vector<DeviceEvent> events_;
    MemoryByKind now_;
    MemoryByKind atPeak_;
    std::string moment_;
    std::string peakMoment_;     ///< if it is another one
    bool isPeakMoment_ = false;  ///< the peak was reached in this moment
    std::string_view operation_;
    DeviceScript* script_ = nullptr;
    bool keepsEvents_ = true;
    std::int64_t happened_ = 0;
    std::size_t peakEvent_ = 0;
    std::int64_t live_ = 0;
    std::int64_t rounded_ = 0;
    std::int64_t peak_ = 0;
    std::int64_t peakRounded_ = 0;
    std::int64_t markHigh_ = std::numeric_limits<std::int64_t>::max();  ///< until the first mark
    MemoryByKind sinceMark_;
    std::string markMoment_;
};

}  // namespace fabricast
