//! Pools of pieces.

use super::error::PoolError;
use super::piece::PieceDefinition;
use crate::rules::{Effect, EffectChain, EffectKind, GamePiece, MAX_CHAIN, PieceId};

/// The most kinds of pieces of a pool.
pub const MAX_KINDS: usize = 20_000;

/// A pool of pieces, each known by its number: its index in the pool. Pools grow at their end, so
/// that numbers stay.
#[derive(Clone, Debug)]
pub struct PiecePool {
    definitions: Vec<PieceDefinition>,
    pieces: Vec<GamePiece>,
}

impl PiecePool {
    /// Returns the pool of these pieces, from number 0 on.
    ///
    /// # Errors
    /// If there are none or too many, one is malformed, or echoes never come to an end.
    pub fn new(definitions: Vec<PieceDefinition>) -> Result<Self, PoolError> {
        let found = definitions.len();
        if found == 0 || MAX_KINDS < found {
            return Err(PoolError::Kinds { found, most: MAX_KINDS });
        }
        for (number, definition) in definitions.iter().enumerate() {
            definition.check(number)?;
        }
        let piece = |(number, definition): (usize, &PieceDefinition)| {
            let chain = |skill, effect: Option<Effect>| {
                EchoReader { definitions: &definitions, piece: number, skill }.chain(effect)
            };
            Ok(GamePiece {
                id: id(number),
                attribute: definition.attribute,
                hp: definition.hp,
                attack: definition.attack,
                skill: chain("skill", definition.skill)?,
                combo: chain("combo", definition.combo)?,
            })
        };
        let pieces = definitions.iter().enumerate().map(piece).collect::<Result<_, PoolError>>()?;
        Ok(Self { definitions, pieces })
    }

    /// Returns the number of kinds.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a pool is never empty")]
    pub const fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Returns the definition of a piece.
    #[must_use]
    pub fn definition(&self, piece: PieceId) -> Option<&PieceDefinition> {
        self.definitions.get(usize::from(piece.0))
    }

    /// Returns all definitions, by number.
    #[must_use]
    pub fn definitions(&self) -> &[PieceDefinition] {
        &self.definitions
    }

    /// Returns a piece as the rules see it.
    #[must_use]
    pub fn piece(&self, piece: PieceId) -> Option<&GamePiece> {
        self.pieces.get(usize::from(piece.0))
    }
}

/// Returns the id of a piece whose number was checked.
fn id(number: usize) -> PieceId {
    PieceId(u16::try_from(number).expect("below MAX_KINDS"))
}

/// Reads a skill's chain of effects.
struct EchoReader<'a> {
    definitions: &'a [PieceDefinition],
    piece: usize,
    skill: &'static str,
}

impl EchoReader<'_> {
    fn chain(&self, effect: Option<Effect>) -> Result<EffectChain, PoolError> {
        let Self { definitions, piece, skill } = *self;
        let (mut effects, mut pieces, mut next) = (Vec::new(), vec![piece], effect);
        while let Some(effect) = next {
            effects.push(effect);
            if effect.kind != EffectKind::Echo {
                break;
            }
            if effects.len() == MAX_CHAIN {
                let chain: Vec<_> = pieces.iter().map(|piece| format!("piece {piece}")).collect();
                let chain = format!("{}, piece {}", chain.join(", "), effect.magnitude);
                return Err(PoolError::Chain { piece, skill, chain, most: MAX_CHAIN });
            }
            let echoed = effect.magnitude;
            let wrong = |expected| PoolError::Echo { piece, skill, echoed, expected };
            let named = definitions.get(echoed as usize);
            let last = definitions.len() - 1;
            let named = named.ok_or_else(|| match last {
                0 => wrong("a piece, and the pool has none that can be named".to_owned()),
                last => wrong(format!("a piece from 1 to {last}")),
            })?;
            next = Some(named.skill.ok_or_else(|| wrong("a piece with a skill".to_owned()))?);
            pieces.push(echoed as usize);
        }
        Ok(EffectChain::new(&effects).expect("echoes, and an effect that is none at the end"))
    }
}
