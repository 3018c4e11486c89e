# Warnings, sanitizers and the include root, shared by every target.
add_library(fabricast_options INTERFACE)
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH include_root)
target_include_directories(fabricast_options INTERFACE "${include_root}")
target_compile_options(
  fabricast_options
  INTERFACE -Wall
            -Wextra
            -Wpedantic
            -Wshadow
            -Wconversion
            -Wsign-conversion
            -Wold-style-cast
            -Wdouble-promotion
            # Designated initialisers leave the other fields at their defaults on purpose.
            -Wno-missing-field-initializers
            $<$<BOOL:${FABRICAST_WERROR}>:-Werror>)
# Standard containers check their own bounds wherever tests run.
target_compile_definitions(fabricast_options INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
if(FABRICAST_SANITIZE)
  target_compile_options(fabricast_options INTERFACE -fsanitize=${FABRICAST_SANITIZE}
                                                     -fno-omit-frame-pointer
                                                     -fno-sanitize-recover=all)
  target_link_options(fabricast_options INTERFACE -fsanitize=${FABRICAST_SANITIZE})
endif()
