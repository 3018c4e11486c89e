#include "planner/profiles/profile_list.h"
#include "planner/profiles/profile_store.h"
#include "planner/profiles/read_kernels.h"
#include "planner/profiles/read_profile.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <string_view>

namespace fabricast {
namespace {

/// What people and broken tools put into files.
constexpr std::array<std::string_view, 18> kJunk = {"null",
                                                    "-1",
                                                    "0",
                                                    "1e309",
                                                    "\"9e30 GB\"",
                                                    "\"0 GB/s\"",
                                                    "\"nan W\"",
                                                    "[]",
                                                    "{}",
                                                    "[[[[[[",
                                                    "\"\\ud800\"",
                                                    "\"",
                                                    ",",
                                                    "\xff",
                                                    "// x",
                                                    "/*",
                                                    "9223372036854775808",
                                                    "{\"value\": {\"value\": 1}}"};

/// One shipped file, damaged in one to four places.
class Mutator {
public:
    explicit Mutator(unsigned seed) : random_(seed) {}

    std::string mutate(std::string text) {
        const std::size_t edits = 1 + below(4);
        for (std::size_t edit = 0; edit < edits && !text.empty(); ++edit) {
            editOnce(text);
        }
        return text;
    }
    std::size_t below(std::size_t bound) { return random_() % bound; }

private:
    void editOnce(std::string& text) {
        const std::size_t at = below(text.size());
        const std::size_t length = 1 + below(20);
        switch (below(5)) {
            case 0:
                text[at] = static_cast<char>(below(256));
                break;
            case 1:
                text.erase(at, length);
                break;
            case 2:
                text.insert(at, text.substr(below(text.size()), length));
                break;
            case 3:
                text.insert(at, kJunk[below(kJunk.size())]);
                break;
            default:
                replaceValue(text, at);
        }
    }

    /// Puts junk in place of the next value.
    void replaceValue(std::string& text, std::size_t from) {
        const std::size_t colon = text.find(": ", from);
        const std::size_t end = text.find_first_of(",\n", colon);
        if (colon != std::string::npos && end != std::string::npos) {
            text.replace(colon + 2, end - colon - 2, kJunk[below(kJunk.size())]);
        }
    }

    std::mt19937 random_;
};

template <class T>
void expectSane(const Sourced<T>& number, const std::string& text) {
    if (number.value) {
        const auto value = static_cast<double>(number.value->count());
        EXPECT_TRUE(std::isfinite(value) && value > 0) << text;
    }
}

template <class T>
void expectAnswerOrPlace(const Result<T>& read, const std::string& text) {
    if (!read) {
        EXPECT_TRUE(read.error().where.starts_with("m.json:")) << read.error().text() << text;
        EXPECT_NE(read.error().why, "");
    }
}

void readAs(const ProfileStore& store, std::string_view path, const std::string& text) {
    const Result<JsonValue> root = parseJson(text, "m.json");
    expectAnswerOrPlace(root, text);
    if (!root) {
        return;
    }
    if (path.starts_with("gpus/")) {
        const Result<GpuSpec> gpu = readGpuProfile(*root);
        expectAnswerOrPlace(gpu, text);
        if (gpu) {
            expectSane(gpu->capacity(), text);
            expectSane(gpu->memoryBandwidth, text);
            expectSane(gpu->power, text);
        }
    } else if (path.starts_with("kernels/")) {
        const Result<KernelFile> kernels = readKernelFile(*root);
        expectAnswerOrPlace(kernels, text);
        EXPECT_TRUE(!kernels || kernels->donor || kernels->fitted.multiprocessors > 0) << text;
    } else if (path.starts_with("fabrics/")) {
        const Result<FabricSpec> fabric = readFabricProfile(*root, {});
        expectAnswerOrPlace(fabric, text);
        if (fabric) {
            expectSane(fabric->linkBandwidth, text);
        }
    } else if (path.starts_with("prices/")) {
        const Result<PriceProfile> price = store.priceIn(text, "m.json");
        expectAnswerOrPlace(price, text);
        for (const auto& [gpu, each] : price ? price->gpus : PriceProfile().gpus) {
            expectSane(each.onDemand, text);
            expectSane(each.purchase, text);
        }
        EXPECT_TRUE(!price || price->ownership.years.value.value_or(1.0) > 0.0) << text;
    } else if (path.starts_with("sites/")) {
        const Result<SiteProfile> site = store.siteIn(text, "m.json");
        expectAnswerOrPlace(site, text);
        if (site) {
            expectSane(site->reliability.gpuMtbf, text);
            EXPECT_GE(site->power.pue.value.value_or(1.0), 1.0) << text;
        }
    } else {
        const Result<ClusterSpec> cluster = store.clusterIn(text, "m.json");
        expectAnswerOrPlace(cluster, text);
        EXPECT_TRUE(!cluster || cluster->gpus() > 0) << text;
    }
}

TEST(ProfileMutation, AnyBytesGiveAnAnswerOrAnErrorWithItsPlace) {
    const ProfileStore store = ProfileStore::builtIn();
    std::vector<const EmbeddedFile*> files;
    for (const EmbeddedFile& file : embeddedProfiles()) {
        for (const std::string_view folder :
             {"gpus/", "nodes/", "fabrics/", "clusters/", "kernels/", "prices/", "sites/"}) {
            // There are few of the last two: each is weighted.
            const bool few = folder == "prices/" || folder == "sites/";
            if (file.path.starts_with(folder)) {
                files.insert(files.end(), few ? 10 : 1, &file);
            }
        }
    }
    constexpr unsigned kSeed = 20261120;
    constexpr int kRounds = 3000;
    Mutator mutator(kSeed);
    for (int round = 0; round < kRounds; ++round) {
        const EmbeddedFile& file = *files[mutator.below(files.size())];
        readAs(store, file.path, mutator.mutate(std::string(file.text)));
    }
}

}  // namespace
}  // namespace fabricast
