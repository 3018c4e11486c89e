#include "probes/mpi/collectives.h"

#include <mpi.h>

namespace fabricast::probe {

struct LibraryCollectives::Handle {
    MPI_Comm comm = MPI_COMM_NULL;
};

LibraryCollectives::LibraryCollectives(const RankGroup& group)
    : handle_(std::make_unique<Handle>()) {
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Group members = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, group.size(), group.members.data(), &members);
    MPI_Comm_create_group(MPI_COMM_WORLD, members, 0, &handle_->comm);
    MPI_Group_free(&members);
    MPI_Group_free(&world);
}

LibraryCollectives::~LibraryCollectives() {
    MPI_Comm_free(&handle_->comm);
}

void LibraryCollectives::allReduce(std::span<const float> in, std::span<float> out) {
    MPI_Allreduce(
        in.data(), out.data(), static_cast<int>(in.size()), MPI_FLOAT, MPI_SUM, handle_->comm);
}

void LibraryCollectives::reduceScatter(std::span<const float> in, std::span<float> out) {
    MPI_Reduce_scatter_block(
        in.data(), out.data(), static_cast<int>(out.size()), MPI_FLOAT, MPI_SUM, handle_->comm);
}

void LibraryCollectives::allGather(std::span<const float> in, std::span<float> out) {
    const int count = static_cast<int>(in.size());
    MPI_Allgather(in.data(), count, MPI_FLOAT, out.data(), count, MPI_FLOAT, handle_->comm);
}

void LibraryCollectives::allToAll(std::span<const float> in, std::span<float> out) {
    int ranks = 1;
    MPI_Comm_size(handle_->comm, &ranks);
    const int count = static_cast<int>(in.size()) / ranks;
    MPI_Alltoall(in.data(), count, MPI_FLOAT, out.data(), count, MPI_FLOAT, handle_->comm);
}

void LibraryCollectives::broadcast(std::span<float> data) {
    MPI_Bcast(data.data(), static_cast<int>(data.size()), MPI_FLOAT, 0, handle_->comm);
}

}  // namespace fabricast::probe
