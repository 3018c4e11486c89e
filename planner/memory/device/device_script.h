#pragma once
#include "planner/memory/device/device.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace fabricast {

/// What a script adds to what is alive on a device: at most, and when it is done.
struct ScriptSum {
    std::int64_t most = 0;
    MemoryByKind atMost;
    std::int64_t mostRounded = 0;
    MemoryByKind left;
    std::int64_t leftRounded = 0;
    std::int64_t events = 0;
};

/// What was done to a device once, to be done again with other storages: those that were there
/// before are its first, those that it takes have the next numbers.
///     DeviceScript script;
///     script.begin({{input}});
///     device.record(&script);
///     ...
///     device.record(nullptr);
///     std::vector<Storage> storages{otherInput};
///     script.play(device, storages, [](std::int64_t tag, Storage storage) { … });
class DeviceScript {
public:
    static constexpr int kNoNumber = -1;

    void begin(const Device& device, std::span<const Storage> known);
    /// `operation` runs at the end.
    void end(std::string_view operation) { last_ = operation; }
    void take(Storage storage, const DeviceEvent& event);
    void pass(const DeviceEvent& event);
    void retain(Storage storage) { add(Do::Retain, storage); }
    void release(Storage storage) { add(Do::Release, storage); }
    /// Somebody else does something with a storage here, or with none; `tag` says what.
    void visit(std::int64_t tag, Storage storage);

    /// Whether it touched nothing but what it knew and what it took.
    [[nodiscard]] bool isWhole() const { return isWhole_; }
    void spoil() { isWhole_ = false; }
    /// The number of a storage, by its last meaning; kNoNumber of none.
    [[nodiscard]] int numberOf(Storage storage) const;
    /// How many have a number.
    [[nodiscard]] std::size_t storages() const { return storages_.size(); }
    /// Numbers of what is alive on the device now.
    [[nodiscard]] std::vector<int> alive(const Device& device) const;
    /// `storages` has those that were there before, and gets those that are taken.
    template <class Visitor>
    void play(Device& device, std::vector<Storage>& storages, const Visitor& visit) {
        storages.reserve(storages_.size());
        if (hasSameSum(device, storages)) {
            playSum(device, storages);
            return;
        }
        for (const Step& step : steps_) {
            const DeviceEvent& event = step.event;
            const auto storage = [&] { return storages[static_cast<std::size_t>(step.number)]; };
            switch (step.what) {
                case Do::Take:
                    storages.push_back(
                        device.take(event.bytes, event.kind, event.pool, event.what));
                    break;
                case Do::Pass:
                    device.running(event.what);
                    device.pass(event.bytes, event.kind);
                    break;
                case Do::Retain:
                    device.retain(storage());
                    break;
                case Do::Release:
                    device.release(storage());
                    break;
                case Do::Visit:
                    visit(event.bytes, step.number == kNoNumber ? kNoStorage : storage());
                    break;
            }
        }
        device.running(last_);
    }

private:
    enum class Do : std::uint8_t { Take, Pass, Retain, Release, Visit };
    struct Step {
        Do what = Do::Take;
        int number = kNoNumber;
        DeviceEvent event{};
    };
    /// A storage that was there before.
    struct Known {
        Device::Slot before;
        int fewest = 0;  ///< references that it has from then on
        int change = 0;  ///< of references, at the end
    };
    /// One that is taken and stays.
    struct Left {
        int number = kNoNumber;
        Device::Slot slot;
    };
    void add(Do what, Storage storage);
    void name(Storage storage);
    void sumUp();
    [[nodiscard]] bool hasSameSum(const Device& device, const std::vector<Storage>& storages);
    void playSum(Device& device, std::vector<Storage>& storages) const;

    std::vector<Step> steps_;
    std::vector<Storage> storages_;  ///< by number
    std::vector<int> numbers_;       ///< by storage
    std::vector<Known> known_;       ///< by number
    std::vector<Left> left_;
    ScriptSum sum_;
    std::string_view last_;
    bool isWhole_ = true;
    bool isVisited_ = false;
    bool isSummed_ = false;  ///< once it was played
};

}  // namespace fabricast
