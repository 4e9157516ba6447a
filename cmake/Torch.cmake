# Finds libtorch in the PyPI wheel: defines the target batchpeak_torch (torch_cpu and c10) and the variable
# BATCHPEAK_TORCH_ROOT. find_package(Torch) would require nvcc, which Batchpeak does not need.
#
# TORCH_DIR (CMake or environment) names the folder of an installed torch package, the one that contains include/ and
# lib/. Without it, torch is looked for in the project's .venv, then with python3.

set(BATCHPEAK_TORCH_VERSION "2.11.0")

if(NOT TORCH_DIR AND DEFINED ENV{TORCH_DIR})
  set(TORCH_DIR "$ENV{TORCH_DIR}")
endif()
set(TORCH_DIR "${TORCH_DIR}" CACHE PATH "Folder of an installed torch ${BATCHPEAK_TORCH_VERSION} package")

set(_torch_root "${TORCH_DIR}")
if(NOT _torch_root)
  find_program(BATCHPEAK_PYTHON NAMES python3 NO_CACHE)
  foreach(_python "${PROJECT_SOURCE_DIR}/.venv/bin/python3" "${BATCHPEAK_PYTHON}")
    if(NOT _torch_root AND EXISTS "${_python}")
      execute_process(
        COMMAND "${_python}" -c "import importlib.util as u; s = u.find_spec('torch'); print(s.submodule_search_locations[0] if s else '')"
        OUTPUT_VARIABLE _torch_root OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    endif()
  endforeach()
endif()

set(_version_header "${_torch_root}/include/torch/headeronly/version.h")
if(NOT _torch_root OR NOT EXISTS "${_torch_root}/lib/libtorch_cpu.so")
  message(FATAL_ERROR
    "torch ${BATCHPEAK_TORCH_VERSION} was not found. Run 'make setup' to install it into .venv, "
    "or set TORCH_DIR to the folder of an installed torch package (the one that contains include/ and lib/).")
endif()
set(_found_version "unknown")
if(EXISTS "${_version_header}")
  file(READ "${_version_header}" _header)
  if(_header MATCHES "define TORCH_VERSION [^\"]*\"([0-9.]+)")
    set(_found_version "${CMAKE_MATCH_1}")
  endif()
endif()
if(NOT _found_version STREQUAL BATCHPEAK_TORCH_VERSION)
  message(FATAL_ERROR
    "torch in ${_torch_root} is version ${_found_version}, but Batchpeak is built for "
    "${BATCHPEAK_TORCH_VERSION} only, because the layout of its memory statistics changes between releases. "
    "Run 'make setup' to install that version into .venv, or set TORCH_DIR to a folder that contains it.")
endif()
set(BATCHPEAK_TORCH_ROOT "${_torch_root}")
message(STATUS "torch ${_found_version}: ${BATCHPEAK_TORCH_ROOT}")

foreach(_library c10 torch_cpu)
  add_library(batchpeak_torch_${_library} SHARED IMPORTED)
  set_target_properties(batchpeak_torch_${_library} PROPERTIES
    IMPORTED_LOCATION "${BATCHPEAK_TORCH_ROOT}/lib/lib${_library}.so")
endforeach()

add_library(batchpeak_torch INTERFACE)
target_include_directories(batchpeak_torch SYSTEM INTERFACE
  "${BATCHPEAK_TORCH_ROOT}/include" "${BATCHPEAK_TORCH_ROOT}/include/torch/csrc/api/include")
target_link_libraries(batchpeak_torch INTERFACE batchpeak_torch_torch_cpu batchpeak_torch_c10)
# libtorch_cpu.so finds its CUDA libraries at run time through the wheel's own rpath.
target_link_options(batchpeak_torch INTERFACE "LINKER:--allow-shlib-undefined")
