# Settings and functions for all targets of Batchpeak. The CMakeLists.txt of each room declares which rooms it links;
# a target finds the public headers of a room only if it links the room.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Programs are compiled with the same option as libraries, so that both can use the same precompiled headers.
set(CMAKE_CXX_COMPILE_OPTIONS_PIE "-fPIC")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The ccache manual requires these settings for precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    "${CCACHE_PROGRAM}")
endif()

option(BATCHPEAK_UNITY "Compile several files of a room as one: halves full builds, but single files take longer" OFF)
set(BATCHPEAK_CORE_TESTS "" CACHE STRING
  "Build folder whose tests with the label core ctest runs in place of its own, such as one with sanitizers")
option(BATCHPEAK_LIGHT_OPTIMIZATION "Compile rooms that do not compute with -O1, in two thirds of the time of -O2" OFF)

add_library(batchpeak_compile_options INTERFACE)
# Designated initializers name only the members that differ from the default.
target_compile_options(batchpeak_compile_options INTERFACE -Wall -Wextra -Wpedantic -Wno-missing-field-initializers
  # With optimization, GCC 12 gives false warnings about std::string, and with precompiled headers it does not suppress
  # them as those of a system header.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<NOT:$<CONFIG:Debug>>>:-Wno-array-bounds;-Wno-stringop-overread;-Wno-stringop-overflow;-Wno-restrict>
  # A member whose type is in an anonymous namespace is an error only in a header. In a unity build, GCC treats every
  # source file as a header.
  $<$<BOOL:${BATCHPEAK_UNITY}>:-Wno-subobject-linkage>
  $<$<BOOL:${BATCHPEAK_WARNINGS_AS_ERRORS}>:-Werror>)
target_compile_definitions(batchpeak_compile_options INTERFACE
  QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII QT_NO_FOREACH
  BATCHPEAK_VERSION="${PROJECT_VERSION}")
if(BATCHPEAK_SANITIZE)
  # With a sanitizer, GCC gives false warnings about values in std::optional.
  target_compile_options(batchpeak_compile_options INTERFACE -Wno-maybe-uninitialized)
  target_compile_options(batchpeak_compile_options INTERFACE
    "-fsanitize=${BATCHPEAK_SANITIZE}" -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(BATCHPEAK_SANITIZE MATCHES "undefined")
    # These checks precede each access through a pointer and take two fifths of the compile time. AddressSanitizer
    # reports null pointers too, and the preset "fuzz" has all of these checks.
    target_compile_options(batchpeak_compile_options INTERFACE -fno-sanitize=null,alignment,vptr,object-size)
  endif()
  if(BATCHPEAK_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # Checks each access by a call, which compiles faster than the same check inline.
    target_compile_options(batchpeak_compile_options INTERFACE "SHELL:--param asan-instrumentation-with-call-threshold=0")
  endif()
  target_link_options(batchpeak_compile_options INTERFACE "-fsanitize=${BATCHPEAK_SANITIZE}")
  add_library(batchpeak_sanitizer_options OBJECT tests/sanitizers/options.cpp)
  if(BATCHPEAK_SANITIZE STREQUAL thread)
    target_sources(batchpeak_sanitizer_options PRIVATE tests/sanitizers/clone.cpp)
  endif()
  target_sources(batchpeak_compile_options INTERFACE
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:$<TARGET_OBJECTS:batchpeak_sanitizer_options>>)
endif()
if(BATCHPEAK_FUZZ)
  target_compile_options(batchpeak_compile_options INTERFACE
    -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_compile_definitions(batchpeak_compile_options INTERFACE _GLIBCXX_ASSERTIONS)
  target_link_options(batchpeak_compile_options INTERFACE -fsanitize=address,undefined)
endif()

# batchpeak_precompiled_header(<name> HEADERS <header>... [LINKS <target>...])
#
# Precompiles third-party headers that most files of some rooms include. PRECOMPILED of the functions below takes the
# <name>. Files still include what they use. A precompiled header is valid only for targets that are compiled with the
# same macros as far as the headers use them, so a target that uses one must link the Qt modules of its LINKS.
function(batchpeak_precompiled_header name)
  cmake_parse_arguments(HEADER "" "" "HEADERS;LINKS" ${ARGN})
  set(source "${CMAKE_CURRENT_BINARY_DIR}/precompiled_${name}.cpp")
  if(NOT EXISTS "${source}")
    file(WRITE "${source}" "")
  endif()
  add_library(batchpeak_precompiled_${name} STATIC "${source}")
  set_target_properties(batchpeak_precompiled_${name} PROPERTIES AUTOMOC OFF)
  target_link_libraries(batchpeak_precompiled_${name} PRIVATE batchpeak_compile_options ${HEADER_LINKS})
  target_precompile_headers(batchpeak_precompiled_${name} PRIVATE ${HEADER_HEADERS})
endfunction()

function(batchpeak_use_precompiled target header)
  if(header AND BATCHPEAK_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} REUSE_FROM batchpeak_precompiled_${header})
  endif()
endfunction()

# Makes AUTOMOC run again when the target has new files: in CMake 3.25 its step depends only on the files that it has
# already seen.
function(_batchpeak_moc_new_files target)
  set(list "${CMAKE_CURRENT_BINARY_DIR}/${target}_files.txt")
  set(before "")
  if(EXISTS "${list}")
    file(READ "${list}" before)
  endif()
  if(NOT before STREQUAL "${ARGN}")
    file(REMOVE "${CMAKE_CURRENT_BINARY_DIR}/${target}_autogen/timestamp")
    file(WRITE "${list}" "${ARGN}")
  endif()
endfunction()

# batchpeak_moc_sources(<target> <file>...) runs moc on each test file, which includes its .moc, and on each header with
# Q_OBJECT, which is looked for when CMake configures. Unlike AUTOMOC, it does not search the include directories: in
# those of libtorch, that takes a minute.
function(batchpeak_moc_sources target)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}_moc")
  file(MAKE_DIRECTORY "${folder}")
  set(made "")
  set(headers "")
  foreach(file IN LISTS ARGN)
    get_filename_component(file "${file}" ABSOLUTE)
    get_filename_component(name "${file}" NAME_WE)
    file(STRINGS "${file}" macro REGEX "^ *Q_OBJECT" LIMIT_COUNT 1)
    if(macro AND file MATCHES "\\.h$")
      list(APPEND headers "${file}")
    elseif(name MATCHES "^tst_")
      add_custom_command(OUTPUT "${folder}/${name}.moc"
        COMMAND Qt6::moc -i -o "${folder}/${name}.moc" "${file}"
        DEPENDS "${file}" VERBATIM)
      list(APPEND made "${folder}/${name}.moc")
    endif()
  endforeach()
  set_source_files_properties(${made} PROPERTIES HEADER_FILE_ONLY ON)
  qt_wrap_cpp(compiled ${headers})
  target_sources(${target} PRIVATE ${made} ${compiled})
  target_include_directories(${target} PRIVATE "${folder}")
  set_target_properties(${target} PROPERTIES AUTOMOC OFF)
endfunction()

# _batchpeak_test_batches(<target> <file>...) compiles the test files of a program eight at a time; see TestBatch.cmake.
function(_batchpeak_test_batches target)
  set_source_files_properties(${ARGN} PROPERTIES HEADER_FILE_ONLY ON)
  set(script "${PROJECT_SOURCE_DIR}/cmake/TestBatch.cmake")
  set(files ${ARGN})
  set(number 0)
  while(files)
    list(SUBLIST files 0 8 batch)
    list(REMOVE_ITEM files ${batch})
    set(source "${CMAKE_CURRENT_BINARY_DIR}/${target}_batch_${number}.cpp")
    add_custom_command(OUTPUT "${source}"
      COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${source}" "-DFILES=${batch}" -P "${script}"
      DEPENDS ${batch} "${script}" VERBATIM)
    set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    target_sources(${target} PRIVATE "${source}")
    math(EXPR number "${number} + 1")
  endwhile()
endfunction()

# Gives a program the same run path in the build tree as when installed. If the two differ, CMake pads the shorter one
# with empty entries. An empty entry means the working directory, so the program would load libraries from there.
function(batchpeak_looks_for_libraries_in program folder)
  set_target_properties(${program} PROPERTIES INSTALL_RPATH "${folder}" BUILD_WITH_INSTALL_RPATH ON)
endfunction()

# batchpeak_room(<name> [DOOR <header>...] [LINKS <target>...] [PRIVATE_LINKS <target>...] [PRECOMPILED <name>] [QT]
#                [COMPUTES] [APART <regex>])
#
# Adds the static library batchpeak_<name> with every .cpp below the caller's folder, except in folders that are rooms
# themselves. DOOR lists the public headers, which other rooms include as "<name>/<header>"; all other headers are
# private. QT: the room has classes with Q_OBJECT. COMPUTES: users wait for its computations, so it is compiled with -O2
# even if BATCHPEAK_LIGHT_OPTIMIZATION compiles other rooms with -O1. Files whose path matches APART are always compiled
# separately, since they define the same names.
function(batchpeak_room name)
  cmake_parse_arguments(ROOM "QT;COMPUTES" "PRECOMPILED;APART" "DOOR;LINKS;PRIVATE_LINKS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  get_property(inner DIRECTORY PROPERTY SUBDIRECTORIES)
  foreach(folder IN LISTS inner)
    list(FILTER sources EXCLUDE REGEX "^${folder}/")
  endforeach()
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  add_library(batchpeak_${name} STATIC ${sources})
  set_target_properties(batchpeak_${name} PROPERTIES LINKER_LANGUAGE CXX AUTOMOC ${ROOM_QT})
  set_target_properties(batchpeak_${name} PROPERTIES UNITY_BUILD ${BATCHPEAK_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  if(BATCHPEAK_LIGHT_OPTIMIZATION AND NOT ROOM_COMPUTES)
    target_compile_options(batchpeak_${name} PRIVATE -O1)
  endif()
  if(ROOM_APART)
    set(apart ${sources})
    list(FILTER apart INCLUDE REGEX "${ROOM_APART}")
    set_source_files_properties(${apart} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  if(ROOM_QT)
    _batchpeak_moc_new_files(batchpeak_${name} ${sources})
  endif()

  # The door is a folder of headers, each of which includes the real one.
  set(door "${CMAKE_BINARY_DIR}/doors/${name}")
  foreach(header IN LISTS ROOM_DOOR)
    if(NOT EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${header}")
      message(FATAL_ERROR "The door of ${name} names ${header}, which is not in ${CMAKE_CURRENT_SOURCE_DIR}.")
    endif()
    get_filename_component(folder "${door}/${name}/${header}" DIRECTORY)
    file(RELATIVE_PATH path "${folder}" "${CMAKE_CURRENT_SOURCE_DIR}/${header}")
    file(CONFIGURE OUTPUT "${door}/${name}/${header}" CONTENT "#include \"${path}\"\n" @ONLY)
  endforeach()
  target_include_directories(batchpeak_${name} PUBLIC "${door}" PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
  target_link_libraries(batchpeak_${name}
    PUBLIC ${ROOM_LINKS}
    PRIVATE batchpeak_compile_options ${ROOM_PRIVATE_LINKS})
  batchpeak_use_precompiled(batchpeak_${name} "${ROOM_PRECOMPILED}")
endfunction()

# Adds the program of batchpeak_tests, whose variables it reads.
function(_batchpeak_test_program)
  add_executable(${name} ${files} ${TEST_SOURCES})
  set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL OFF)
  # Includes the room's own folder, since its headers include each other relative to it.
  target_include_directories(${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/${room}"
    "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}/core" "${PROJECT_SOURCE_DIR}/app" "${PROJECT_SOURCE_DIR}"
    "${PROJECT_SOURCE_DIR}/ui")
  target_link_libraries(${name} PRIVATE batchpeak_compile_options batchpeak_test_main Qt6::Test ${TEST_LINKS})
  target_compile_definitions(${name} PRIVATE
    BATCHPEAK_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data"
    BATCHPEAK_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    BATCHPEAK_SHARED_CONFIGS="${PROJECT_SOURCE_DIR}/../shared/configs")
  foreach(run IN LISTS TEST_RUNS)
    string(REGEX MATCH "^([^=]+)=(.+)$" _ "${run}")
    target_compile_definitions(${name} PRIVATE ${CMAKE_MATCH_1}="$<TARGET_FILE:${CMAKE_MATCH_2}>")
    add_dependencies(${name} ${CMAKE_MATCH_2})
  endforeach()
  foreach(label IN LISTS TEST_LABELS)
    if(label MATCHES "^(without-torch|core)$")
      string(REPLACE "-" "_" label "${label}")
      add_dependencies(batchpeak_tests_${label} ${name})
    endif()
  endforeach()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  batchpeak_moc_sources(${name} ${files} ${TEST_SOURCES})
  if(BATCHPEAK_UNITY)
    _batchpeak_test_batches(${name} ${files})
  endif()
  batchpeak_use_precompiled(${name} "${TEST_PRECOMPILED}")
  # The tested code is optimized as in the programs. The tests themselves compile a fifth faster with -O1.
  target_compile_options(${name} PRIVATE -O1)
endfunction()

# batchpeak_tests(<name> [LONG] [SOURCES <file>...] LINKS <target>... [PRECOMPILED <name>] [RUNS <MACRO=target>...]
#                 [LABELS <label>...] [ENVIRONMENT <VARIABLE=value>...])
#
# Adds the program <name> with every tst_*.cpp in and below the caller's folder, except in folders that have their own
# CMakeLists.txt, and with the SOURCES that they share. ctest runs each file as a separate test, named after the file.
# Tests may include every header of every room. RUNS lists programs and libraries that the tests use at run time: each
# is built first, and the macro is its path. The time limits are long enough for a busy machine: only a test that hangs
# exceeds them.
#
# Tests that neither link libtorch nor run a program that does have the label without-torch, and the target
# batchpeak_tests_without_torch builds them. Tests of benches do not: they are no rooms and compute for minutes. Tests
# of core among them also have the label core, and the target batchpeak_tests_core builds them, except LONG ones, which
# compute for minutes under sanitizers.
add_custom_target(batchpeak_tests_without_torch)
add_custom_target(batchpeak_tests_core)
function(batchpeak_tests name)
  cmake_parse_arguments(TEST "LONG" "PRECOMPILED" "SOURCES;LINKS;RUNS;LABELS;ENVIRONMENT" ${ARGN})
  file(GLOB_RECURSE files CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/tst_*.cpp")
  file(GLOB_RECURSE inner "${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt")
  foreach(list IN LISTS inner)
    get_filename_component(folder "${list}" DIRECTORY)
    list(FILTER files EXCLUDE REGEX "^${folder}/")
  endforeach()
  file(RELATIVE_PATH room "${PROJECT_SOURCE_DIR}/tests" "${CMAKE_CURRENT_SOURCE_DIR}")
  set(needs ${TEST_LINKS} ${TEST_RUNS})
  list(FILTER needs INCLUDE REGEX "_torch|_network|_parity|=batchpeak-worker|_simulated_cuda")
  if(NOT needs AND NOT room MATCHES "^bench/")
    list(APPEND TEST_LABELS without-torch)
    if(room MATCHES "^core/" AND NOT TEST_LONG)
      list(APPEND TEST_LABELS core)
    endif()
  endif()
  # Ends a test that hangs. Tests take up to ten times as long under sanitizers.
  set(seconds 900)
  if(BATCHPEAK_SANITIZE)
    set(seconds 3600)
  endif()
  if(BATCHPEAK_CORE_TESTS AND core IN_LIST TEST_LABELS)
    set(seconds 3600)
    add_executable(${name} IMPORTED)
    set_target_properties(${name} PROPERTIES IMPORTED_LOCATION "${BATCHPEAK_CORE_TESTS}/tests/${name}")
  else()
    _batchpeak_test_program()
  endif()
  foreach(file IN LISTS files)
    get_filename_component(test "${file}" NAME_WE)
    add_test(NAME ${test} COMMAND ${name} ${test})
    set_tests_properties(${test} PROPERTIES
      TIMEOUT ${seconds}
      LABELS "${TEST_LABELS}"
      ENVIRONMENT "QTEST_FUNCTION_TIMEOUT=${seconds}000;QT_QPA_PLATFORM=offscreen;XDG_RUNTIME_DIR=/tmp;XDG_DATA_HOME=${CMAKE_BINARY_DIR}/tests/user-data;LC_ALL=C.UTF-8;${TEST_ENVIRONMENT}")
  endforeach()
endfunction()
