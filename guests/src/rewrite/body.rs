//! Rewrites the body of a function.

use wasm_encoder::reencode::{Error, Reencode, RoundtripReencoder};
use wasm_encoder::{BlockType, Encode, Function, InstructionSink, ValType};
use wasmparser::{FunctionBody, Operator};

use crate::inspect::FunctionFacts;

use super::nan::{FloatType, NanRule, makes_known_bits, nan_rule};

/// The bits of the canonical NaN of 32 and of 64 bits.
const NAN_32: u32 = 0x7fc0_0000;
const NAN_64: u64 = 0x7ff8_0000_0000_0000;

/// How a function counts its calls.
pub(super) struct CallCount {
    /// The number of imports, whose calls are not counted.
    pub(super) n_imports: u32,
    /// The global with the bytes that are left.
    pub(super) global: u32,
    /// The function whose body it is.
    pub(super) function: FunctionFacts,
}

/// Returns the rewritten form of `body`.
pub(super) fn rewrite_body(body: &FunctionBody<'_>, calls: &CallCount) -> Result<Function, Error> {
    let mut writer = BodyWriter {
        bytes: Vec::with_capacity(body.as_bytes().len() * 2),
        calls,
        locals: NewLocals { first: calls.function.n_locals, types: Vec::new() },
        unsettled: None,
        has_known_bits: false,
    };
    let mut operators = body.get_operators_reader()?;
    while !operators.eof() {
        writer.operator(operators.read()?)?;
    }
    let mut locals = Vec::new();
    for declaration in body.get_locals_reader()? {
        let (n, local_type) = declaration?;
        locals.push((n, RoundtripReencoder.val_type(local_type)?));
    }
    locals.extend(writer.locals.types.iter().map(|local_type| (1, *local_type)));
    let mut function = Function::new(locals);
    function.raw(writer.bytes);
    Ok(function)
}

/// The locals that the rewriting adds: at most one of each type.
struct NewLocals {
    first: u32,
    types: Vec<ValType>,
}

impl NewLocals {
    fn of(&mut self, local_type: ValType) -> u32 {
        let place = self.types.iter().position(|it| *it == local_type);
        let place = place.unwrap_or_else(|| {
            self.types.push(local_type);
            self.types.len() - 1
        });
        self.first + u32::try_from(place).expect("there are few types")
    }
}

struct BodyWriter<'a> {
    bytes: Vec<u8>,
    calls: &'a CallCount,
    locals: NewLocals,
    /// The lanes on top of the operands may have NaNs that are not canonical.
    unsettled: Option<FloatType>,
    /// The scalar on top of the operands has no bits that depend on the engine.
    has_known_bits: bool,
}

impl BodyWriter<'_> {
    fn operator(&mut self, operator: Operator<'_>) -> Result<(), Error> {
        let rule = nan_rule(&operator);
        if let Some(lanes) = self.unsettled.take()
            && !matches!(rule, NanRule::Lanes { operands, .. } if operands == Some(lanes))
        {
            self.settle_lanes(lanes);
        }
        match rule {
            NanRule::Operand(float) if !self.has_known_bits => self.settle_scalar(float),
            NanRule::Lanes { result, .. } => self.unsettled = Some(result),
            NanRule::Operand(_) | NanRule::None => {}
        }
        self.has_known_bits = makes_known_bits(&operator);
        let is_counted = match operator {
            Operator::Call { function_index } => self.calls.n_imports <= function_index,
            Operator::CallIndirect { .. } => true,
            _ => false,
        };
        if is_counted {
            self.enter_call();
        }
        RoundtripReencoder.instruction(operator)?.encode(&mut self.bytes);
        if is_counted {
            self.leave_call();
        }
        Ok(())
    }

    fn sink(&mut self) -> InstructionSink<'_> {
        InstructionSink::new(&mut self.bytes)
    }

    /// Writes `x == x ? x : NaN` for the scalar on top of the operands.
    fn settle_scalar(&mut self, float: FloatType) {
        match float {
            FloatType::F32 => {
                let local = self.locals.of(ValType::F32);
                self.sink().local_tee(local).f32_const(f32::from_bits(NAN_32).into());
                self.sink().local_get(local).local_get(local).f32_eq().select();
            }
            FloatType::F64 => {
                let local = self.locals.of(ValType::F64);
                self.sink().local_tee(local).f64_const(f64::from_bits(NAN_64).into());
                self.sink().local_get(local).local_get(local).f64_eq().select();
            }
        }
    }

    /// Writes the same for each lane of the vector on top of the operands.
    fn settle_lanes(&mut self, lanes: FloatType) {
        let local = self.locals.of(ValType::V128);
        let nans = match lanes {
            FloatType::F32 => u128::from(NAN_32) * 0x1_0000_0001_0000_0001_0000_0001,
            FloatType::F64 => u128::from(NAN_64) * 0x1_0000_0000_0000_0001,
        };
        let mut sink = self.sink();
        sink.local_tee(local).v128_const(nans.cast_signed()).local_get(local).local_get(local);
        match lanes {
            FloatType::F32 => sink.f32x4_eq(),
            FloatType::F64 => sink.f64x2_eq(),
        };
        sink.v128_bitselect();
    }

    /// Takes the function's frame from the call stack, and traps if it has no room.
    fn enter_call(&mut self) {
        let CallCount { global, function: FunctionFacts { frame_bytes, .. }, .. } = *self.calls;
        let mut sink = self.sink();
        sink.global_get(global).i32_const(frame_bytes).i32_sub().global_set(global);
        sink.global_get(global).i32_const(0).i32_lt_s();
        sink.if_(BlockType::Empty).unreachable().end();
    }

    /// Gives the function's frame back to the call stack.
    fn leave_call(&mut self) {
        let CallCount { global, function: FunctionFacts { frame_bytes, .. }, .. } = *self.calls;
        self.sink().global_get(global).i32_const(frame_bytes).i32_add().global_set(global);
    }
}
