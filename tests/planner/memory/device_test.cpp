#include "planner/memory/device/device.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace fabricast
