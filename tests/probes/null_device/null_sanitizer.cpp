// What is preloaded comes before the address sanitizer, which otherwise refuses to start so. CUDA's
// libraries keep memory until the end.
#if defined(__SANITIZE_ADDRESS__)
extern "C" const char* __asan_default_options() {  // NOLINT: the sanitizer's own name
    return "verify_asan_link_order=0:detect_leaks=0";
}
#endif
