# What every target of ours has in common. Who may link whom is not written here but in the
# CMakeLists.txt of each room: a room's headers are found only through its target.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()

add_library(batchpeak_options INTERFACE)
# Value types are made with designated initialisers that name only what differs from the default.
target_compile_options(batchpeak_options INTERFACE -Wall -Wextra -Wpedantic -Wno-missing-field-initializers
  $<$<BOOL:${BATCHPEAK_WARNINGS_AS_ERRORS}>:-Werror>)
target_compile_definitions(batchpeak_options INTERFACE
  QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII QT_NO_FOREACH
  BATCHPEAK_VERSION="${PROJECT_VERSION}")
if(BATCHPEAK_SANITIZE)
  target_compile_options(batchpeak_options INTERFACE -fsanitize=address,undefined -fno-omit-frame-pointer)
  target_link_options(batchpeak_options INTERFACE -fsanitize=address,undefined)
endif()
if(BATCHPEAK_FUZZ)
  target_compile_options(batchpeak_options INTERFACE
    -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_compile_definitions(batchpeak_options INTERFACE _GLIBCXX_ASSERTIONS)
  target_link_options(batchpeak_options INTERFACE -fsanitize=address,undefined)
endif()

# batchpeak_room(<name> SOURCES <file>... [LINKS <target>...] [PRIVATE_LINKS <target>...])
#
# A static library batchpeak_<name>, whose public headers lie in the folder of the caller.
function(batchpeak_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(batchpeak_${name} STATIC ${ROOM_SOURCES})
  set_target_properties(batchpeak_${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(batchpeak_${name} PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")
  target_link_libraries(batchpeak_${name}
    PUBLIC ${ROOM_LINKS}
    PRIVATE batchpeak_options ${ROOM_PRIVATE_LINKS})
endfunction()

# batchpeak_test(<tst_name> [SOURCES <file>...] LINKS <target>... [TIMEOUT <s>] [LABELS <label>...])
#
# A Qt Test program made of <tst_name>.cpp and run by ctest without a display.
function(batchpeak_test name)
  cmake_parse_arguments(TEST "" "TIMEOUT" "SOURCES;LINKS;LABELS" ${ARGN})
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 120)
  endif()
  add_executable(${name} ${name}.cpp ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE batchpeak_options Qt6::Test ${TEST_LINKS})
  target_compile_definitions(${name} PRIVATE
    BATCHPEAK_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data"
    BATCHPEAK_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    BATCHPEAK_SHARED_CONFIGS="${PROJECT_SOURCE_DIR}/../shared/configs")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES
    TIMEOUT ${TEST_TIMEOUT}
    LABELS "${TEST_LABELS}"
    ENVIRONMENT "QT_QPA_PLATFORM=offscreen;XDG_RUNTIME_DIR=/tmp;XDG_DATA_HOME=${CMAKE_BINARY_DIR}/tests/user-data;LC_ALL=C.UTF-8")
endfunction()
