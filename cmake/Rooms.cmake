# fabricast_room(planner/memory LIBS fmt::fmt): a library from the sources of one folder, and of those given
# after FOLDERS within it. It links the rooms that tests/layering/rooms.txt lets it include, so a
# missing arrow fails both here and in the layering test.
cmake_path(SET fabricast_law NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../tests/layering/rooms.txt")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${fabricast_law}")
file(STRINGS "${fabricast_law}" fabricast_arrows REGEX "^[a-z]")
set(fabricast_root "${CMAKE_CURRENT_LIST_DIR}/..")

# The rooms that `folder` may include.
function(fabricast_arrows_of folder result)
  foreach(line IN LISTS fabricast_arrows)
    string(REGEX REPLACE " +" ";" words "${line}")
    list(POP_FRONT words room)
    string(REPLACE "?" "" room "${room}")
    if(room STREQUAL folder)
      set(${result} "${words}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "tests/layering/rooms.txt has no line for ${folder}")
endfunction()

# How many sources at a time: so many at most, and about the same number each time, for a small last batch
# leaves the other processors without work at the end.
function(fabricast_batch_size sources most result)
  list(LENGTH sources count)
  math(EXPR batches "(${count} + ${most} - 1) / ${most}")
  math(EXPR size "(${count} + ${batches} - 1) / ${batches}")
  set(${result} ${size} PARENT_SCOPE)
endfunction()

# What is measured or measures is compiled one by one, but where it is only tested.
set(fabricast_alone "^probes/(cpu|cuda|host|mpi|nccl)$")
# What runs once for a question, outside the search and the simulation: a release compiles it a quarter sooner so.
set(fabricast_once "^(cli|flags|manual|study|machine|planner/(backtest|launch|lint|load|measured|models|profiles|report|request))$|^simulator/(report|topology|trace)$|^probes/(fit|launch|record)$")

# Where tests of all rooms spend most of their time: a development build optimises it as a release does.
set(fabricast_often "^planner/memory/(device|walk)$")
# And where least: it takes a sixth less to compile these so.
set(fabricast_seldom "^(gui|gui/.*|cli|machine|study|planner/(backtest|lint|report))$")

# The flag of a room that is optimised in another way than its build type is.
function(fabricast_optimisation folder result)
  set(${result} "" PARENT_SCOPE)
  if(CMAKE_BUILD_TYPE STREQUAL "Debug" AND folder MATCHES "${fabricast_often}")
    set(${result} -O2 PARENT_SCOPE)
  elseif(CMAKE_BUILD_TYPE STREQUAL "Debug" AND folder MATCHES "${fabricast_seldom}")
    set(${result} -Og PARENT_SCOPE)
  elseif(CMAKE_BUILD_TYPE STREQUAL "Release" AND folder MATCHES "${fabricast_once}")
    set(${result} -Og PARENT_SCOPE)
  endif()
endfunction()

# What most sources include of the standard library, and of Qt.
set(fabricast_standard_headers
    <algorithm> <array> <charconv> <cmath> <cstdint> <functional> <limits> <map> <memory> <optional>
    <set> <span> <sstream> <string> <string_view> <tuple> <utility> <variant> <vector>)
set(fabricast_qt_headers
    <QAction> <QApplication> <QComboBox> <QHBoxLayout> <QLabel> <QLineEdit> <QPainter> <QPushButton> <QStringList>
    <QTimer> <QVBoxLayout>)

# Parsed once for all targets that are optimised alike, for what was parsed for one level breaks the compiler at
# another. With QT: also what targets of Qt6::Widgets include.
function(fabricast_parse_once target optimisation)
  set(parsed fabricast_parsed${optimisation})
  set(headers ${fabricast_standard_headers})
  set(libraries fabricast_options)
  if("QT" IN_LIST ARGN)
    string(APPEND parsed _qt)
    list(APPEND headers ${fabricast_qt_headers})
    list(APPEND libraries Qt6::Widgets)
  endif()
  if(NOT TARGET ${parsed})
    set(nothing "${PROJECT_BINARY_DIR}/parsed.cpp")
    file(CONFIGURE OUTPUT "${nothing}" CONTENT "" @ONLY)
    add_library(${parsed} OBJECT "${nothing}")
    target_link_libraries(${parsed} PRIVATE ${libraries})
    target_compile_options(${parsed} PRIVATE ${optimisation})
    target_precompile_headers(${parsed} PRIVATE ${headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${parsed})
  # GCC warns of strings and functions of its own library once that is precompiled.
  target_compile_options(
    ${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict;-Wno-array-bounds;-Wno-stringop-overread;-Wno-stringop-overflow;-Wno-maybe-uninitialized>)
endfunction()

function(fabricast_room folder)
  cmake_parse_arguments(ROOM "" "" "LIBS;FOLDERS" ${ARGN})
  string(REPLACE "/" "_" name "fabricast_${folder}")
  set(sources "")
  foreach(part "" ${ROOM_FOLDERS})
    file(GLOB found CONFIGURE_DEPENDS "${fabricast_root}/${folder}/${part}/*.cpp")
    list(APPEND sources ${found})
  endforeach()
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  if(CMAKE_CUDA_COMPILER)
    file(GLOB kernels CONFIGURE_DEPENDS "${fabricast_root}/${folder}/*.cu")
    list(APPEND sources ${kernels})
  endif()
  set(scope PUBLIC)
  if(sources)
    add_library(${name} STATIC ${sources})
    fabricast_optimisation(${folder} optimisation)
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${optimisation}>)
    if(FABRICAST_UNITY GREATER 1 AND (CMAKE_BUILD_TYPE STREQUAL "Debug" OR NOT folder MATCHES "${fabricast_alone}"))
      fabricast_batch_size("${sources}" ${FABRICAST_UNITY} size)
      set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
      # GCC takes the parts of a class that are of its source alone for a header's, if that source is included.
      target_compile_options(${name} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
      if("Qt6::Widgets" IN_LIST ROOM_LIBS)
        fabricast_parse_once(${name} "${optimisation}" QT)
      elseif(NOT folder MATCHES "^(gui|planner/output|probes)(/|$)")  # compiled to be moved in memory
        fabricast_parse_once(${name} "${optimisation}")
      endif()
    endif()
  else()
    add_library(${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_link_libraries(${name} ${scope} fabricast_options ${ROOM_LIBS})
  if(NOT folder MATCHES "^probes/")
    target_link_libraries(${name} ${scope} $<TARGET_NAME_IF_EXISTS:tl::expected>)
  endif()
  fabricast_arrows_of(${folder} others)
  foreach(other IN LISTS others)
    string(REPLACE "/" "_" target "fabricast_${other}")
    target_link_libraries(${name} ${scope} ${target})
  endforeach()
endfunction()
