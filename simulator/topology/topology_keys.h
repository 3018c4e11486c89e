#pragma once
#include "simulator/network/topology.h"

#include <array>
#include <string_view>

namespace fabricast {

// The words of a topology's JSON, for what writes it and what reads it.

/// The list of a node's or the fabric's devices, in the order of DeviceKind.
constexpr std::array<std::string_view, kDeviceKinds> kDeviceKeys = {
    "gpu", "nvswitch", "pci", "root", "cpu", "nic", "leaf", "spine", "core", "wan"};

/// Between the names of a link's ends: "node0/nic0 - leaf0".
constexpr std::string_view kLinkBetween = " - ";

}  // namespace fabricast
