//! Which instructions show or make the bits of a NaN.

use wasmparser::Operator;

/// A type of floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FloatType {
    F32,
    F64,
}

/// What the rewriting does at an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NanRule {
    /// Nothing.
    None,
    /// The scalar on top of the operands becomes canonical before the instruction.
    Operand(FloatType),
    /// The lanes of the result become canonical after the instruction.
    Lanes {
        /// The type of the operands' lanes; `None` if it differs from the result's type.
        operands: Option<FloatType>,
        /// The type of the result's lanes.
        result: FloatType,
    },
}

/// Returns the rule for an instruction.
pub(super) fn nan_rule(operator: &Operator<'_>) -> NanRule {
    use FloatType::{F32, F64};
    use Operator as O;
    match operator {
        O::F32Store { .. }
        | O::I32ReinterpretF32
        | O::F32Copysign
        | O::F32x4Splat
        | O::F32x4ReplaceLane { .. } => NanRule::Operand(F32),
        O::F64Store { .. }
        | O::I64ReinterpretF64
        | O::F64Copysign
        | O::F64x2Splat
        | O::F64x2ReplaceLane { .. } => NanRule::Operand(F64),
        O::F32x4Add
        | O::F32x4Sub
        | O::F32x4Mul
        | O::F32x4Div
        | O::F32x4Min
        | O::F32x4Max
        | O::F32x4Sqrt
        | O::F32x4Ceil
        | O::F32x4Floor
        | O::F32x4Trunc
        | O::F32x4Nearest => NanRule::Lanes { operands: Some(F32), result: F32 },
        O::F64x2Add
        | O::F64x2Sub
        | O::F64x2Mul
        | O::F64x2Div
        | O::F64x2Min
        | O::F64x2Max
        | O::F64x2Sqrt
        | O::F64x2Ceil
        | O::F64x2Floor
        | O::F64x2Trunc
        | O::F64x2Nearest => NanRule::Lanes { operands: Some(F64), result: F64 },
        O::F32x4DemoteF64x2Zero => NanRule::Lanes { operands: None, result: F32 },
        O::F64x2PromoteLowF32x4 => NanRule::Lanes { operands: None, result: F64 },
        _ => NanRule::None,
    }
}

/// Returns true if the instruction pushes a scalar float whose bits do not depend on the engine.
pub(super) fn makes_known_bits(operator: &Operator<'_>) -> bool {
    use Operator as O;
    matches!(
        operator,
        O::F32Load { .. }
            | O::F64Load { .. }
            | O::F32Const { .. }
            | O::F64Const { .. }
            | O::F32ReinterpretI32
            | O::F64ReinterpretI64
            | O::F32ConvertI32S
            | O::F32ConvertI32U
            | O::F32ConvertI64S
            | O::F32ConvertI64U
            | O::F64ConvertI32S
            | O::F64ConvertI32U
            | O::F64ConvertI64S
            | O::F64ConvertI64U
            | O::F32x4ExtractLane { .. }
            | O::F64x2ExtractLane { .. }
    )
}
