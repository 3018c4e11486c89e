// What libFuzzer calls: FABRICAST_FUZZED names the parser; with another name all are listed, each
// with its seeds. A trouble is told, and ends the program as a crash does.
#include "tests/fuzz/parsers/parsers.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

const fabricast::FuzzedParser& asked() {
    const char* const name = std::getenv("FABRICAST_FUZZED");
    const fabricast::FuzzedParser* const parser =
        fabricast::fuzzedParser(name == nullptr ? "" : name);
    if (parser == nullptr) {
        for (const fabricast::FuzzedParser& one : fabricast::fuzzedParsers()) {
            std::puts((std::string(one.name) + " " + std::string(one.seeds)).c_str());
        }
        std::fflush(stdout);
        std::_Exit(2);  // what libFuzzer does at exit would call it a crash
    }
    return *parser;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const fabricast::FuzzedParser& parser = asked();
    const std::string trouble = parser.take(std::string(reinterpret_cast<const char*>(data), size));
    if (!trouble.empty()) {
        std::fprintf(stderr, "%s\n", trouble.c_str());
        std::abort();
    }
    return 0;
}
