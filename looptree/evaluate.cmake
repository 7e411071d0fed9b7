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
  evaluate/adaptive.cpp
  evaluate/agglomerate.cpp
  evaluate/chow_liu.cpp
  evaluate/clustering.cpp
  evaluate/compare.cpp
  evaluate/engine.cpp
  evaluate/fabmap.cpp
  evaluate/ground_truth.cpp
  evaluate/incremental.cpp
  evaluate/keyframes.cpp
  evaluate/metrics.cpp
  evaluate/result.cpp
  evaluate/retrieval.cpp
  evaluate/run_folder.cpp
  evaluate/scale.cpp
  evaluate/sessions.cpp
  evaluate/statistics.cpp
  evaluate/synthetic_queries.cpp
  evaluate/trace_engines.cpp
  evaluate/trace_replay.cpp
  evaluate/detail/contestant.cpp)
