#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <string>

/// A null GPU. Preloaded into a probe, this library stands in for the CUDA runtime,
/// cuBLASLt, NVML and the other libraries in this folder: calls succeed, device memory is memory of
/// the host and never empty, copies copy, and every piece of work takes a time that it pretends.
/// Nothing is computed until device memory is read back: then it is computed on the host, so that
/// results are what they should be. Told by the environment:
///   FABRICAST_NULL_GPUS=0      how many there are (1)
///   FABRICAST_NULL_SM=80       what they can (90)
///   FABRICAST_NULL_GIB=2       how much memory each has (1)
///   FABRICAST_NULL_RESULTS=wrong  compute nothing at all
///   FABRICAST_NULL_SLOW=20     milliseconds that each wait for the GPU really takes (0)
///   FABRICAST_NULL_USER=4711   a process that computes there too
///   FABRICAST_NULL_COLD=1000   microseconds that a kernel takes longer the first time (0)
///   FABRICAST_NULL_L2_MIB=126  its L2 cache (1)
///   FABRICAST_NULL_UPLOADS=0   copies from pinned memory on a stream move nothing
///   FABRICAST_NULL_LT_FAILS=48 cuBLASLt fails at products with so many rows
///   FABRICAST_NULL_LT_BREAKS=1 and every call of CUDA after that
///   FABRICAST_NULL_LT_SPLIT=8  cuBLASLt adds up so many parts, each rounded to bf16
///   FABRICAST_NULL_TAKEN=1     the number of a GPU in exclusive mode that another process has
///   CUDA_VISIBLE_DEVICES=1,0   shows some of them, as CUDA does
/// As in CUDA each thread has its own current GPU, 0 at first, and choosing one makes a context
/// there. The legacy stream lags: what is copied or set on it is under way until the device is
/// waited for or something is read back. Work that another stream begins meanwhile ends the process
/// with 99.
namespace fabricast::null_device {

/// A number of the environment.
long setting(const char* name, long otherwise);
bool computes();

/// The legacy stream has something under way; and has not any more.
void legacyBegins();
void legacyEnds();

/// A fault: the device answers nothing any more.
void breakDown();
bool isBroken();

/// Pretended time. Work on a stream begins when the stream and the host are ready.
void spend(cudaStream_t stream, double seconds);
double timeOf(cudaStream_t stream);
/// The host waited for this stream.
void waitFor(cudaStream_t stream);
/// A stream waits for a moment.
void holdUntil(cudaStream_t stream, double time);

/// Work whose results have not been read yet. The same work twice is done once. `key` tells apart.
void defer(const std::string& key, std::function<void()> work);
/// Of a product too large to compute: works out `bytes` at `place`, if they are its result.
using PartialWork = std::function<void(char* place, std::size_t bytes)>;
void deferPart(const std::string& key, PartialWork work);
/// Does what is deferred, as far as it is needed to read these bytes.
void settle(const void* place, std::size_t bytes);
/// Memory was freed: what was not read by now never will be.
void forget();

/// Runs or defers a kernel; the seconds that it takes.
double launchKernel(const void* function, void** arguments);
/// Seconds that its code takes to load, if this is its first time.
double loading(const void* function);
void nameKernel(const void* function, const char* name);

/// While a stream is captured, launches only count.
bool countCaptured(cudaStream_t stream, double seconds);

}  // namespace fabricast::null_device
