# The tests of the package: pytest, and mypy over the stubs and everything that uses them.
add_executable(python_reference tests/reference.cpp)
looptree_compile_options(python_reference)
target_link_libraries(python_reference PRIVATE looptree::looptree)
add_executable(python_words_timer bench/words_timer.cpp)
looptree_compile_options(python_words_timer)
target_link_libraries(python_words_timer PRIVATE looptree::looptree)

set(python_environment PYTHONPATH=${PROJECT_BINARY_DIR}/python PYTHONDONTWRITEBYTECODE=1
                       LOOPTREE_WORDS_TIMER=$<TARGET_FILE:python_words_timer>
                       LOOPTREE_REFERENCE=$<TARGET_FILE:python_reference>)
if(LOOPTREE_BUILD_CLI)
  list(APPEND python_environment LOOPTREE_CLI=$<TARGET_FILE:cli>)
endif()
add_test(NAME python COMMAND ${Python_EXECUTABLE} -m pytest -q -p no:cacheprovider
                             ${CMAKE_CURRENT_SOURCE_DIR}/tests)
set_tests_properties(python PROPERTIES ENVIRONMENT "${python_environment}" TIMEOUT 900)

add_test(NAME python_types
         COMMAND ${Python_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/tests/check_types.py
                 ${CMAKE_CURRENT_BINARY_DIR}/mypy)
set_tests_properties(python_types PROPERTIES ENVIRONMENT "${python_environment}")
