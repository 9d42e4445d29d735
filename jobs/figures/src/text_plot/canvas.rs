//! A grid of dots in text: braille letters of two by four dots.

/// The dots of a letter, across and down.
pub(crate) const DOTS_ACROSS: usize = 2;
pub(crate) const DOTS_DOWN: usize = 4;

/// The letter without dots; the others follow it.
const BLANK: u32 = 0x2800;
/// The bits of the dots of a letter, by row from the top (Unicode Standard, Braille Patterns).
const BITS: [[u8; DOTS_ACROSS]; DOTS_DOWN] =
    [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

/// A canvas of letters, each of two by four dots.
#[derive(Clone, Debug)]
pub(crate) struct BrailleCanvas {
    letters_across: usize,
    /// The dots by letter, row by row.
    letters: Vec<u8>,
}

impl BrailleCanvas {
    /// Creates an empty canvas.
    pub(crate) fn new(letters_across: usize, letters_down: usize) -> Self {
        Self { letters_across, letters: vec![0; letters_across * letters_down] }
    }

    /// Sets the dot at column `x` from the left and row `y` from the top; one beside the canvas is
    /// left out.
    pub(crate) fn set(&mut self, x: usize, y: usize) {
        let column = x / DOTS_ACROSS;
        if column < self.letters_across {
            let idx = y / DOTS_DOWN * self.letters_across + column;
            if let Some(letter) = self.letters.get_mut(idx) {
                *letter |= BITS[y % DOTS_DOWN][x % DOTS_ACROSS];
            }
        }
    }

    /// Returns the rows as text, a letter without dots as a space.
    pub(crate) fn rows(&self) -> impl Iterator<Item = String> {
        let letter = |&dots: &u8| match dots {
            0 => ' ',
            dots => char::from_u32(BLANK + u32::from(dots)).unwrap_or(' '),
        };
        self.letters
            .chunks(self.letters_across.max(1))
            .map(move |row| row.iter().map(letter).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_become_letters() {
        let mut canvas = BrailleCanvas::new(2, 1);
        for (x, y) in [(0, 0), (1, 3), (2, 1), (2, 4), (4, 0)] {
            canvas.set(x, y);
        }
        assert_eq!(canvas.rows().collect::<Vec<_>>(), ["⢁⠂"]);
        assert_eq!(BrailleCanvas::new(0, 3).rows().count(), 0);
    }
}
