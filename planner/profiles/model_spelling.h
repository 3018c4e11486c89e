#pragma once
#include <string>
#include <string_view>

namespace fabricast {

/// What two spellings of one architecture share: without the organisation, the words for what the
/// checkpoint was tuned for and how it is stored, and the date, which is one of the calendar.
/// Nothing of a name that begins or ends between two words: a part of it is missing.
///     modelStem("meta-llama/Llama-3.1-8B-Instruct")  ==  modelStem("llama3.1:8b")
std::string modelStem(std::string_view name);

/// Whether every word of `typed` is a word of `name`: "llama-70b" of "llama-3.1-70b".
bool hasWordsOf(std::string_view name, std::string_view typed);

}  // namespace fabricast
