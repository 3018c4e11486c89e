#include "planner/measured/parse_memory_message.h"

#include "planner/base/small_letters.h"
#include "planner/measured/memory_forms.h"
#include "planner/measured/message_sizes.h"

#include <algorithm>
#include <array>

namespace fabricast {

namespace {

/// Whether the host's memory was to be pinned, by the calls before the message or right behind it,
/// where a traceback was pasted upside down.
bool wasPinning(std::string_view text, std::size_t at) {
    constexpr std::size_t kAround = 2000;
    constexpr std::size_t kBehind = 400;
    const std::size_t from = at < kAround ? 0 : at - kAround;
    const std::string_view around = text.substr(from, at - from + kBehind);
    return isThere(around, ".pin_memory()") || isThere(around, "cudahostalloc");
}

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
    return firstOf({message.maxAllocated, message.allocated, message.maxReserved, message.inUse})
        .value_or(Bytes())
        .count();
}

/// Whether it is one: a report of all that is used has neither tensors nor a failure.
bool saysSizes(const MemoryMessage& message) {
    const bool isReport =
        !message.isFailure() && (message.maxReserved || (message.capacity && message.free));
    return message.allocated || message.maxAllocated || message.tried || !message.hasSizes() ||
           isReport;
}

struct FoundMessage {
    MemoryMessage message;
    std::ptrdiff_t at = 0;
};

/// Of the messages of a form the one whose process held most. A log may have very many.
std::optional<FoundMessage> fullestOf(std::string_view text, const MemoryForm& form) {
    std::optional<FoundMessage> fullest;
    std::size_t found = 0;
    const std::string begins = squeezed(form.begins);
    std::size_t at = text.find(begins);
    while (at != std::string_view::npos) {
        const std::size_t next = text.find(begins, at + begins.size());
        const std::size_t before = std::min(form.before, at);
        const MemoryMessage message =
            form.read(text.substr(at - before, before + std::min(form.most, next - at)));
        if (saysSizes(message)) {
            ++found;
            if (!fullest || heldBy(message) > heldBy(fullest->message)) {
                fullest = {message, static_cast<std::ptrdiff_t>(at)};
            }
        }
        at = next;
    }
    if (fullest) {
        fullest->message.others += found - 1;
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

/// The first form that is in a text, with the message where it has one.
struct FoundForm {
    const MemoryForm* form = nullptr;
    FoundMessage found;
};

std::optional<FoundForm> firstForm(std::string_view small) {
    for (const MemoryForm& form : memoryForms()) {
        if (form.read != nullptr) {
            if (const std::optional<FoundMessage> fullest = fullestOf(small, form)) {
                return FoundForm{&form, *fullest};
            }
        } else if (const std::size_t at = placeOf(small, form.begins);
                   at != std::string_view::npos) {
            return FoundForm{&form, {.message = {}, .at = static_cast<std::ptrdiff_t>(at)}};
        }
    }
    return std::nullopt;
}

}  // namespace

bool hasMemoryMessage(std::string_view text) {
    return firstForm(inSmallLetters(unwrappedLog(text))) || killedLine(text);
}

Result<MemoryMessage> parseMemoryMessage(std::string_view text, const std::string& source) {
    const std::string small = inSmallLetters(unwrappedLog(text));
    const std::optional<FoundForm> first = firstForm(small);
    if (!first) {
        if (const std::optional<std::int64_t> line = killedLine(text)) {
            return MemoryMessage{.kind = MemoryMessage::Kind::Killed, .line = *line};
        }
        return fail(Error::Code::BadInput,
                    source,
                    "there is no out-of-memory message and no memory report of PyTorch, "
                    "torchtitan, Megatron, DeepSpeed or nvidia-smi in it",
                    "paste the line that begins with \"CUDA out of memory. Tried to allocate\", "
                    "or what torch.cuda.memory_summary() returns");
    }
    const auto at = static_cast<std::size_t>(first->found.at);
    const std::int64_t line = lineOfUnwrapped(text, at);
    if (first->form->read == nullptr) {
        return fail(Error::Code::BadInput,
                    source + ":" + std::to_string(line),
                    "is " + std::string(first->form->what),
                    std::string(first->form->hint));
    }
    MemoryMessage message = first->found.message;
    message.line = line;
    message.phase = phaseBefore(small, at);
    if (message.kind == MemoryMessage::Kind::Driver && wasPinning(small, at)) {
        message.kind = MemoryMessage::Kind::Pinned;
    }
    return possible(message, source);
}

}  // namespace fabricast
