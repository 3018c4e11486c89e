#include "probes/cuda/gpu_facts.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <fstream>

namespace fabricast::probe {

namespace {

// As linux/mempolicy.h has them.
constexpr int kDefault = 0;
constexpr int kPreferred = 1;

}  // namespace

int numaNodeOf(const std::string& root, const std::string& bus) {
    std::string address = bus;
    std::ranges::transform(address, address.begin(), [](unsigned char letter) {
        return static_cast<char>(std::tolower(letter));
    });
    std::ifstream file(root + "/bus/pci/devices/" + address + "/numa_node");
    int node = -1;
    return file >> node ? node : -1;
}

OnNumaNode::OnNumaNode(int node) {
    constexpr int kMostNodes = 8 * sizeof(unsigned long);
    if (node >= 0 && node < kMostNodes) {
        const unsigned long nodes = 1UL << static_cast<unsigned>(node);
        bound_ = syscall(SYS_set_mempolicy, kPreferred, &nodes, kMostNodes + 1) == 0;
    }
}

OnNumaNode::~OnNumaNode() {
    if (bound_) {
        syscall(SYS_set_mempolicy, kDefault, nullptr, 0);
    }
}

}  // namespace fabricast::probe
