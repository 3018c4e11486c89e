# CUDA for the probes: the compiler, and its libraries as targets CudaParts::cudart, ::cublasLt,
# ::cudnn and ::nccl, each there where header and library are. They are looked for beside nvcc, in
# the usual folders, and in Python's wheels, whose libraries carry a version in their names.
# Nothing links the driver: a program that does would not start where there is none.
set(FABRICAST_PROBES AUTO CACHE STRING
    "CUDA, NCCL and MPI probes: AUTO builds those whose libraries are here, ON fails without, OFF builds none")
set_property(CACHE FABRICAST_PROBES PROPERTY STRINGS AUTO ON OFF)
set(FABRICAST_PYTHON "" CACHE FILEPATH "The Python whose wheels may hold CUDA's libraries (else the first on PATH)")

# fabricast_leave_out(fabricast-probe-cuda "no nvcc"): ends the configuration where probes were
# asked for, else is said by fabricast_say_left_out.
function(fabricast_leave_out program why)
  if(FABRICAST_PROBES STREQUAL "ON")
    message(FATAL_ERROR "FABRICAST_PROBES=ON, but ${program} cannot be built: ${why}")
  endif()
  set_property(GLOBAL APPEND PROPERTY FABRICAST_LEFT_OUT "${program} (${why})")
endfunction()

function(fabricast_say_left_out)
  get_property(left_out GLOBAL PROPERTY FABRICAST_LEFT_OUT)
  if(left_out)
    string(JOIN ", " text ${left_out})
    message(STATUS "Probes left out: ${text}")
  endif()
endfunction()

# The folders of Python's wheels of NVIDIA: …/nvidia/cu13, …/nvidia/nccl and their neighbours.
function(fabricast_wheel_folders result)
  find_program(FABRICAST_PYTHON NAMES python3 python HINTS "$ENV{VIRTUAL_ENV}/bin")
  set(folders "")
  if(FABRICAST_PYTHON)
    execute_process(
      COMMAND "${FABRICAST_PYTHON}" -c
              "import importlib.util as u; s = u.find_spec('nvidia'); print(*(s.submodule_search_locations if s else []), sep='\\n')"
      OUTPUT_VARIABLE roots ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REPLACE "\n" ";" roots "${roots}")
    foreach(root IN LISTS roots)
      file(GLOB inside "${root}/*")
      list(APPEND folders ${inside})
    endforeach()
  endif()
  set(${result} "${folders}" PARENT_SCOPE)
endfunction()

# fabricast_cuda_part(nccl nccl.h VERSIONS 2 PLACES …): the header first, then the library, best of
# the header's own folder: two copies of a library seldom have one version. With NEEDS FILE WORD a
# header beside it must hold that word, else the library is too old.
function(fabricast_cuda_part name header)
  cmake_parse_arguments(PART "" "" "VERSIONS;PLACES;NEEDS" ${ARGN})
  set(suffixes lib lib64 lib/x86_64-linux-gnu targets/x86_64-linux/lib lib/aarch64-linux-gnu targets/sbsa-linux/lib)
  find_path(FABRICAST_${name}_INCLUDE "${header}" HINTS ${PART_PLACES} PATH_SUFFIXES include
            targets/x86_64-linux/include targets/sbsa-linux/include)
  mark_as_advanced(FABRICAST_${name}_INCLUDE)
  if(NOT FABRICAST_${name}_INCLUDE)
    return()
  endif()
  if(PART_NEEDS)
    list(GET PART_NEEDS 0 file)
    list(GET PART_NEEDS 1 word)
    file(STRINGS "${FABRICAST_${name}_INCLUDE}/${file}" found REGEX "${word}" LIMIT_COUNT 1)
    if(NOT found)
      message(STATUS "${FABRICAST_${name}_INCLUDE}/${header} is too old: no ${word}")
      return()
    endif()
  endif()
  set(names "${name}")
  foreach(version IN LISTS PART_VERSIONS)
    list(APPEND names "lib${name}.so.${version}")
  endforeach()
  get_filename_component(own "${FABRICAST_${name}_INCLUDE}" DIRECTORY)
  find_library(FABRICAST_${name}_LIBRARY NAMES ${names} HINTS "${own}" PATH_SUFFIXES ${suffixes} NO_DEFAULT_PATH)
  find_library(FABRICAST_${name}_LIBRARY NAMES ${names} HINTS ${PART_PLACES} PATH_SUFFIXES ${suffixes})
  mark_as_advanced(FABRICAST_${name}_LIBRARY)
  if(FABRICAST_${name}_LIBRARY)
    add_library(CudaParts::${name} SHARED IMPORTED GLOBAL)
    set_target_properties(
      CudaParts::${name} PROPERTIES IMPORTED_LOCATION "${FABRICAST_${name}_LIBRARY}"
                                    INTERFACE_INCLUDE_DIRECTORIES "${FABRICAST_${name}_INCLUDE}")
  endif()
endfunction()

# Code for the cards that train today, and intermediate code for those to come.
function(fabricast_default_cuda_architectures result)
  set(architectures 80-real 90)
  execute_process(COMMAND "${CMAKE_CUDA_COMPILER}" --list-gpu-arch OUTPUT_VARIABLE known ERROR_QUIET)
  if(known MATCHES "compute_100")
    list(APPEND architectures 100-real)
  endif()
  set(${result} "${architectures}" PARENT_SCOPE)
endfunction()

# Turns the language on where there is a compiler that works; all of CMAKE_CUDA_… is set in the
# caller's scope. An nvcc without its libraries is found out by a project of check_language's own.
macro(fabricast_enable_cuda)
  if(NOT CMAKE_CUDA_COMPILER)
    find_program(FABRICAST_NVCC NAMES nvcc "$ENV{CUDACXX}" HINTS "$ENV{CUDA_HOME}/bin" "$ENV{CUDA_PATH}/bin"
                 /usr/local/cuda/bin ${fabricast_wheels} PATH_SUFFIXES bin)
    mark_as_advanced(FABRICAST_NVCC)
    if(NOT DEFINED ENV{CUDACXX} AND FABRICAST_NVCC)
      set(ENV{CUDACXX} "${FABRICAST_NVCC}")
    endif()
    if(DEFINED ENV{CUDACXX})
      include(CheckLanguage)
      check_language(CUDA)
    endif()
  endif()
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      fabricast_default_cuda_architectures(CMAKE_CUDA_ARCHITECTURES)
    endif()
    enable_language(CUDA)
    set(CMAKE_CUDA_STANDARD 17)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    # The runtime is a library of its own, as a test can stand in for it.
    set(CMAKE_CUDA_RUNTIME_LIBRARY None)
    if(CMAKE_CXX_COMPILER_LAUNCHER AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
      set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
    endif()
  endif()
endmacro()

# Finds all of it. Afterwards CMAKE_CUDA_COMPILER and the targets say what there is.
macro(fabricast_find_cuda)
  fabricast_wheel_folders(fabricast_wheels)
  fabricast_enable_cuda()
  if(CMAKE_CUDA_COMPILER)
    get_filename_component(fabricast_cuda_home "${CMAKE_CUDA_COMPILER}" REALPATH)
    get_filename_component(fabricast_cuda_home "${fabricast_cuda_home}" DIRECTORY)
    get_filename_component(fabricast_cuda_home "${fabricast_cuda_home}" DIRECTORY)
    string(REGEX MATCH "^[0-9]+" fabricast_cuda_major "${CMAKE_CUDA_COMPILER_VERSION}")
    set(fabricast_cuda_places "${fabricast_cuda_home}" "$ENV{CUDA_HOME}" /usr/local/cuda ${fabricast_wheels} /usr)
    foreach(part "cudart|cuda_runtime_api.h" "cublasLt|cublasLt.h")
      string(REPLACE "|" ";" part "${part}")
      fabricast_cuda_part(${part} VERSIONS ${fabricast_cuda_major} PLACES ${fabricast_cuda_places})
    endforeach()
    fabricast_cuda_part(cudnn cudnn.h VERSIONS 9 NEEDS cudnn_graph.h CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR
                        PLACES "$ENV{CUDNN_ROOT}" "$ENV{CUDNN_HOME}" ${fabricast_cuda_places})
    fabricast_cuda_part(nccl nccl.h VERSIONS 2 PLACES "${NCCL_ROOT}" "$ENV{NCCL_ROOT}" "$ENV{NCCL_HOME}"
                        ${fabricast_cuda_places} /opt/nccl)
  endif()
endmacro()

if(NOT FABRICAST_PROBES STREQUAL "OFF")
  fabricast_find_cuda()
endif()
