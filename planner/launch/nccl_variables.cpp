#include "planner/launch/nccl_variables.h"

#include "planner/launch/allocator_options.h"
#include "planner/spec/setting_fields.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>
#include <type_traits>

namespace fabricast {
namespace {

struct NcclNumber {
    std::string_view variable;
    std::int64_t NcclSettings::*member;
};
constexpr std::array kNcclNumbers = {
    NcclNumber{"NCCL_BUFFSIZE", &NcclSettings::buffer},
    NcclNumber{"NCCL_LL128_BUFFSIZE", &NcclSettings::ll128Buffer},
    NcclNumber{"NCCL_LL_BUFFSIZE", &NcclSettings::llBuffer},
    NcclNumber{"NCCL_MIN_NCHANNELS", &NcclSettings::minChannels},
    NcclNumber{"NCCL_MAX_NCHANNELS", &NcclSettings::maxChannels},
    NcclNumber{"NCCL_MIN_CTAS", &NcclSettings::minCtas},
    NcclNumber{"NCCL_MAX_CTAS", &NcclSettings::maxCtas},
    NcclNumber{"NCCL_NVLS_CHUNKSIZE", &NcclSettings::nvlsChunk},
    NcclNumber{"NCCL_P2P_NVL_CHUNKSIZE", &NcclSettings::p2pNvlChunk},
    NcclNumber{"NCCL_P2P_PCI_CHUNKSIZE", &NcclSettings::p2pPciChunk},
    NcclNumber{"NCCL_P2P_NET_CHUNKSIZE", &NcclSettings::p2pNetChunk}};

/// On unless the variable has the value that turns it off.
struct NcclSwitch {
    std::string_view variable;
    std::int64_t off;
    bool NcclSettings::*member;
};
constexpr std::array kNcclSwitches = {NcclSwitch{"NCCL_P2P_DISABLE", 1, &NcclSettings::p2p},
                                      NcclSwitch{"NCCL_NVLS_ENABLE", 0, &NcclSettings::nvls}};

struct NcclAlgorithm {
    std::string_view name;
    bool NcclSettings::*member;
};
constexpr std::array kNcclAlgorithms = {NcclAlgorithm{"ring", &NcclSettings::ring},
                                        NcclAlgorithm{"tree", &NcclSettings::tree},
                                        NcclAlgorithm{"nvls", &NcclSettings::nvls}};

/// They change nothing that NCCL holds, or something that is not modelled.
constexpr std::array<std::string_view, 9> kNotOfBuffers = {"NCCL_CUMEM_ENABLE",
                                                           "NCCL_MAX_NRINGS",
                                                           "NCCL_MAX_P2P_NCHANNELS",
                                                           "NCCL_MIN_NRINGS",
                                                           "NCCL_MIN_P2P_NCHANNELS",
                                                           "NCCL_NCHANNELS_PER_PEER",
                                                           "NCCL_P2P_LEVEL",
                                                           "NCCL_RUNTIME_CONNECT",
                                                           "NCCL_SHM_DISABLE"};

std::optional<std::int64_t> wholeNumber(std::string_view text) {
    std::int64_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool isWhole = read.ec == std::errc() && read.ptr == text.data() + text.size();
    return isWhole ? std::optional(number) : std::nullopt;
}

/// Calls visit(name, least, most) for the field of a member.
template <class Value, class Visit>
void fieldOf(Value NcclSettings::*member, Visit&& visit) {
    fieldsOf(NcclSettings(), [&](const auto& field) {
        if constexpr (std::is_same_v<decltype(field.member), Value NcclSettings::*>) {
            if (field.member == member) {
                visit("settings.nccl." + std::string(field.name), field.least, field.most);
            }
        }
    });
}

void noteUnread(ScenarioDraft& draft, const LaunchKey& key, std::string_view variable) {
    draft.note(std::string(variable) + "=" + key.values.front() +
               ": not looked at in the memory of NCCL's buffers (--why collectives)");
}

void importNumber(ScenarioDraft& draft, const NcclNumber& one) {
    const LaunchKey* const key = variableOf(draft.keys(), one.variable);
    if (key == nullptr) {
        return;
    }
    const std::optional<std::int64_t> number = wholeNumber(key->values.front());
    fieldOf(one.member, [&](const std::string& path, double least, double most) {
        const auto given = static_cast<double>(number.value_or(-1));
        if (given >= least && given <= most) {
            draft.set(path, *number, key->path);
        } else {
            noteUnread(draft, *key, one.variable);
        }
    });
}

void setSwitch(ScenarioDraft& draft,
               bool NcclSettings::*member,
               bool isOn,
               const std::string& from) {
    if (!isOn) {
        fieldOf(member,
                [&](const std::string& path, double, double) { draft.set(path, false, from); });
    }
}

void importSwitch(ScenarioDraft& draft, const NcclSwitch& one) {
    const LaunchKey* const key = variableOf(draft.keys(), one.variable);
    if (key == nullptr) {
        return;
    }
    const std::optional<std::int64_t> number = wholeNumber(key->values.front());
    if (number) {
        setSwitch(draft, one.member, *number != one.off, key->path);
    } else {
        noteUnread(draft, *key, one.variable);
    }
}

/// "Ring,Tree", or "^NVLS" for all others; what is of one collective alone is not looked at.
void importAlgorithms(ScenarioDraft& draft) {
    const LaunchKey* const key = variableOf(draft.keys(), "NCCL_ALGO");
    if (key == nullptr) {
        return;
    }
    std::string text = key->values.front();
    std::ranges::transform(
        text, text.begin(), [](unsigned char one) { return static_cast<char>(std::tolower(one)); });
    if (text.empty() || text.find_first_of(":;$`") != std::string::npos) {
        noteUnread(draft, *key, "NCCL_ALGO");
        return;
    }
    const bool allBut = text.front() == '^';
    const std::string list = "," + text.substr(allBut ? 1 : 0) + ",";
    for (const NcclAlgorithm& one : kNcclAlgorithms) {
        const bool isNamed = list.find("," + std::string(one.name) + ",") != std::string::npos;
        setSwitch(draft, one.member, isNamed != allBut, key->path);
    }
}

}  // namespace

void importNcclVariables(ScenarioDraft& draft) {
    for (const NcclNumber& one : kNcclNumbers) {
        importNumber(draft, one);
    }
    importAlgorithms(draft);
    for (const NcclSwitch& one : kNcclSwitches) {
        importSwitch(draft, one);
    }
    for (const std::string_view one : kNotOfBuffers) {
        if (const LaunchKey* const key = variableOf(draft.keys(), one)) {
            noteUnread(draft, *key, one);
        }
    }
}

std::vector<std::string> ncclVariables(const NcclSettings& settings) {
    const NcclSettings usual;
    std::vector<std::string> variables;
    const auto add = [&variables](std::string_view name, const std::string& value) {
        variables.push_back(std::string(name) + "=" + value);
    };
    for (const NcclNumber& one : kNcclNumbers) {
        if (settings.*one.member != usual.*one.member) {
            add(one.variable, std::to_string(settings.*one.member));
        }
    }
    if (!settings.p2p) {
        add("NCCL_P2P_DISABLE", "1");
    }
    if (settings.ring && settings.tree) {
        if (!settings.nvls) {
            add("NCCL_NVLS_ENABLE", "0");
        }
        return variables;
    }
    std::string names;
    for (const NcclAlgorithm& one : kNcclAlgorithms) {
        if (settings.*one.member) {
            names += (names.empty() ? "" : ",") + std::string(one.name);
        }
    }
    add("NCCL_ALGO", names);
    return variables;
}

}  // namespace fabricast
