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
      # GCC 12 sees overlaps in "literal" + std::string that are not there (its bug 105651).
      target_compile_options(${target} PRIVATE -Wno-restrict)
    endif()
  endif()
  if(LOOPTREE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${LOOPTREE_SANITIZE}
                                             -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${LOOPTREE_SANITIZE})
  endif()
endfunction()

# looptree_test(NAME sources... [LIBS libraries...]): one GoogleTest executable per file.
function(looptree_test name)
  cmake_parse_arguments(ARG "" "" "LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  looptree_compile_options(${name})
  target_link_libraries(${name} PRIVATE looptree::looptree test_support ${ARG_LIBS}
                                        GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  add_test(NAME ${name} COMMAND ${name})
endfunction()
