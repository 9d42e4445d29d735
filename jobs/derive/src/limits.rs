//! The limits of a field: ranges of numbers, lengths of lists and texts.

use proc_macro2::TokenStream;
use quote::quote;
use syn::meta::ParseNestedMeta;
use syn::{
    Expr, ExprLit, ExprUnary, GenericArgument, Lit, LitFloat, Path, PathArguments, Result, Type,
    UnOp,
};

/// The limits that a field declares.
#[derive(Default)]
pub(crate) struct Limits {
    range: Bounds,
    length: Bounds,
    inner: Option<Box<Self>>,
}

/// Returns the name of an attribute, empty for a path.
pub(crate) fn name(path: &Path) -> String {
    path.get_ident().map(ToString::to_string).unwrap_or_default()
}

/// The least and the greatest allowed value.
#[derive(Default)]
struct Bounds {
    least: Option<Expr>,
    most: Option<Expr>,
}

impl Bounds {
    fn read(meta: &ParseNestedMeta<'_>) -> Result<Self> {
        let mut bounds = Self::default();
        meta.parse_nested_meta(|bound| {
            let value = bound.value()?.parse()?;
            match name(&bound.path).as_str() {
                "min" => bounds.least = Some(value),
                "max" => bounds.most = Some(value),
                "equal" => (bounds.least, bounds.most) = (Some(value.clone()), Some(value)),
                _ => return Err(bound.error("a bound is `min`, `max` or `equal`")),
            }
            Ok(())
        })?;
        Ok(bounds)
    }

    fn is_empty(&self) -> bool {
        self.least.is_none() && self.most.is_none()
    }

    /// Returns both bounds as expressions of type `Option`, with numbers of the field's kind.
    fn options(&self, is_float: bool) -> [TokenStream; 2] {
        [&self.least, &self.most].map(|bound| match bound {
            Some(bound) => {
                let bound = if is_float { float(bound) } else { bound.clone() };
                quote!(::core::option::Option::Some(#bound))
            }
            None => quote!(::core::option::Option::None),
        })
    }
}

impl Limits {
    /// Adds an attribute; returns false if it declares no limits.
    pub(crate) fn add(&mut self, meta: &ParseNestedMeta<'_>) -> Result<bool> {
        match name(&meta.path).as_str() {
            "range" => self.range = Bounds::read(meta)?,
            "length" => self.length = Bounds::read(meta)?,
            "inner" => {
                let mut inner = Self::default();
                meta.parse_nested_meta(|meta| match inner.add(&meta)? {
                    true => Ok(()),
                    false => Err(meta.error("entries have `range` or `length`")),
                })?;
                self.inner = Some(Box::new(inner));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Returns statements that check `value`, a reference to a value of type `ty`, under `key`.
    pub(crate) fn checks(&self, ty: &Type, value: &TokenStream, key: &TokenStream) -> TokenStream {
        if let Some(inside) = argument(ty, "Option") {
            let checks = self.checks(inside, &quote!(value), key);
            return match checks.is_empty() {
                true => checks,
                false => quote!(if let ::core::option::Option::Some(value) = #value { #checks }),
            };
        }
        let mut checks = TokenStream::new();
        if !self.range.is_empty() {
            let [least, most] = self.range.options(is_float(ty));
            checks
                .extend(quote!(::hatchery_core::wire::check_range(#key, #value, #least, #most)?;));
        }
        if !self.length.is_empty() {
            let [least, most] = self.length.options(false);
            checks.extend(quote!(
                ::hatchery_core::wire::check_length(
                    #key,
                    ::hatchery_core::wire::Length::length(#value),
                    #least,
                    #most,
                )?;
            ));
        }
        if let (Some(inner), Some(entry)) = (&self.inner, element(ty)) {
            // The key of an entry is made where it is needed: most entries are right.
            let inside = inner.checks(entry, &quote!(value), &quote!(""));
            checks.extend(quote!(for (idx, value) in #value.iter().enumerate() {
                let check = || -> ::core::result::Result<(), ::hatchery_core::InvalidValue> {
                    #inside
                    ::core::result::Result::Ok(())
                };
                check().map_err(|invalid| {
                    invalid.under(&::std::string::ToString::to_string(&idx)).under(#key)
                })?;
            }));
        }
        checks
    }
}

/// Returns the type `T` in `Name<T>`.
fn argument<'a>(ty: &'a Type, name: &str) -> Option<&'a Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == name)?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

/// Returns the type of the entries of a list.
fn element(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Array(array) => Some(&array.elem),
        ty => argument(ty, "Vec"),
    }
}

fn is_float(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident("f64") || path.path.is_ident("f32"))
}

/// Returns a bound as a float: `1` as `1.0`.
fn float(bound: &Expr) -> Expr {
    match bound {
        Expr::Lit(ExprLit { attrs, lit: Lit::Int(int) }) => {
            let digits = format!("{}.0", int.base10_digits());
            let lit = Lit::Float(LitFloat::new(&digits, int.span()));
            Expr::Lit(ExprLit { attrs: attrs.clone(), lit })
        }
        Expr::Unary(ExprUnary { attrs, op: op @ UnOp::Neg(_), expr }) => {
            Expr::Unary(ExprUnary { attrs: attrs.clone(), op: *op, expr: Box::new(float(expr)) })
        }
        other => other.clone(),
    }
}
