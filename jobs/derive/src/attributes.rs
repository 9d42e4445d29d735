//! The `#[wire(...)]` attributes of types, fields and variants.

use syn::meta::ParseNestedMeta;
use syn::{Attribute, Error, Expr, LitInt, Result, Type};

use crate::limits::{Limits, name};

/// The attributes of a type.
#[derive(Default)]
pub(crate) struct TypeAttributes {
    pub(crate) has_check: bool,
    pub(crate) has_parts: bool,
    pub(crate) try_from: Option<Type>,
}

/// The form of a field or a variant on the wire.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum FieldForm {
    #[default]
    Usual,
    /// Eight bytes instead of a varint.
    Fixed,
    /// `true` instead of an empty message.
    Flag,
    /// No field at all.
    Absent,
    /// Left out where it is the default of its type.
    Default,
}

/// The attributes of a field or a variant.
#[derive(Default)]
pub(crate) struct FieldAttributes {
    pub(crate) tag: Option<u32>,
    pub(crate) flatten: Option<u32>,
    pub(crate) shift: u32,
    pub(crate) number: Option<u32>,
    pub(crate) form: FieldForm,
    pub(crate) limits: Limits,
}

impl TypeAttributes {
    pub(crate) fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut read = Self::default();
        for attribute in attributes.iter().filter(|it| it.path().is_ident("wire")) {
            attribute.parse_nested_meta(|meta| match name(&meta.path).as_str() {
                "check" => set(&mut read.has_check),
                "parts" => set(&mut read.has_parts),
                "try_from" => {
                    read.try_from = Some(meta.value()?.parse()?);
                    Ok(())
                }
                _ => Err(meta.error("a type has `check`, `parts` or `try_from = Form`")),
            })?;
        }
        Ok(read)
    }
}

impl FieldAttributes {
    pub(crate) fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut read = Self::default();
        for attribute in attributes {
            if attribute.path().is_ident("wire") {
                attribute.parse_nested_meta(|meta| read.add(&meta))?;
            } else if attribute.path().is_ident("schemars") {
                attribute.parse_nested_meta(|meta| match read.limits.add(&meta)? {
                    true => Ok(()),
                    false => skip(&meta),
                })?;
            }
        }
        Ok(read)
    }

    fn add(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        match name(&meta.path).as_str() {
            "tag" => self.tag = Some(number(meta)?),
            "flatten" => self.flatten = Some(number(meta)?),
            "shift" => self.shift = number(meta)?,
            "number" => self.number = Some(number(meta)?),
            "fixed" => self.form = FieldForm::Fixed,
            "flag" => self.form = FieldForm::Flag,
            "absent" => self.form = FieldForm::Absent,
            "default" => self.form = FieldForm::Default,
            _ if self.limits.add(meta)? => {}
            _ => return Err(meta.error("no attribute of `wire`; see the crate `hatchery-derive`")),
        }
        Ok(())
    }

    /// Returns the tag of `what`.
    pub(crate) fn tag(&self, what: &impl quote::ToTokens) -> Result<u32> {
        self.tag.ok_or_else(|| Error::new_spanned(what, "missing: #[wire(tag = ...)]"))
    }
}

fn set(flag: &mut bool) -> Result<()> {
    *flag = true;
    Ok(())
}

fn number(meta: &ParseNestedMeta<'_>) -> Result<u32> {
    meta.value()?.parse::<LitInt>()?.base10_parse()
}

/// Skips an attribute that has no meaning here.
fn skip(meta: &ParseNestedMeta<'_>) -> Result<()> {
    if meta.input.peek(syn::token::Paren) {
        let content;
        syn::parenthesized!(content in meta.input);
        content.parse::<proc_macro2::TokenStream>()?;
    } else if meta.input.peek(syn::Token![=]) {
        meta.value()?.parse::<Expr>()?;
    }
    Ok(())
}
