//! Level files of Science Birds (XML).
//!
//! ```xml
//! <?xml version="1.0" encoding="utf-8"?>
//! <Level width="2">
//!   <Camera x="0.0" y="2.0" minWidth="20.0" maxWidth="30.0" />
//!   <Birds>
//!     <Bird type="BirdRed" />
//!   </Birds>
//!   <Slingshot x="-8.0" y="-2.5" />
//!   <GameObjects>
//!     <Block type="RectBig" material="wood" x="4.5" y="-3.39" rotation="0.0" />
//!     <Pig type="BasicSmall" x="4.5" y="-3.045" rotation="0.0" />
//!     <TNT type="" x="6.0" y="-3.17" rotation="0.0" />
//!     <Platform type="Platform" x="0.0" y="1.0" rotation="0.0" scaleX="2.0" scaleY="1.0" />
//!   </GameObjects>
//! </Level>
//! ```
//!
//! The game reads such a file as a stream: it looks for Level, Camera, Birds, Slingshot and
//! GameObjects in this order, and stops at `</GameObjects>`. In Birds and GameObjects it skips one
//! node, then takes the next for an element, and so on. So between elements there must be exactly
//! one run of white space, no comment, and all elements must close themselves.
//!
//! The writer keeps to that and writes well-formed XML. The reader also accepts what files of the
//! game and of others contain: a Camera and a Slingshot that are not closed, a header that names
//! UTF-16 above text that is none, a byte order mark, elements without rotation or scale, a level
//! without width, comments, mirrored platforms, and a list of birds that the game's editor has not
//! closed. Elements and attributes that the game does not look for, such as a score, are skipped,
//! and [counted](XmlWarning).

mod error;
mod reader;
mod tags;
mod warning;
mod writer;

pub use error::{LevelXmlError, XmlFault};
pub use warning::XmlWarning;

use super::Level;

impl Level {
    /// Returns the level file of Science Birds. It has numbers with a decimal point, in as many
    /// digits as they need to come back to the last bit.
    #[must_use]
    pub fn to_xml(&self) -> String {
        writer::write(self)
    }

    /// Reads a level file of Science Birds. Also returns warnings about the elements and attributes
    /// that the reader skips.
    ///
    /// # Errors
    /// If the text is no level, or ends too soon. The error names the line, the element, the
    /// attribute, its value, and what would be right.
    pub fn read_xml(text: &str) -> Result<(Self, Vec<XmlWarning>), LevelXmlError> {
        reader::read(text)
    }

    /// Reads a level file of Science Birds.
    ///
    /// # Errors
    /// As for [`read_xml`](Self::read_xml).
    pub fn from_xml(text: &str) -> Result<Self, LevelXmlError> {
        reader::read(text).map(|(level, _)| level)
    }
}
