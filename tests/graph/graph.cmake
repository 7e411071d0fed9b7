# Tests of pose graphs: their files, trajectories and errors, and, where Ceres is there, optimisation.
looptree_test(graph_files_test graph/graph_files_test.cpp)
looptree_test(trajectory_test graph/trajectory_test.cpp)
if(LOOPTREE_BUILD_GRAPH)
  looptree_test(optimize_test graph/optimize_test.cpp LIBS looptree::graph)
endif()
