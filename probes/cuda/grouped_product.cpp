#include "probes/cuda/planned_gemm.h"

#include <dlfcn.h>

namespace fabricast::probe {

namespace {

// The interface as cuBLAS's documentation states it: old headers lack the grouped product.
using Create = cublasStatus_t (*)(cublasHandle_t*);
using Destroy = cublasStatus_t (*)(cublasHandle_t);
using SetStream = cublasStatus_t (*)(cublasHandle_t, cudaStream_t);
using GroupedGemm = cublasStatus_t (*)(cublasHandle_t,
                                       const cublasOperation_t*,
                                       const cublasOperation_t*,
                                       const int*,
                                       const int*,
                                       const int*,
                                       const void*,
                                       const void* const*,
                                       cudaDataType_t,
                                       const int*,
                                       const void* const*,
                                       cudaDataType_t,
                                       const int*,
                                       const void*,
                                       void* const*,
                                       cudaDataType_t,
                                       const int*,
                                       int,
                                       const int*,
                                       cublasComputeType_t);

struct Cublas {
    Create create = nullptr;
    Destroy destroy = nullptr;
    SetStream setStream = nullptr;
    GroupedGemm groupedGemm = nullptr;
};

/// The library that the process has already, else that of cuBLASLt's own version.
Answer<Cublas> openCublas() {
    const std::string name = "libcublas.so." + std::to_string(cublasLtGetVersion() / 10000);
    void* const library = dlsym(RTLD_DEFAULT, "cublasGemmGroupedBatchedEx") != nullptr
                              ? dlopen(nullptr, RTLD_NOW)
                              : dlopen(name.c_str(), RTLD_NOW);
    if (library == nullptr) {
        return Trouble{"how=grouped needs cuBLAS; " + name + " is not here"};
    }
    const Cublas found = {
        reinterpret_cast<Create>(dlsym(library, "cublasCreate_v2")),
        reinterpret_cast<Destroy>(dlsym(library, "cublasDestroy_v2")),
        reinterpret_cast<SetStream>(dlsym(library, "cublasSetStream_v2")),
        reinterpret_cast<GroupedGemm>(dlsym(library, "cublasGemmGroupedBatchedEx"))};
    if (found.create == nullptr || found.destroy == nullptr || found.setStream == nullptr ||
        found.groupedGemm == nullptr) {
        return Trouble{"how=grouped needs cuBLAS of CUDA 12.5 or later"};
    }
    return found;
}

Answer<DeviceMemory> onGpu(const std::vector<const void*>& pointers) {
    const std::size_t bytes = pointers.size() * sizeof(void*);
    Answer<DeviceMemory> memory = deviceMemory(bytes);
    const Done done =
        memory ? upload(*memory, pointers.data(), bytes, "pointers") : Done(memory.trouble());
    return done ? std::move(memory) : done.trouble();
}

const void* const* pointersAt(const DeviceMemory& memory, std::size_t first) {
    return static_cast<const void* const*>(memory.get()) + first;
}

}  // namespace

struct GroupedProduct::Parts {
    Cublas cublas;
    std::shared_ptr<cublasContext> handle;
    GemmShape shape;
    std::size_t experts = 1;
    std::size_t sets = 1;
    /// Of every set, and of the first ones again: any `experts` in a row are a call's.
    DeviceMemory inputs, weights, results;

    Done point(const GemmOperands& operands) {
        std::vector<const void*> input;
        std::vector<const void*> weight;
        std::vector<const void*> result;
        for (std::size_t set = 0; set < sets + experts; ++set) {
            input.push_back(operands.input(set));
            weight.push_back(operands.weight(set));
            result.push_back(operands.result(set));
        }
        for (auto& [from, to] : {std::pair{&input, &inputs},
                                 std::pair{&weight, &weights},
                                 std::pair{&result, &results}}) {
            Answer<DeviceMemory> memory = onGpu(*from);
            if (!memory) {
                return memory.trouble();
            }
            *to = std::move(*memory);
        }
        return std::monostate();
    }
};

Answer<GroupedProduct> GroupedProduct::make(const PlannedGemm& planned, std::size_t experts) {
    const Answer<Cublas> cublas = openCublas();
    if (!cublas) {
        return cublas.trouble();
    }
    cublasHandle_t handle = nullptr;
    Done done = cudaDone(cublas->create(&handle), "cuBLAS");
    if (!done) {
        return done.trouble();
    }
    GroupedProduct made;
    made.parts_ = std::make_shared<Parts>();
    Parts& parts = *made.parts_;
    parts.cublas = *cublas;
    parts.handle = {handle, [close = cublas->destroy](cublasContext* one) { close(one); }};
    parts.shape = planned.shape;
    parts.experts = experts;
    parts.sets = planned.operands->sets();
    done = parts.point(*planned.operands);
    return done ? Answer<GroupedProduct>(made) : done.trouble();
}

Done GroupedProduct::run(cudaStream_t stream, std::size_t call) const {
    const Parts& parts = *parts_;
    const GemmShape& shape = parts.shape;
    const auto each = [&](auto value) { return std::vector(parts.experts, value); };
    const auto whole = [&](std::int64_t size) { return each(static_cast<int>(size)); };
    // BLAS counts down columns: the weight comes first, and D[m,n] by rows is [n,m].
    const bool weightT = shape.weightTransposed();
    const bool inputT = shape.inputTransposed();
    const std::size_t first = call * parts.experts % parts.sets;
    const Done done = cudaDone(parts.cublas.setStream(parts.handle.get(), stream), "cuBLAS");
    return done ? cudaDone(parts.cublas.groupedGemm(
                               parts.handle.get(),
                               each(weightT ? CUBLAS_OP_T : CUBLAS_OP_N).data(),
                               each(inputT ? CUBLAS_OP_T : CUBLAS_OP_N).data(),
                               whole(shape.n).data(),
                               whole(shape.m).data(),
                               whole(shape.k).data(),
                               each(1.0F).data(),
                               pointersAt(parts.weights, first),
                               cudaTypeOf(shape.type),
                               whole(weightT ? shape.k : shape.n).data(),
                               pointersAt(parts.inputs, first),
                               cudaTypeOf(shape.type),
                               whole(inputT ? shape.m : shape.k).data(),
                               each(shape.accumulate ? 1.0F : 0.0F).data(),
                               const_cast<void* const*>(pointersAt(parts.results, first)),
                               cudaTypeOf(shape.resultType()),
                               whole(shape.n).data(),
                               static_cast<int>(parts.experts),
                               whole(1).data(),
                               computeTypeOf(shape.type)),
                           "how=grouped: cuBLAS")
                : done;
}

}  // namespace fabricast::probe
