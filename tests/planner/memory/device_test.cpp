#include "planner/memory/device/device.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

/// What comes and goes at once may be the peak, and is asked of the allocator; no bytes are not.
TEST(Device, PassesOnWhatItTakes) {
    Device device;
    const Storage held = device.take(1024, MemoryKind::Activations);
    device.pass(0, MemoryKind::Workspace);
    EXPECT_EQ(device.happened(), 1);
    EXPECT_EQ(device.peak(), 1024);
    device.pass(512, MemoryKind::Workspace);
    EXPECT_EQ(device.happened(), 3);
    EXPECT_EQ(device.live(), 1024);
    EXPECT_EQ(device.peak(), 1536);
    EXPECT_EQ(device.atPeak().of(MemoryKind::Workspace), Bytes(512));
    device.release(held);
    EXPECT_EQ(device.live(), 0);
}

/// Where it makes no moment the fullest, too: the same bytes, events and storages.
TEST(Device, PassesOnAsIfItTookAndReleased) {
    Device passing;
    Device taking;
    for (const std::int64_t bytes : {700, 100, 900, 300, 1500}) {
        for (Device* device : {&passing, &taking}) {
            device->at("with " + std::to_string(bytes));
            device->running("op");
            const Storage held = device->take(1000, MemoryKind::Activations);
            if (device == &passing) {
                device->pass(bytes, MemoryKind::Workspace);
            } else {
                device->release(device->take(bytes, MemoryKind::Workspace));
            }
            device->release(held);
        }
    }
    EXPECT_EQ(passing.peak(), taking.peak());
    EXPECT_EQ(passing.peakRounded(), taking.peakRounded());
    EXPECT_EQ(passing.peakMoment(), "with 1500");
    EXPECT_EQ(taking.peakMoment(), "with 1500");
    EXPECT_EQ(passing.peakEvent(), taking.peakEvent());
    EXPECT_EQ(passing.happened(), taking.happened());
    ASSERT_EQ(passing.events().size(), taking.events().size());
    for (std::size_t at = 0; at < taking.events().size(); ++at) {
        EXPECT_EQ(passing.events()[at].storage, taking.events()[at].storage);
        EXPECT_EQ(passing.events()[at].bytes, taking.events()[at].bytes);
        EXPECT_EQ(passing.events()[at].what, taking.events()[at].what);
    }
}

/// The moment of the peak stays what it was called, whatever comes after.
TEST(Device, NamesTheMomentOfItsPeak) {
    Device device;
    device.at("first");
    const Storage held = device.take(1024, MemoryKind::Activations);
    EXPECT_EQ(device.peakMoment(), "first");
    device.at("second");
    EXPECT_EQ(device.peakMoment(), "first");
    device.release(held);
    device.at("third");
    device.take(2048, MemoryKind::Activations);
    device.at("fourth");
    EXPECT_EQ(device.peakMoment(), "third");
}

}  // namespace
}  // namespace fabricast
