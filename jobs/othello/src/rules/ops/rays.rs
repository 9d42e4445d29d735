//! The lines of squares from each square to the edge of the board.

/// The squares from a square on in four directions, to the edge: along the row to h, then towards
/// row 8 to the left, straight and to the right. All have higher numbers than the square.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct Rays(pub(super) [u64; 4]);

/// The rays from every square.
pub(super) static RAYS: [Rays; 64] = rays();

/// The squares from each square on along its row to a. All have lower numbers than the square.
pub(super) static RAYS_TO_A: [u64; 64] = rays_to_a();

const fn rays() -> [Rays; 64] {
    let mut rays = [Rays([0; 4]); 64];
    // A step to the left of column a wraps, to far beyond column h.
    let steps = [(1, 0), (usize::MAX, 1), (0, 1), (1, 1)];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 4 {
            let (right, up) = steps[direction];
            let (mut column, mut row) = ((square % 8_usize).wrapping_add(right), square / 8 + up);
            while column < 8 && row < 8 {
                rays[square].0[direction] |= 1 << (8 * row + column);
                (column, row) = (column.wrapping_add(right), row + up);
            }
            direction += 1;
        }
        square += 1;
    }
    rays
}

const fn rays_to_a() -> [u64; 64] {
    let mut rays = [0; 64];
    let mut square = 0;
    while square < 64 {
        let row = square / 8 * 8;
        rays[square] = (1 << square) - (1 << row);
        square += 1;
    }
    rays
}

/// Returns the discs of `opponent` that are outflanked on `ray`, whose squares all have higher
/// numbers than the square of the move.
#[inline(always)]
pub(super) fn flips_upward(mover: u64, opponent: u64, ray: u64) -> u64 {
    let stops = ray & !opponent;
    let outflanking = stops & stops.wrapping_neg() & mover;
    outflanking.saturating_sub(1) & ray
}

/// Returns the discs of `opponent` that are outflanked in the row, to the left of square `index`,
/// which must be below 64.
#[inline(always)]
pub(super) fn flips_toward_a(mover: u64, opponent: u64, index: usize) -> u64 {
    let ray = RAYS_TO_A[index];
    let stops = ray & !opponent;
    // Without a stop this is h8: no ray has squares from there on.
    let outflanking = (1_u64 << 63).wrapping_shr(stops.leading_zeros()) & mover;
    ray & opponent & outflanking.wrapping_neg()
}
