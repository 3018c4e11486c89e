#include "probes/cuda/gpu_facts.h"
#include "probes/cuda/gpu_memory.h"
#include "probes/cuda/measure_points.h"

#include <algorithm>
#include <cstring>

namespace fabricast::probe {

namespace {

struct TransferShape {
    std::string kind;
    std::size_t bytes = 0;
};

Answer<TransferShape> transferShapeOf(const Point& point) {
    const Done known = onlySettings(point);
    const Answer<std::string> kind = choiceOf(point, "kind", {"h2d", "d2h", "both", "p2p"});
    const Answer<std::int64_t> bytes = sizeOf(point, "bytes");
    if (!known || !kind || !bytes) {
        return !known ? known.trouble() : !kind ? kind.trouble() : bytes.trouble();
    }
    return TransferShape{*kind, static_cast<std::size_t>(*bytes)};
}

/// A second stream, joined with the timer's at both ends.
struct SecondStream {
    cudaStream_t stream = nullptr;
    cudaEvent_t fork = nullptr;
    cudaEvent_t join = nullptr;

    SecondStream() = default;
    SecondStream(const SecondStream&) = delete;
    SecondStream& operator=(const SecondStream&) = delete;
    ~SecondStream() {
        if (join != nullptr) {
            cudaEventDestroy(fork);
            cudaEventDestroy(join);
        }
        if (stream != nullptr) {
            cudaStreamDestroy(stream);
        }
    }
    Done make() {
        Done done = cudaDone(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
        done = done ? cudaDone(cudaEventCreate(&fork), "an event") : done;
        return done ? cudaDone(cudaEventCreate(&join), "an event") : done;
    }
};

/// The first and the last bytes arrived as they were.
Answer<double> wrongBytes(const DeviceMemory& device, const PinnedMemory& host) {
    const std::size_t looked = std::min<std::size_t>(host.bytes(), 4096);
    std::vector<char> there(looked);
    double wrong = 0.0;
    for (const std::size_t offset : {std::size_t{0}, host.bytes() - looked}) {
        const Done done = cudaDone(
            cudaMemcpy(there.data(), device.at(offset), looked, cudaMemcpyDeviceToHost), "a copy");
        if (!done) {
            return done.trouble();
        }
        wrong += std::memcmp(there.data(), host.at(offset), looked) == 0 ? 0.0 : 1.0;
    }
    return wrong;
}

/// The buffers of both directions, and the copies between them.
struct HostLink {
    PinnedMemory host, back;
    DeviceMemory device, source;
    SecondStream second;
    bool isBound = false;  ///< to the GPU's NUMA node

    /// Recognisable bytes on the host, and the same on the GPU.
    Done make(std::size_t bytes, int numaNode) {
        const OnNumaNode bound(numaNode);
        isBound = bound.isBound();
        Answer<PinnedMemory> pinned[] = {pinnedMemory(bytes), pinnedMemory(bytes)};
        Answer<DeviceMemory> devices[] = {deviceMemory(bytes), deviceMemory(bytes)};
        for (std::size_t at = 0; at < 2; ++at) {
            if (!pinned[at] || !devices[at]) {
                return pinned[at] ? devices[at].trouble() : pinned[at].trouble();
            }
            (at == 0 ? host : back) = std::move(*pinned[at]);
            (at == 0 ? device : source) = std::move(*devices[at]);
        }
        for (std::size_t at = 0; at < bytes; ++at) {
            *host.at(at) = static_cast<char>(at * 31 >> 3U);
        }
        const Done made = second.make();
        return made ? upload(source, host.get(), bytes, "a copy") : made;
    }
    Done up(cudaStream_t stream) const {
        return cudaDone(
            cudaMemcpyAsync(device.get(), host.get(), host.bytes(), cudaMemcpyHostToDevice, stream),
            "a copy to the GPU");
    }
    Done down(cudaStream_t stream) const {
        return cudaDone(
            cudaMemcpyAsync(back.get(), source.get(), back.bytes(), cudaMemcpyDeviceToHost, stream),
            "a copy from the GPU");
    }
    Done both(cudaStream_t stream) const {
        Done done = cudaDone(cudaEventRecord(second.fork, stream), "an event");
        done =
            done ? cudaDone(cudaStreamWaitEvent(second.stream, second.fork, 0), "an event") : done;
        done = done ? down(second.stream) : done;
        done = done ? up(stream) : done;
        done = done ? cudaDone(cudaEventRecord(second.join, second.stream), "an event") : done;
        return done ? cudaDone(cudaStreamWaitEvent(stream, second.join, 0), "an event") : done;
    }
};

Answer<Measurement> measureLink(GpuBench& bench, const Point& point, const TransferShape& shape) {
    HostLink link;
    const int numaNode = numaNodeOf("/sys", bench.gpu.bus);
    const Done made = link.make(shape.bytes, numaNode);
    if (!made) {
        return refusedPoint(point, made.trouble().why);
    }
    Measurement measurement;
    measurement.point = point;
    if (link.isBound) {
        measurement.facts["numa_node"] = numaNode;
    }
    const Done done = bench.timer.sample(
        bench.rule,
        [&](cudaStream_t stream, std::size_t) {
            return shape.kind == "h2d"   ? link.up(stream)
                   : shape.kind == "d2h" ? link.down(stream)
                                         : link.both(stream);
        },
        measurement);
    const Answer<double> up =
        done && shape.kind != "d2h" ? wrongBytes(link.device, link.host) : Answer<double>(0.0);
    const Answer<double> down =
        done && shape.kind != "h2d" ? wrongBytes(link.source, link.back) : Answer<double>(0.0);
    if (!done || !up || !down) {
        return !done ? done.trouble() : up ? down.trouble() : up.trouble();
    }
    measurement.facts["wrong"] = *up + *down;
    measurement.facts["bytes"] = static_cast<double>(shape.bytes) * (shape.kind == "both" ? 2 : 1);
    measurement.words["algorithm"] = "pinned";
    return measurement;
}

/// Gives this thread its GPU back, whatever happens meanwhile.
class OnOtherGpu {
public:
    OnOtherGpu(int here, int there)
        : here_(here), done_(cudaDone(cudaSetDevice(there), "it cannot be taken")) {}
    OnOtherGpu(const OnOtherGpu&) = delete;
    OnOtherGpu& operator=(const OnOtherGpu&) = delete;
    ~OnOtherGpu() { cudaSetDevice(here_); }
    [[nodiscard]] const Done& done() const { return done_; }

private:
    int here_;
    Done done_;
};

/// Memory of the next GPU, where nobody else uses it.
Answer<DeviceMemory> neighbourMemory(const GpuBench& bench, int there, std::size_t bytes) {
    const GpuBefore before = lookBefore(there);
    if (!before.busy.empty() && !bench.evenIfBusy) {
        return Trouble{"is busy: " + before.busy};
    }
    const OnOtherGpu other(bench.gpu.device, there);
    return other.done() ? deviceMemory(bytes) : other.done().trouble();
}

/// From this GPU to the next.
Answer<Measurement> measurePeer(GpuBench& bench, const Point& point, const TransferShape& shape) {
    int count = 0;
    int reachable = 0;
    const int here = bench.gpu.device;
    const Done counted = cudaDone(cudaGetDeviceCount(&count), "the GPUs");
    const int there = (here + 1) % (count > 0 ? count : 1);
    if (!counted || count < 2) {
        return refusedPoint(point, "only one GPU is visible");
    }
    const Answer<DeviceMemory> source = deviceMemory(shape.bytes);
    const Answer<DeviceMemory> target = neighbourMemory(bench, there, shape.bytes);
    if (!source || !target) {
        return refusedPoint(point,
                            source ? "GPU " + std::to_string(there) + ": " + target.trouble().why
                                   : source.trouble().why);
    }
    cudaDeviceCanAccessPeer(&reachable, here, there);
    if (reachable != 0) {
        // Enabled twice is no trouble.
        static_cast<void>(cudaDone(cudaDeviceEnablePeerAccess(there, 0), "access"));
    }
    Measurement measurement;
    measurement.point = point;
    const Done done = bench.timer.sample(
        bench.rule,
        [&](cudaStream_t stream, std::size_t) {
            return cudaDone(
                cudaMemcpyPeerAsync(target->get(), there, source->get(), here, shape.bytes, stream),
                "a copy between GPUs");
        },
        measurement);
    if (!done) {
        return done.trouble();
    }
    measurement.facts["bytes"] = static_cast<double>(shape.bytes);
    measurement.words["algorithm"] = reachable != 0 ? "peer access" : "through the host";
    return measurement;
}

}  // namespace

Done checkTransfer(const Point& point) {
    const Answer<TransferShape> shape = transferShapeOf(point);
    return shape ? Done(std::monostate()) : shape.trouble();
}

Answer<Measurement> measureTransfer(GpuBench& bench, const Point& point) {
    const Answer<TransferShape> shape = transferShapeOf(point);
    if (!shape) {
        return shape.trouble();
    }
    const std::string refusal = GpuBench::tooLarge(2.0 * static_cast<double>(shape->bytes));
    if (!refusal.empty()) {
        return refusedPoint(point, refusal);
    }
    return shape->kind == "p2p" ? measurePeer(bench, point, *shape)
                                : measureLink(bench, point, *shape);
}

}  // namespace fabricast::probe
