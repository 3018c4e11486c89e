#include "probes/cuda/lt_product.h"

#include <algorithm>

namespace fabricast::probe {

namespace {

constexpr std::size_t kWorkspace = std::size_t{32} << 20U;

template <class Value>
Done setDescriptor(cublasLtMatmulDesc_t descriptor,
                   cublasLtMatmulDescAttributes_t attribute,
                   Value value) {
    return cudaDone(cublasLtMatmulDescSetAttribute(descriptor, attribute, &value, sizeof value),
                    "cuBLASLt");
}

/// A matrix of `rows` numbers that follow each other, `columns` times; `batch` such matrices.
Done makeLayout(cublasLtMatrixLayout_t& layout,
                NumberType type,
                std::int64_t rows,
                std::int64_t columns,
                std::int64_t batch) {
    Done done = cudaDone(cublasLtMatrixLayoutCreate(&layout,
                                                    cudaTypeOf(type),
                                                    static_cast<std::uint64_t>(rows),
                                                    static_cast<std::uint64_t>(columns),
                                                    rows),
                         "cuBLASLt");
    if (!done || batch == 1) {
        return done;
    }
    const auto count = static_cast<std::int32_t>(batch);
    const std::int64_t stride = rows * columns;
    done = cudaDone(cublasLtMatrixLayoutSetAttribute(
                        layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count),
                    "cuBLASLt");
    return done ? cudaDone(
                      cublasLtMatrixLayoutSetAttribute(layout,
                                                       CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                                       &stride,
                                                       sizeof stride),
                      "cuBLASLt")
                : done;
}

template <class Value>
Value algorithmValue(const cublasLtMatmulAlgo_t& algorithm,
                     cublasLtMatmulAlgoConfigAttributes_t attribute) {
    Value value{};
    std::size_t written = 0;
    cublasLtMatmulAlgoConfigGetAttribute(&algorithm, attribute, &value, sizeof value, &written);
    return value;
}

}  // namespace

cudaDataType_t cudaTypeOf(NumberType type) {
    switch (type) {
        case NumberType::Bf16:
            return CUDA_R_16BF;
        case NumberType::Fp16:
            return CUDA_R_16F;
        case NumberType::Fp8:
            return CUDA_R_8F_E4M3;
        default:
            return CUDA_R_32F;
    }
}

cublasComputeType_t computeTypeOf(NumberType type) {
    return type == NumberType::Tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

Answer<LtHome> openLt() {
    LtHome home;
    cublasLtHandle_t handle = nullptr;
    const Done created = cudaDone(cublasLtCreate(&handle), "cuBLASLt");
    if (!created) {
        return created.trouble();
    }
    home.handle = {handle, [](cublasLtContext* lt) { cublasLtDestroy(lt); }};
    return withOwnScratch(home);
}

Answer<LtHome> withOwnScratch(const LtHome& home) {
    LtHome made;
    made.handle = home.handle;
    Answer<DeviceMemory> workspace = deviceMemory(kWorkspace);
    Answer<DeviceMemory> one = deviceMemory(sizeof(float));
    if (!workspace || !one) {
        return workspace ? one.trouble() : workspace.trouble();
    }
    const float value = 1.0F;
    const Done copied = upload(*one, &value, sizeof value, "a scale");
    if (!copied) {
        return copied.trouble();
    }
    made.workspace = std::move(*workspace);
    made.one = std::move(*one);
    return made;
}

struct LtProduct::Descriptors {
    cublasLtMatmulDesc_t product = nullptr;
    cublasLtMatrixLayout_t weight = nullptr;
    cublasLtMatrixLayout_t input = nullptr;
    cublasLtMatrixLayout_t result = nullptr;
    cublasLtMatmulAlgo_t algorithm{};

    Descriptors() = default;
    Descriptors(const Descriptors&) = delete;
    Descriptors& operator=(const Descriptors&) = delete;
    ~Descriptors() {
        for (cublasLtMatrixLayout_t layout : {weight, input, result}) {
            if (layout != nullptr) {
                cublasLtMatrixLayoutDestroy(layout);
            }
        }
        if (product != nullptr) {
            cublasLtMatmulDescDestroy(product);
        }
    }

    /// BLAS counts down columns: what is D[m,n] by rows is [n,m] to it, with the weight first.
    Done describe(const GemmShape& shape, const void* scale) {
        const cublasOperation_t onWeight = shape.weightTransposed() ? CUBLAS_OP_T : CUBLAS_OP_N;
        const cublasOperation_t onInput = shape.inputTransposed() ? CUBLAS_OP_T : CUBLAS_OP_N;
        Done done = cudaDone(
            cublasLtMatmulDescCreate(&product, computeTypeOf(shape.type), CUDA_R_32F), "cuBLASLt");
        done = done ? setDescriptor(product, CUBLASLT_MATMUL_DESC_TRANSA, onWeight) : done;
        done = done ? setDescriptor(product, CUBLASLT_MATMUL_DESC_TRANSB, onInput) : done;
        if (shape.type == NumberType::Fp8) {
            done =
                done ? setDescriptor(product, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, scale) : done;
            done =
                done ? setDescriptor(product, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, scale) : done;
            const std::int8_t fast = shape.fastSums ? 1 : 0;
            done = done ? setDescriptor(product, CUBLASLT_MATMUL_DESC_FAST_ACCUM, fast) : done;
        }
        const bool weightT = shape.weightTransposed();
        const bool inputT = shape.inputTransposed();
        const auto layoutOf = [&](auto& layout, std::int64_t rows, std::int64_t columns) {
            return makeLayout(layout, shape.type, rows, columns, shape.batch);
        };
        done = done ? layoutOf(weight, weightT ? shape.k : shape.n, weightT ? shape.n : shape.k)
                    : done;
        done =
            done ? layoutOf(input, inputT ? shape.m : shape.k, inputT ? shape.k : shape.m) : done;
        return done ? makeLayout(result, shape.resultType(), shape.n, shape.m, shape.batch) : done;
    }

    Done choose(cublasLtHandle_t handle) {
        cublasLtMatmulPreference_t preference = nullptr;
        Done done = cudaDone(cublasLtMatmulPreferenceCreate(&preference), "cuBLASLt");
        const std::size_t workspace = kWorkspace;
        done = done ? cudaDone(cublasLtMatmulPreferenceSetAttribute(
                                   preference,
                                   CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                   &workspace,
                                   sizeof workspace),
                               "cuBLASLt")
                    : done;
        cublasLtMatmulHeuristicResult_t found{};
        int count = 0;
        done = done ? cudaDone(cublasLtMatmulAlgoGetHeuristic(handle,
                                                              product,
                                                              weight,
                                                              input,
                                                              result,
                                                              result,
                                                              preference,
                                                              1,
                                                              &found,
                                                              &count),
                               "cuBLASLt knows no kernel for it")
                    : done;
        if (preference != nullptr) {
            cublasLtMatmulPreferenceDestroy(preference);
        }
        algorithm = found.algo;
        return done && count == 0 ? Done(Trouble{"cuBLASLt knows no kernel for it"}) : done;
    }
};

Answer<LtProduct> LtProduct::plan(const LtHome& home, const GemmShape& shape) {
    LtProduct planned;
    planned.descriptors_ = std::make_shared<Descriptors>();
    planned.accumulate_ = shape.accumulate;
    Done done = planned.descriptors_->describe(shape, home.one.get());
    done = done ? planned.descriptors_->choose(home.handle.get()) : done;
    return done ? Answer<LtProduct>(planned) : done.trouble();
}

Done LtProduct::run(const LtHome& home,
                    cudaStream_t stream,
                    const void* input,
                    const void* weight,
                    void* result) const {
    const float one = 1.0F;
    const float add = accumulate_ ? 1.0F : 0.0F;
    return cudaDone(cublasLtMatmul(home.handle.get(),
                                   descriptors_->product,
                                   &one,
                                   weight,
                                   descriptors_->weight,
                                   input,
                                   descriptors_->input,
                                   &add,
                                   result,
                                   descriptors_->result,
                                   result,
                                   descriptors_->result,
                                   &descriptors_->algorithm,
                                   home.workspace.get(),
                                   home.workspace.bytes(),
                                   stream),
                    "the matrix multiply");
}

std::string LtProduct::algorithm() const {
    const cublasLtMatmulAlgo_t& chosen = descriptors_->algorithm;
    return "cublaslt " + std::to_string(algorithmValue<int>(chosen, CUBLASLT_ALGO_CONFIG_ID)) +
           " tile " +
           std::to_string(algorithmValue<std::uint32_t>(chosen, CUBLASLT_ALGO_CONFIG_TILE_ID)) +
           " stages " +
           std::to_string(algorithmValue<std::uint32_t>(chosen, CUBLASLT_ALGO_CONFIG_STAGES_ID)) +
           " split " + std::to_string(splits()) + " scheme " +
           std::to_string(
               algorithmValue<std::uint32_t>(chosen, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME)) +
           " cluster " +
           std::to_string(
               algorithmValue<std::uint16_t>(chosen, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID)) +
           " inner " +
           std::to_string(
               algorithmValue<std::uint16_t>(chosen, CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID));
}

int LtProduct::splits() const {
    return std::max(
        algorithmValue<std::int32_t>(descriptors_->algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM), 1);
}

}  // namespace fabricast::probe
