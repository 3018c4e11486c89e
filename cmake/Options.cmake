# Warnings, sanitizers and the include root, shared by every target.
add_library(fabricast_options INTERFACE)
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH include_root)
target_include_directories(fabricast_options INTERFACE "${include_root}")
set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wdouble-promotion
             # Designated initialisers leave the other fields at their defaults on purpose.
             -Wno-missing-field-initializers $<$<BOOL:${FABRICAST_WERROR}>:-Werror>)
# What nvcc makes of a kernel for the host compiler is not pedantic, nor free of old casts.
set(kernel_warnings -Wall,-Wextra,-Wno-missing-field-initializers $<$<BOOL:${FABRICAST_WERROR}>:-Werror>)
target_compile_options(
  fabricast_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>"
                              "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=$<JOIN:${kernel_warnings},$<COMMA>>>")
# GCC collects its garbage again and again while it compiles many sources at a time: without, a build ends a sixth
# sooner, with 1.1 GB a compiler instead of 0.9.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND FABRICAST_UNITY GREATER 1)
  set(unhurried --param=ggc-min-expand=1000 --param=ggc-min-heapsize=800000)
  target_compile_options(fabricast_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${unhurried}>")
endif()
# Standard containers check their own bounds wherever tests run.
target_compile_definitions(fabricast_options INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
if(FABRICAST_SANITIZE)
  set(sanitize -fsanitize=${FABRICAST_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  # GCC 12 takes what they add for uses of uninitialised values.
  target_compile_options(fabricast_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${sanitize};-Wno-maybe-uninitialized>")
  target_link_options(fabricast_options INTERFACE -fsanitize=${FABRICAST_SANITIZE})
endif()
# A development build links sixty tests, which gold does in half the time.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=gold FABRICAST_HAS_GOLD)
if(FABRICAST_HAS_GOLD)
  target_link_options(fabricast_options INTERFACE $<$<CONFIG:Debug>:-fuse-ld=gold>)
endif()
