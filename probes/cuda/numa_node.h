#pragma once
#include <string>

namespace fabricast::probe {

/// The NUMA node that a PCI device is next to, as sysfs (`root` is "/sys") has it; negative where
/// it is not known. CUDA writes bus addresses with capitals, the kernel without.
int numaNodeOf(const std::string& root, const std::string& bus);

/// As long as it lives, this thread's new memory comes from one NUMA node while that has any:
/// pinned memory on another socket is copied at that link's rate. Does nothing for a negative node,
/// or where the kernel does not let it.
class OnNumaNode {
public:
    explicit OnNumaNode(int node);
    OnNumaNode(const OnNumaNode&) = delete;
    OnNumaNode& operator=(const OnNumaNode&) = delete;
    ~OnNumaNode();
    [[nodiscard]] bool isBound() const { return bound_; }

private:
    bool bound_ = false;
};

}  // namespace fabricast::probe
