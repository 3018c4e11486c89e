// Kernels, known by their names: the operations of the probe run on the host.
#include "probes/cuda/adam_ops.h"
#include "probes/cuda/element_ops.h"
#include "probes/cuda/row_ops.h"
#include "probes/cuda/softmax_ops.h"
#include "tests/probes/null_device/null_device.h"

#include <dlfcn.h>

#include <cstdint>
#include <map>
#include <set>
#include <typeinfo>

namespace fabricast::null_device {

namespace {

std::map<const void*, std::string>& names() {
    static std::map<const void*, std::string> all;
    return all;
}

constexpr double kLaunch = 2e-6;
constexpr double kBandwidth = 3e12;

/// Whether a kernel is this template of this operation: the compiler writes the operation's own
/// name into the kernel's, and its namespace short.
template <class Op>
bool isKernel(const std::string& name, const std::string& kernel) {
    const std::string whole = typeid(Op).name();
    const std::size_t own = whole.find("5probe") + 6;
    return name.find(kernel + "INS0_" + whole.substr(own)) != std::string::npos;
}

template <class Op>
std::string keyOf(const char* what, const Op& op, long count) {
    return std::string(what) + typeid(Op).name() +
           std::string(reinterpret_cast<const char*>(&op), sizeof op) + std::to_string(count);
}

template <class Op>
bool runElements(const std::string& name, void** arguments, double& seconds) {
    if (!isKernel<Op>(name, "overElements")) {
        return false;
    }
    const Op op = *static_cast<const Op*>(arguments[0]);
    const long count = *static_cast<const long*>(arguments[1]);
    seconds = kLaunch + static_cast<double>(count) * 48.0 / kBandwidth;
    defer(keyOf("elements", op, count), [op, count] {
        for (long at = 0; at < count; ++at) {
            op(at);
        }
    });
    return true;
}

template <class Op>
void runRow(const Op& op, long row) {
    probe::RowSeen seen = op.see(row, 0);
    for (long pack = 1; pack < op.packs; ++pack) {
        seen = Op::join(seen, op.see(row, pack));
    }
    for (long pack = 0; pack < op.packs; ++pack) {
        op.write(row, pack, seen);
    }
}

template <class Op>
bool runRows(const std::string& name, void** arguments, double& seconds) {
    if (!isKernel<Op>(name, "overRows")) {
        return false;
    }
    const Op op = *static_cast<const Op*>(arguments[0]);
    const long rows = *static_cast<const long*>(arguments[1]);
    seconds = kLaunch + static_cast<double>(rows * op.packs) * 32.0 / kBandwidth;
    defer(keyOf("rows", op, rows), [op, rows] {
        for (long row = 0; row < rows; ++row) {
            runRow(op, row);
        }
    });
    return true;
}

/// The copy that represents a collective: (to, from, count, rounds).
bool runRounds(const std::string& name, void** arguments, double& seconds) {
    if (name.find("copyRounds") == std::string::npos) {
        return false;
    }
    const long count = *static_cast<const long*>(arguments[2]);
    const int rounds = *static_cast<const int*>(arguments[3]);
    seconds = kLaunch + static_cast<double>(count) * rounds * 32.0 / (kBandwidth / 8.0);
    return true;
}

template <class... Ops>
bool anyElements(const std::string& name, void** arguments, double& seconds) {
    return (runElements<Ops>(name, arguments, seconds) || ...);
}

template <class... Ops>
bool anyRows(const std::string& name, void** arguments, double& seconds) {
    return (runRows<Ops>(name, arguments, seconds) || ...);
}

}  // namespace

void nameKernel(const void* function, const char* name) {
    names()[function] = name;
}

double loading(const void* function) {
    static std::set<const void*> loaded;
    return loaded.insert(function).second
               ? static_cast<double>(setting("FABRICAST_NULL_COLD", 0)) * 1e-6
               : 0.0;
}

double launchKernel(const void* function, void** arguments) {
    using namespace probe;
    const std::string& name = names()[function];
    double seconds = kLaunch;
    if (name.find("4hold") != std::string::npos) {
        return static_cast<double>(*static_cast<const long*>(arguments[0])) / 1e9;
    }
    static_cast<void>(
        anyElements<CopyPacks,
                    AddPacks,
                    SwigluPacks,
                    RopePacks,
                    CastPacks,
                    PermutePacks,
                    AdamFlat,
                    AdamList>(name, arguments, seconds) ||
        anyRows<NormRows, SoftmaxRows, SoftmaxGradientRows>(name, arguments, seconds) ||
        runRounds(name, arguments, seconds));
    return seconds;
}

}  // namespace fabricast::null_device

namespace null = fabricast::null_device;

extern "C" {

void __cudaRegisterFunction(void** binary,
                            const char* host,
                            char* device,
                            const char* name,
                            int limit,
                            uint3* thread,
                            uint3* block,
                            dim3* blocks,
                            dim3* grid,
                            int* warp) {
    null::nameKernel(host, name);
    using Register = decltype(&__cudaRegisterFunction);
    reinterpret_cast<Register>(dlsym(RTLD_NEXT, "__cudaRegisterFunction"))(
        binary, host, device, name, limit, thread, block, blocks, grid, warp);
}

cudaError_t cudaLaunchKernel(
    const void* function, dim3, dim3, void** arguments, std::size_t, cudaStream_t stream) {
    null::spend(stream, null::launchKernel(function, arguments) + null::loading(function));
    return cudaSuccess;
}

// Since CUDA 13 a launch asks for a handle first: here it is the function itself.
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
    *kernel = static_cast<cudaKernel_t>(const_cast<void*>(function));
    return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(
    cudaKernel_t kernel, dim3, dim3, void** arguments, std::size_t, cudaStream_t stream) {
    null::spend(stream, null::launchKernel(kernel, arguments) + null::loading(kernel));
    return cudaSuccess;
}

}  // extern "C"
