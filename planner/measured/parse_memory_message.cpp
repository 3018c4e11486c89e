#include "planner/measured/parse_memory_message.h"

#include "planner/base/small_letters.h"
#include "planner/measured/unwrapped_log.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

namespace fabricast {

namespace {

constexpr double kMostMessageBytes = 1e15;

struct SizeUnit {
    std::string_view written;
    double bytes;
};
/// Megatron's MB and DeepSpeed's GB are powers of two as well.
constexpr std::array kSizeUnits = {SizeUnit{"gib", 0x1p30},
                                   SizeUnit{"mib", 0x1p20},
                                   SizeUnit{"kib", 0x1p10},
                                   SizeUnit{"gb", 0x1p30},
                                   SizeUnit{"mb", 0x1p20},
                                   SizeUnit{"kb", 0x1p10},
                                   SizeUnit{"bytes", 1.0},
                                   SizeUnit{"byte", 1.0}};

/// Words as they stand in a log without blanks.
std::string squeezed(std::string_view words) {
    std::string text(words);
    std::erase(text, ' ');
    return text;
}

std::size_t placeOf(std::string_view text, std::string_view words) {
    return text.find(squeezed(words));
}

bool isThere(std::string_view text, std::string_view words) {
    return placeOf(text, words) != std::string_view::npos;
}

constexpr std::string_view kFigures = "0123456789.";
constexpr std::string_view kCutFigures = "0123456789.\n";

std::optional<double> figuresAsNumber(std::string_view figures) {
    double number = 0;
    const char* const end = figures.data() + figures.size();
    const auto [stop, error] = std::from_chars(figures.data(), end, number);
    const bool isWhole = error == std::errc{} && stop == end && figures.front() != '.';
    return isWhole && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::optional<Bytes> sizeOf(std::string_view figures, std::string_view unit) {
    const std::optional<double> number = figures.empty() ? std::nullopt : figuresAsNumber(figures);
    for (const SizeUnit& known : kSizeUnits) {
        if (number && unit.starts_with(known.written) &&
            *number * known.bytes <= kMostMessageBytes) {
            return Bytes(std::llround(*number * known.bytes));
        }
    }
    return std::nullopt;
}

/// The size at the front of a text: "79.15gib", "38922.1" where a unit is given. A number that a
/// line ends in goes on in the next one, but for a date or a time that stands there.
std::optional<Bytes> sizeAtFront(std::string_view text, std::string_view unit = {}) {
    const std::size_t size = std::min(text.find_first_not_of(kCutFigures), text.size());
    const std::string_view after = text.substr(size);
    std::string figures(text.substr(0, size));
    std::erase(figures, '\n');
    if (unit.empty()) {
        return sizeOf(figures, after);
    }
    const bool goesOn = after.find_first_of("-:/") != 0;
    const std::optional<Bytes> joined = goesOn ? sizeOf(figures, unit) : std::nullopt;
    return joined ? joined
                  : sizeOf(text.substr(0, std::min(text.find_first_not_of(kFigures), size)), unit);
}

std::optional<Bytes> sizeAfter(std::string_view text,
                               std::string_view words,
                               std::string_view unit = {}) {
    const std::string sought = squeezed(words);
    const std::size_t at = text.find(sought);
    return at == std::string_view::npos ? std::nullopt
                                        : sizeAtFront(text.substr(at + sought.size()), unit);
}

constexpr std::size_t kMostSize = 24;  ///< letters of a number and its unit

/// The size that ends right before a place: "1.06gib" of "1.06gibfree".
std::optional<Bytes> sizeEndingAt(std::string_view text, std::size_t at) {
    const std::size_t from = at < kMostSize ? 0 : at - kMostSize;
    const std::string_view before = text.substr(from, at - from);
    const std::size_t digit = before.find_last_of("0123456789");
    if (digit == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view unit = before.substr(digit + 1);
    const std::size_t first = before.find_last_not_of(kCutFigures, digit);
    const std::size_t start = first == std::string_view::npos ? 0 : first + 1;
    std::string figures(before.substr(start, digit + 1 - start));
    const std::size_t cut = figures.rfind('\n');
    const std::string last = cut == std::string::npos ? figures : figures.substr(cut + 1);
    std::erase(figures, '\n');
    const std::optional<Bytes> joined = sizeOf(figures, unit);
    return joined ? joined : sizeOf(last, unit);
}

/// The size that stands right before the words: "1.06 gib free".
std::optional<Bytes> sizeBefore(std::string_view text, std::string_view words) {
    const std::size_t at = placeOf(text, words);
    return at == std::string_view::npos ? std::nullopt : sizeEndingAt(text, at);
}

std::optional<Bytes> firstOf(std::initializer_list<std::optional<Bytes>> sizes) {
    for (const std::optional<Bytes>& size : sizes) {
        if (size) {
            return size;
        }
    }
    return std::nullopt;
}

/// "Process 41 has 38.90 GiB memory in use." of each process on the GPU. In a container a message
/// does not say which is its own: the smallest that has room for what PyTorch reserved.
std::optional<Bytes> ownProcess(std::string_view text, Bytes reserved) {
    constexpr double kRounded = 0.99;
    constexpr std::string_view kProcess = "process";
    std::optional<Bytes> own;
    for (std::size_t at = text.find(kProcess); at != std::string_view::npos;
         at = text.find(kProcess, at + 1)) {
        std::string_view rest = text.substr(at + kProcess.size());
        const std::size_t digits = std::min(rest.find_first_not_of(kCutFigures), rest.size());
        rest.remove_prefix(digits);
        const std::optional<Bytes> held =
            digits > 0 && rest.starts_with("has") ? sizeAfter(rest, "has") : std::nullopt;
        if (held && *held / reserved >= kRounded && (!own || *held < *own)) {
            own = held;
        }
    }
    return own;
}

using Kind = MemoryMessage::Kind;
using Runtime = MemoryMessage::Runtime;
using Remedy = MemoryMessage::Remedy;

/// A limit on PyTorch that is no less than the GPU is none.
std::optional<Bytes> limitOf(std::optional<Bytes> allowed, std::optional<Bytes> capacity) {
    return allowed && capacity && *allowed >= *capacity ? std::nullopt : allowed;
}

/// How the message calls the variable of the allocator's options.
std::string_view optionsNamed(std::string_view text, Runtime runtime) {
    if (isThere(text, "pytorch_alloc_conf")) {
        return "PYTORCH_ALLOC_CONF";
    }
    return runtime == Runtime::Hip ? "PYTORCH_HIP_ALLOC_CONF" : "PYTORCH_CUDA_ALLOC_CONF";
}

/// Up to torch 2.0 the sizes are in brackets; expandable_segments came with 2.1.
Remedy remedyOf(std::string_view text) {
    if (!isThere(text, "total capacity;")) {
        return Remedy::Segments;
    }
    return isThere(text, "max_split_size_mb") ? Remedy::SplitSize : Remedy::None;
}

/// "… total capacity of 79.15 GiB of which 12.25 MiB is free. Including non-PyTorch memory, this
/// process has 79.13 GiB memory in use. Of the allocated memory 75.61 GiB is allocated by PyTorch,
/// and 1.56 GiB is reserved by PyTorch but unallocated", or up to torch 2.0 "(GPU 0; 39.41 GiB
/// total capacity; 36.94 GiB already allocated; 1.06 GiB free; 37.80 GiB reserved in total by
/// PyTorch)", at first "… 776 MiB cached)".
template <Runtime runtime>
MemoryMessage readFailure(std::string_view text) {
    MemoryMessage message{.runtime = runtime, .remedy = remedyOf(text)};
    message.options = optionsNamed(text, runtime);
    message.tried = sizeAfter(text, "tried to allocate ");
    message.capacity = firstOf({sizeAfter(text, "total capacity of "),
                                sizeAfter(text, "total capacty of "),
                                sizeBefore(text, " total capacity")});
    message.free = firstOf(
        {sizeBefore(text, " is free"), sizeBefore(text, " free;"), sizeBefore(text, " free)")});
    message.allowed = limitOf(sizeBefore(text, " allowed;"), message.capacity);
    message.inUse = sizeAfter(text, "this process has ");
    message.allocated = firstOf(
        {sizeBefore(text, " is allocated by pytorch"), sizeBefore(text, " already allocated")});
    message.privatePools = sizeBefore(text, " allocated in private pools");
    message.unallocated = firstOf(
        {sizeBefore(text, " is reserved by pytorch but unallocated"), sizeBefore(text, " cached")});
    const std::optional<Bytes> reserved = sizeBefore(text, " reserved in total by pytorch");
    if (reserved && message.allocated && *reserved >= *message.allocated) {
        message.unallocated = *reserved - *message.allocated;
    }
    if (!message.inUse && message.reserved()) {
        message.inUse = ownProcess(text, *message.reserved());
    }
    return message;
}

/// "Allocation on device 0 would exceed allowed memory. (out of memory) / Currently allocated     :
/// 21.76 GiB / Requested : 1.25 GiB / Device limit : 23.99 GiB / Free (according to CUDA): 0 bytes
/// / PyTorch limit (set by user-supplied memory fraction) : …", of the allocator cudaMallocAsync.
MemoryMessage readAsync(std::string_view text) {
    const auto of = [text](std::string_view words) -> std::optional<Bytes> {
        const std::size_t at = placeOf(text, words);
        const std::size_t colon = at == std::string_view::npos ? at : text.find(':', at);
        return colon == std::string_view::npos ? std::nullopt : sizeAtFront(text.substr(colon + 1));
    };
    MemoryMessage message;
    message.allocated = of("currently allocated");
    message.tried = of("requested");
    message.capacity = of("device limit");
    message.free = of("free (according to cuda)");
    message.allowed = limitOf(of("pytorch limit"), message.capacity);
    return message;
}

/// "MPS backend out of memory (MPS allocated: 17.05 GB, other allocations: 512.00 KB, max allowed:
/// 18.13 GB). Tried to allocate 1.50 GB on private pool."
MemoryMessage readMps(std::string_view text) {
    MemoryMessage message{.runtime = Runtime::Mps};
    message.allocated = sizeAfter(text, "mps allocated: ");
    message.beside = sizeAfter(text, "other allocations: ");
    message.allowed = sizeAfter(text, "max allowed: ");
    message.tried = sizeAfter(text, "tried to allocate ");
    return message;
}

/// "DefaultCPUAllocator: can't allocate memory: you tried to allocate 68719476736 bytes."
MemoryMessage readHostFailure(std::string_view text) {
    MemoryMessage message{.kind = Kind::Host};
    message.tried = sizeAfter(text, "tried to allocate ");
    return message;
}

/// "memory (MB) | allocated: 38922.1 | max allocated: 47104.3 | reserved: 48930.0 | …".
MemoryMessage readMegatron(std::string_view text) {
    MemoryMessage message{.kind = MemoryMessage::Kind::Megatron};
    message.allocated = sizeAfter(text, "| allocated:", "mb");
    message.maxAllocated =
        firstOf({sizeAfter(text, "max allocated:", "mb"), sizeAfter(text, "max-allocated:", "mb")});
    message.maxReserved =
        firstOf({sizeAfter(text, "max reserved:", "mb"), sizeAfter(text, "max-reserved:", "mb")});
    return message;
}

/// "MA 14.96 GB         Max_MA 14.96 GB         CA 22.0 GB         Max_CA 22 GB".
MemoryMessage readDeepSpeed(std::string_view text) {
    MemoryMessage message{.kind = MemoryMessage::Kind::DeepSpeed};
    message.allocated = sizeBefore(text, "max_ma");
    message.maxAllocated = sizeAfter(text, "max_ma ");
    if (!message.maxAllocated) {
        return {.kind = MemoryMessage::Kind::DeepSpeed};
    }
    message.maxReserved = sizeAfter(text, "max_ca ");
    return message;
}

template <MemoryMessage::Kind kind>
MemoryMessage withoutSizes(std::string_view /*text*/) {
    return {.kind = kind};
}

using ReadMessage = MemoryMessage (*)(std::string_view);
struct Form {
    std::string_view begins;
    ReadMessage read;
    std::size_t most;        ///< bytes of such a message
    std::size_t before = 0;  ///< bytes of it that stand before that
};
/// A failure says more than a report, and PyTorch's own failure more than others'.
constexpr std::array kForms = {
    Form{"hip out of memory. tried to allocate", &readFailure<Runtime::Hip>, 1200},
    Form{"xpu out of memory. tried to allocate", &readFailure<Runtime::Xpu>, 1200},
    Form{"out of memory. tried to allocate", &readFailure<Runtime::Cuda>, 1200},
    Form{"would exceed allowed memory. (out of memory)", &readAsync, 500},
    Form{"mps backend out of memory", &readMps, 300},
    Form{"tried to allocate more than 1eb memory", &withoutSizes<Kind::TooLarge>, 1},
    Form{"cuda runtime error (2)", &withoutSizes<Kind::Unsized>, 1},
    Form{"error=2 : out of memory", &withoutSizes<Kind::Unsized>, 1},
    Form{"cuda error: out of memory", &withoutSizes<Kind::Driver>, 1},
    Form{"hip error: out of memory", &withoutSizes<Kind::Driver>, 1},
    Form{"driver error: out of memory", &withoutSizes<Kind::Driver>, 1},
    Form{"cuda failure 2 'out of memory'", &withoutSizes<Kind::Nccl>, 1},
    Form{"cuda failure 'out of memory'", &withoutSizes<Kind::Nccl>, 1},
    Form{"hip failure 'out of memory'", &withoutSizes<Kind::Nccl>, 1},
    Form{"cublas_status_alloc_failed", &withoutSizes<Kind::Cublas>, 1},
    Form{"oom_kill", &withoutSizes<Kind::Host>, 1},
    Form{"oom-kill", &withoutSizes<Kind::Host>, 1},
    Form{"oomkilled", &withoutSizes<Kind::Host>, 1},
    Form{"out of memory: kill", &withoutSizes<Kind::Host>, 1},
    Form{"exceeded memory limit", &withoutSizes<Kind::Host>, 1},
    Form{"defaultcpuallocator: ", &readHostFailure, 200},
    Form{"$ torch: not enough memory: ", &readHostFailure, 200},
    Form{"memoryerror: unable to allocate", &withoutSizes<Kind::Host>, 1},
    Form{"workers are out of shared memory", &withoutSizes<Kind::SharedMemory>, 1},
    Form{"memory (mb)", &readMegatron, 300},
    Form{"max_ma ", &readDeepSpeed, 200, kMostSize}};

/// By the calls of the last traceback before a place. An evaluation within training is one. It is
/// looked for through all that stands before, so for one message of a log alone.
MemoryMessage::Phase phaseBefore(std::string_view text, std::size_t at) {
    constexpr std::array<std::string_view, 3> kEvaluates = {
        "evaluation_loop", "prediction_step", "validation_step"};
    constexpr std::array<std::string_view, 4> kTrains = {
        "training_step", "train_step", "backward(", "optimizer.step("};
    const std::size_t begin = text.rfind(squeezed("traceback (most recent call last)"), at);
    if (begin == std::string_view::npos) {
        return MemoryMessage::Phase::Unknown;
    }
    const std::string_view calls = text.substr(begin, at - begin);
    const auto isCalled = [calls](std::string_view name) { return isThere(calls, name); };
    if (std::ranges::any_of(kEvaluates, isCalled)) {
        return MemoryMessage::Phase::Evaluation;
    }
    return std::ranges::any_of(kTrains, isCalled) ? MemoryMessage::Phase::Training
                                                  : MemoryMessage::Phase::Unknown;
}

/// What decides is the peak where a report has one, and what was held where an allocation failed.
std::int64_t heldBy(const MemoryMessage& message) {
    return message.maxAllocated.value_or(message.allocated.value_or(Bytes())).count();
}

struct FoundMessage {
    MemoryMessage message;
    std::ptrdiff_t at = 0;
};

/// Of the messages of a form the one whose process held most. A log may have very many.
std::optional<FoundMessage> fullestOf(std::string_view text, const Form& form) {
    std::optional<FoundMessage> fullest;
    std::size_t found = 0;
    const std::string begins = squeezed(form.begins);
    std::size_t at = text.find(begins);
    while (at != std::string_view::npos) {
        const std::size_t next = text.find(begins, at + begins.size());
        const std::size_t before = std::min(form.before, at);
        const MemoryMessage message =
            form.read(text.substr(at - before, before + std::min(form.most, next - at)));
        if (message.allocated || message.maxAllocated || message.tried || !message.hasSizes()) {
            ++found;
            if (!fullest || heldBy(message) > heldBy(fullest->message)) {
                fullest = {message, static_cast<std::ptrdiff_t>(at)};
            }
        }
        at = next;
    }
    if (fullest) {
        fullest->message.others = found - 1;
    }
    return fullest;
}

/// Parts of a GPU are no more than the GPU, but for what spilled out of it. What a message rounds
/// is little beside it.
Result<MemoryMessage> possible(MemoryMessage message, const std::string& source) {
    constexpr double kRounded = 1.01;
    const auto refuse = [&](const char* what) {
        return fail(Error::Code::BadInput,
                    source + ":" + std::to_string(message.line),
                    std::string("the message says that ") + what,
                    "paste it as it was printed");
    };
    if (!message.capacity) {
        return message;
    }
    if (*message.capacity <= Bytes()) {
        return refuse("the GPU has no memory");
    }
    const auto isMore = [&](const std::optional<Bytes>& part) {
        return part && *part / *message.capacity > kRounded;
    };
    const bool isMoreHeld =
        isMore(message.allocated) || isMore(message.reserved()) || isMore(message.inUse);
    if (isMoreHeld && !message.spilled()) {
        return refuse("the process held more than the GPU has");
    }
    if (isMore(message.free)) {
        return refuse("more was free than the GPU has");
    }
    return message;
}

/// Messages of memory, or nearly, that say nothing to be answered: whose they are, and what helps.
struct UnreadForm {
    std::string_view begins;
    std::string_view what;
    std::string_view hint;
};
constexpr std::string_view kOfOthers = "messages of PyTorch, Megatron and DeepSpeed are read";
constexpr std::array kUnreadForms = {
    UnreadForm{"error: allocation on device",
               "the first line of cudaMallocAsync's message, without its sizes",
               "paste the lines below it too: Currently allocated, Requested, Device limit"},
    UnreadForm{"resource_exhausted: ", "a message of XLA (JAX)", kOfOthers},
    UnreadForm{"oom when allocating tensor", "a message of TensorFlow", kOfOthers},
    UnreadForm{"error out of memory at line",
               "a message of bitsandbytes, which says no sizes",
               "fabricast explain, with the run's scenario or flags"},
    UnreadForm{"cudnn_status_alloc_failed",
               "a message of cuDNN, which says no sizes",
               "fabricast explain, with the run's scenario or flags"},
    UnreadForm{"out of resource: shared memory",
               "a message of Triton, of the shared memory of one kernel and not of the GPU's",
               "smaller blocks of that kernel, or another kernel"},
    UnreadForm{"no space left on device",
               "a message of a full disk, and not of memory",
               "room on the disk, or another folder for the files"}};

Error noMessageIn(std::string_view text, std::string_view small, const std::string& source) {
    for (const UnreadForm& form : kUnreadForms) {
        if (const std::size_t at = placeOf(small, form.begins); at != std::string_view::npos) {
            return {Error::Code::BadInput,
                    source + ":" + std::to_string(lineOfUnwrapped(text, at)),
                    "is " + std::string(form.what),
                    std::string(form.hint)};
        }
    }
    return {Error::Code::BadInput,
            source,
            "there is no out-of-memory message and no memory report of PyTorch, Megatron or "
            "DeepSpeed in it",
            "paste the line that begins with \"CUDA out of memory. Tried to allocate\""};
}

}  // namespace

Result<MemoryMessage> parseMemoryMessage(std::string_view text, const std::string& source) {
    const std::string small = inSmallLetters(unwrappedLog(text));
    for (const Form& form : kForms) {
        if (std::optional<FoundMessage> fullest = fullestOf(small, form)) {
            MemoryMessage& message = fullest->message;
            message.line = lineOfUnwrapped(text, static_cast<std::size_t>(fullest->at));
            message.phase = phaseBefore(small, static_cast<std::size_t>(fullest->at));
            return possible(message, source);
        }
    }
    return tl::unexpected(noMessageIn(text, small, source));
}

}  // namespace fabricast
