# Tests of pose graphs: their files, trajectories and errors, and, where Ceres is there, optimisation.
if(LOOPTREE_BUILD_GRAPH)
  looptree_test(optimize_test graph/optimize_test.cpp LIBS looptree::graph)
endif()
