"""The features that a heuristic adds up, for `from outflank.features import mobility, corners, …`.

Each is a compiled function of `(own, opp, board)` that counts for `own`; docs/features.md defines them all. Names
that end in `_discs` or `_squares` give bitboards, those in `_weights` float64, all others int64.
"""

from outflank.board import kernels as _kernels
from outflank.board.kernels import legal_moves as legal_moves, neighbours as neighbours, stable_discs as stable_discs
from outflank.heuristics.features import (
    c_square_count as c_square_count,
    corner_closeness as corner_closeness,
    corner_closeness_discs as corner_closeness_discs,
    corner_squares as corner_squares,
    corners as corners,
    count as count,
    disc_count as disc_count,
    disc_difference as disc_difference,
    empties as empties,
    frontier as frontier,
    frontier_contacts as frontier_contacts,
    mobility as mobility,
    odd_quadrants as odd_quadrants,
    odd_regions as odd_regions,
    potential_corner_squares as potential_corner_squares,
    potential_corners as potential_corners,
    potential_liberty as potential_liberty,
    potential_mobility as potential_mobility,
    potential_mobility_by_disc as potential_mobility_by_disc,
    potential_mobility_squares as potential_mobility_squares,
    ray_stable as ray_stable,
    ray_stable_as_printed as ray_stable_as_printed,
    ray_stable_discs as ray_stable_discs,
    remaining_moves as remaining_moves,
    semi_stable as semi_stable,
    semi_stable_discs as semi_stable_discs,
    stable as stable,
    triangle_stable as triangle_stable,
    triangle_stable_discs as triangle_stable_discs,
    unlikely_corner_squares as unlikely_corner_squares,
    unlikely_corners as unlikely_corners,
    unstable as unstable,
    unstable_discs as unstable_discs,
    x_square_count as x_square_count,
)
from outflank.heuristics.matrices import (
    MATRICES as MATRICES,
    corner_shy_weights as corner_shy_weights,
    disc_squares_weights as disc_squares_weights,
    phased_weights as phased_weights,
    scaled as scaled,
    self_taught_weights as self_taught_weights,
    square_weights as square_weights,
    static_weights as static_weights,
)

frontier_discs = _kernels.frontier
