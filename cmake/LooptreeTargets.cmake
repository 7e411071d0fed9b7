# How every target of this project is compiled; nothing here reaches consumers.
find_package(Threads REQUIRED)

function(looptree_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden
                                             VISIBILITY_INLINES_HIDDEN ON
                                             POSITION_INDEPENDENT_CODE ON)
  # Contraction would let a fused multiply-add change the last bit from one machine to the next.
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  if(LOOPTREE_STRICT)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                             -Wno-sign-conversion -Wnon-virtual-dtor -Werror)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # GCC 12 sees overlaps in "literal" + std::string that are not there (its bug 105651), and once the standard
      # headers are precompiled, overflows in the same place.
      target_compile_options(${target} PRIVATE -Wno-restrict)
      if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
        target_compile_options(${target} PRIVATE -Wno-stringop-overflow -Wno-array-bounds)
      endif()
    endif()
  endif()
  if(LOOPTREE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${LOOPTREE_SANITIZE}
                                             -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${LOOPTREE_SANITIZE})
  endif()
endfunction()

# looptree_library(TARGET COMPONENT MACRO): a library that is exported as looptree::COMPONENT; its headers mark what is
# public with MACRO_EXPORT.
function(looptree_library target component macro)
  add_library(${target})
  add_library(looptree::${component} ALIAS ${target})
  looptree_compile_options(${target})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${component} VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    INSTALL_RPATH "$ORIGIN")  # shared, it finds the others beside it, wherever they are installed
  string(REPLACE looptree_ "" header ${target}_export.hpp)
  generate_export_header(${target} EXPORT_MACRO_NAME ${macro}_EXPORT STATIC_DEFINE ${macro}_STATIC_DEFINE
                         EXPORT_FILE_NAME ${PROJECT_BINARY_DIR}/include/looptree/${header})
  if(NOT BUILD_SHARED_LIBS)
    target_compile_definitions(${target} PUBLIC ${macro}_STATIC_DEFINE)
  endif()
  set_property(GLOBAL APPEND PROPERTY LOOPTREE_EXPORTED ${target})
endfunction()

# looptree_precompile(TARGET headers...): the standard headers that most sources use, and the given ones, are parsed once
# for all sources of the target. Sources include what they use all the same: the presets asan and lint do without.
set(LOOPTREE_STANDARD_HEADERS
    <algorithm> <array> <charconv> <cmath> <filesystem> <fstream> <functional> <limits> <map> <memory> <mutex> <optional>
    <span> <string> <vector>)
function(looptree_precompile target)
  target_precompile_headers(${target} PRIVATE ${LOOPTREE_STANDARD_HEADERS} ${ARGN})
  looptree_keep_precompiled(${target})
endfunction()

# looptree_share_precompiled(TARGET OWNER): TARGET takes the precompiled header of OWNER, which is compiled as it is.
function(looptree_share_precompiled target owner)
  target_precompile_headers(${target} REUSE_FROM ${owner})
  looptree_keep_precompiled(${target})
endfunction()

function(looptree_keep_precompiled target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)  # without it ccache keeps nothing
  endif()
endfunction()

# looptree_test(NAME sources... [LIBS libraries...]): one GoogleTest executable per file.
function(looptree_test name)
  cmake_parse_arguments(ARG "" "" "LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  looptree_compile_options(${name})
  target_link_libraries(${name} PRIVATE looptree::looptree test_support test_main ${ARG_LIBS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  looptree_share_precompiled(${name} test_main)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)  # of tests/main.cpp
endfunction()

# looptree_embed(TARGET NAME FILE): the bytes of FILE lie in TARGET, which declares and calls
# std::span<const std::byte> looptree::detail::NAME().
function(looptree_embed target name file)
  get_filename_component(LOOPTREE_EMBED_FILE ${file} ABSOLUTE)
  set(LOOPTREE_EMBED_NAME ${name})
  set(source ${PROJECT_BINARY_DIR}/generated/embedded/${name}.cpp)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/embedded.cpp.in ${source} @ONLY)
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS ${LOOPTREE_EMBED_FILE} SKIP_UNITY_BUILD_INCLUSION ON
                                                   SKIP_PRECOMPILE_HEADERS ON)
  target_sources(${target} PRIVATE ${source})
endfunction()
