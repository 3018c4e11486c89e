#include "probes/nccl/rank_gpu.h"

#include "probes/launch/packed.h"
#include "probes/nccl/nccl_calls.h"

#include <array>
#include <cstdlib>
#include <map>

namespace fabricast::probe {

namespace {

std::string packedDevice(const RankDevice& device) {
    return Packer()
        .whole32(static_cast<std::uint32_t>(device.device))
        .text(device.bus)
        .text(device.name)
        .text();
}

Answer<RankDevice> takeOwn(const ControlChannel& channel, bool shared) {
    const Answer<int> count = countGpus();
    if (!count) {
        return count.trouble();
    }
    const Member& self = channel.members()[static_cast<std::size_t>(channel.rank())];
    // Slurm and containers often show each process its own GPU alone.
    const int device = shared || *count == 1 ? self.localRank % *count : self.localRank;
    if (device >= *count) {
        return Trouble{"there are " + std::to_string(*count) + " GPUs here, and local rank " +
                       std::to_string(self.localRank) + " finds none left"};
    }
    RankDevice own{.device = device};
    cudaDeviceProp properties = {};
    std::array<char, 32> bus{};
    Done done = doneBy(cudaSetDevice(device), "GPU " + std::to_string(device));
    if (done) {
        done = doneBy(cudaFree(nullptr), "GPU " + std::to_string(device));
    }
    if (done) {
        done = doneBy(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
    }
    if (done) {
        done = doneBy(cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), device),
                      "cudaDeviceGetPCIBusId");
    }
    own.bus = bus.data();
    own.name = properties.name;
    return done ? Answer<RankDevice>(own) : done.trouble();
}

Done noneTwice(const std::vector<RankDevice>& devices) {
    std::map<std::string, int> taken;
    for (const RankDevice& one : devices) {
        const auto [entry, isNew] = taken.emplace(one.host + " " + one.bus, one.rank);
        if (!isNew) {
            return Trouble{"ranks " + std::to_string(entry->second) + " and " +
                           std::to_string(one.rank) + " have the same GPU " + one.bus + " of " +
                           one.host +
                           ": start one rank per GPU, or give --share-gpu 1 to see that all works"};
        }
    }
    return std::monostate();
}

}  // namespace

Answer<int> countGpus() {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0)) {
        return Trouble{"no GPU here"};
    }
    const Done done = doneBy(error, "no GPU here");
    return done ? Answer<int>(count) : done.trouble();
}

void setSharedGpuEnvironment(int rank) {
    const std::string host = "rank" + std::to_string(rank);
    const std::map<std::string, std::string> variables = {{"NCCL_HOSTID", host},
                                                          {"NCCL_SOCKET_IFNAME", "lo"},
                                                          {"NCCL_IB_DISABLE", "1"},
                                                          {"NCCL_MNNVL_ENABLE", "0"},
                                                          {"NCCL_NVLS_ENABLE", "0"},
                                                          {"NCCL_CUMEM_HOST_ENABLE", "0"},
                                                          {"NCCL_MAX_CTAS", "2"},
                                                          {"NCCL_CGA_CLUSTER_SIZE", "0"},
                                                          {"NCCL_RAS_ENABLE", "0"}};
    for (const auto& [name, value] : variables) {
        (void)setenv(name.c_str(), value.c_str(), 0);
    }
}

Answer<std::vector<RankDevice>> takeGpus(ControlChannel& channel, bool shared) {
    const Answer<RankDevice> own = takeOwn(channel, shared);
    if (!own) {
        return channel.fail(own.trouble().why);
    }
    const Answer<std::vector<std::string>> all = channel.gather(packedDevice(*own));
    if (!all) {
        return all.trouble();
    }
    const Answer<std::string> told = channel.broadcast(packedTexts(*all));
    if (!told) {
        return told.trouble();
    }
    std::vector<RankDevice> devices;
    for (const std::string& packed : unpackedTexts(*told)) {
        const Member& member = channel.members().at(devices.size());
        Unpacker unpacker(packed);
        RankDevice device{.rank = member.rank, .pid = member.pid, .host = member.host};
        device.device = static_cast<int>(unpacker.whole32());
        device.bus = unpacker.text();
        device.name = unpacker.text();
        devices.push_back(device);
    }
    const Done each = shared ? Done(std::monostate()) : noneTwice(devices);
    if (!each) {
        return channel.fail(each.trouble().why);
    }
    return devices;
}

}  // namespace fabricast::probe
