//! Derives the encoding of a game's values between processes: `WireValue` for messages, and
//! `WireElement` for values that fit into one field. `hatchery_core::wire` documents both traits
//! and re-exports the macros.
//!
//! A field or variant has one attribute, `#[wire(...)]`:
//!
//! | attribute | on | meaning |
//! |---|---|---|
//! | `tag = 3` | field, variant | the number of the field on the wire |
//! | `tag = 3, fixed` | field `u64` | eight bytes instead of a varint |
//! | `tag = 3, flag` | variant without fields | `true` instead of an empty message |
//! | `tag = 3, default` | field | left out where it is the default of its type |
//! | `flatten = 3` | field | the owner has the fields of the value; 3 is their lowest number |
//! | `flatten = 3` | field `[T; N]` | each entry is a field, from number 3 on |
//! | `flatten = 3, shift = 2` | field | the owner's numbers of these fields are higher by 2 |
//! | `absent` | variant without fields | no field at all |
//! | `number = 3` | variant of a `WireElement` | the number of the variant; by default its place |
//!
//! A type has the attributes `#[wire(check)]`, which calls the type's own `check(&self)` once all
//! fields are read, `#[wire(parts)]`, which calls the type's own `named_parts(&self)` in place of
//! the parts of its fields, and `#[wire(try_from = Form)]`, which sends the value as a `Form`: a
//! type that converts from `&Self` and into `Self`. A `WireElement` has `try_from` as well: a
//! number with a limited range is sent as a number.
//!
//! Ranges are declared once, for the schema: the reader refuses a number, a length or an entry
//! beyond `#[schemars(range(...))]`, `#[schemars(length(...))]` and `#[schemars(inner(...))]`. A
//! type without a schema declares the same limits in `#[wire(tag = 3, range(min = 1))]`.

mod attributes;
mod element;
mod fields;
mod limits;
mod value;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Implements `WireValue`: a struct is a message, and an enum is a message with one of several
/// fields.
#[proc_macro_derive(WireValue, attributes(wire, schemars))]
pub fn derive_wire_value(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    value::derive(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Implements `WireElement`: an enum without fields is a number, and a struct with a single unnamed
/// field is that field.
#[proc_macro_derive(WireElement, attributes(wire, schemars))]
pub fn derive_wire_element(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    element::derive(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}
