# looptree::evaluate: protocols, metrics and result files.
# Headers only, and only in its sources: consumers never see them.
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(nlohmann_json REQUIRED)
find_path(LOOPTREE_SPECTRA_INCLUDE Spectra/SymEigsShiftSolver.h REQUIRED)
looptree_library(looptree_evaluate evaluate LOOPTREE_EVALUATE)
looptree_precompile(looptree_evaluate)
target_link_libraries(looptree_evaluate PUBLIC looptree::looptree
                                        PRIVATE $<BUILD_INTERFACE:Eigen3::Eigen>
                                                $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
target_include_directories(looptree_evaluate SYSTEM PRIVATE ${LOOPTREE_SPECTRA_INCLUDE})
target_include_directories(looptree_evaluate PRIVATE ${PROJECT_BINARY_DIR}/generated)
add_dependencies(looptree_evaluate looptree_commit)
set_property(SOURCE evaluate/run_folder.cpp APPEND PROPERTY COMPILE_DEFINITIONS
             LOOPTREE_BUILD_TYPE="$<CONFIG>")
target_sources(looptree_evaluate PRIVATE
  evaluate/compare.cpp
  evaluate/engine.cpp
  evaluate/ground_truth.cpp
  evaluate/metrics.cpp
  evaluate/result.cpp
  evaluate/run_folder.cpp
  evaluate/detail/contestant.cpp
  evaluate/methods/agglomerate.cpp
  evaluate/methods/chow_liu.cpp
  evaluate/methods/clustering.cpp
  evaluate/methods/fabmap.cpp
  evaluate/methods/keyframes.cpp
  evaluate/protocols/adaptive.cpp
  evaluate/protocols/incremental.cpp
  evaluate/protocols/retrieval.cpp
  evaluate/protocols/scale.cpp
  evaluate/protocols/sessions.cpp
  evaluate/protocols/statistics.cpp
  evaluate/protocols/synthetic_queries.cpp
  evaluate/protocols/trace_engines.cpp
  evaluate/protocols/trace_replay.cpp)
