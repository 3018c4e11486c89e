#include "planner/memory/walk/segment_walk.h"

#include <algorithm>

namespace fabricast {

namespace {

/// The frame with other names for its storages.
template <class Renamed>
Frame renamed(const Frame& frame, const Renamed& nameOf) {
    Frame other = frame;
    for (std::vector<Storage>* const list : {&other.storage, &other.casts, &other.untilFreed}) {
        std::ranges::transform(*list, list->begin(), nameOf);
    }
    for (std::vector<Storage>& block : other.held) {
        std::ranges::transform(block, block.begin(), nameOf);
    }
    return other;
}

Storage playedStorage(const Frame& frame, int number) {
    return number == DeviceScript::kNoNumber ? kNoStorage
                                             : frame.played[static_cast<std::size_t>(number)];
}

/// One bit for each that is there.
unsigned whichOf(const std::vector<Storage>& given) {
    unsigned which = 1;
    for (const Storage storage : given) {
        which = 2 * which + (storage != kNoStorage ? 1U : 0U);
    }
    return which;
}

/// What a backward does depends on: one bit for each.
unsigned kindOf(const SecondForward* second, bool isShared) {
    const unsigned again =
        second == nullptr ? 0U : 1U + (second->whole ? 2U : 0U) + (second->dropsInput ? 4U : 0U);
    return 2 * again + (isShared ? 1U : 0U);
}

}  // namespace

Storage outputOf(const OpList& ops, const Frame& frame) {
    const std::size_t base = index(ops.tensor(ops.output).base);
    return frame.recorded == nullptr ? frame.storage[base]
                                     : playedStorage(frame, frame.recorded->frame.storage[base]);
}

void Frame::fillIn() {
    if (recorded != nullptr) {
        *this =
            renamed(recorded->frame, [this](int number) { return playedStorage(*this, number); });
    }
}

void SegmentWalk::play(DeviceScript& script,
                       const SegmentPlace& place,
                       std::vector<Storage>& storages) {
    script.play(device_, storages, [this, &place](std::int64_t tag, Storage storage) {
        assignAttribute(place, tag, storage);
    });
}

/// Nothing that outlives a pass, but for modules' variables, has a part in what such a segment
/// does.
bool SegmentWalk::isRecorded(const OpList& list) {
    if (!isAlike_ || casts_ != nullptr || hostSaves_ != nullptr) {
        return false;
    }
    const auto [known, isNew] = isRecorded_.try_emplace(&list);
    if (isNew) {
        known->second = std::ranges::none_of(list.blocks, &RecomputeBlock::keepsGraph) &&
                        std::ranges::none_of(list.weights, &WeightUse::tied);
    }
    return known->second;
}

Frame SegmentWalk::forward(const SegmentPlace& place,
                           const std::vector<Storage>& given,
                           Keep keep) {
    if (!isRecorded(*place.ops)) {
        return runForward(place, given, keep);
    }
    const auto [known, isNew] = recorded_.try_emplace({place.ops, keep, kind_, whichOf(given)});
    RecordedPass& pass = known->second;
    if (isNew) {
        return recordForward(place, given, keep, pass);
    }
    if (!pass.isUsable) {
        return runForward(place, given, keep);
    }
    Frame frame;
    frame.recorded = &pass;
    frame.played.reserve(pass.script.storages());
    frame.played.assign(given.begin(), given.end());
    play(pass.script, place, frame.played);
    for (const Storage number : pass.frame.untilFreed) {
        frame.untilFreed.push_back(playedStorage(frame, number));
    }
    return frame;
}

Frame SegmentWalk::recordForward(const SegmentPlace& place,
                                 const std::vector<Storage>& given,
                                 Keep keep,
                                 RecordedPass& pass) {
    const std::size_t owed = this->owed();
    pass.script.begin(device_, given);
    device_.record(&pass.script);
    Frame frame = runForward(place, given, keep);
    device_.record(nullptr);
    pass.isUsable = pass.script.isWhole() && this->owed() == owed;
    pass.alive = pass.script.alive(device_);
    pass.frame = renamed(frame, [&pass](Storage storage) { return pass.script.numberOf(storage); });
    return frame;
}

Storage SegmentWalk::backward(const SegmentPlace& place,
                              Frame& frame,
                              Storage outputGradient,
                              const SecondForward* second) {
    RecordedPass* const pass = frame.recorded;
    if (pass == nullptr || outputGradient == kNoStorage) {
        return runBackward(place, frame, outputGradient, second);
    }
    std::vector<Storage> storages;
    storages.reserve(pass->alive.size() + 1);
    bool isOwn = false;  // the gradient lies where the forward left something
    for (const int number : pass->alive) {
        storages.push_back(playedStorage(frame, number));
        isOwn = isOwn || storages.back() == outputGradient;
    }
    if (isOwn) {
        return runBackward(place, frame, outputGradient, second);
    }
    storages.push_back(outputGradient);
    const unsigned kind = kindOf(second, device_.isShared(outputGradient));
    const auto [known, isNew] = pass->backwards.try_emplace(kind);
    RecordedBackward& recorded = known->second;
    if (!isNew && recorded.isUsable) {
        play(recorded.script, place, storages);
        return recorded.result == DeviceScript::kNoNumber
                   ? kNoStorage
                   : storages[static_cast<std::size_t>(recorded.result)];
    }
    if (!isNew) {
        return runBackward(place, frame, outputGradient, second);
    }
    const std::size_t owed = this->owed();
    recorded.script.begin(device_, storages);
    device_.record(&recorded.script);
    const Storage made = runBackward(place, frame, outputGradient, second);
    device_.record(nullptr);
    recorded.result = recorded.script.numberOf(made);
    recorded.isUsable = recorded.script.isWhole() && this->owed() == owed;
    return made;
}

}  // namespace fabricast
