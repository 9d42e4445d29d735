//! The fields of a message.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Error, Fields, FieldsNamed, Result, Type};

use crate::attributes::{FieldAttributes, FieldForm};

/// A field of a message.
struct MessageField {
    name: Ident,
    ty: Type,
    attributes: FieldAttributes,
    /// The lowest number of the field on the wire.
    first: u32,
}

/// The fields of a message, in the order of their numbers.
pub(crate) struct MessageFields(Vec<MessageField>);

impl MessageFields {
    pub(crate) fn named(fields: &FieldsNamed) -> Result<Self> {
        let read = |field: &syn::Field| {
            let attributes = FieldAttributes::read(&field.attrs)?;
            let first = match attributes.flatten {
                Some(first) => first,
                None => attributes.tag(field)?,
            };
            let name = field.ident.clone().expect("a named field");
            Ok(MessageField { name, ty: field.ty.clone(), attributes, first })
        };
        let mut fields: Vec<_> = fields.named.iter().map(read).collect::<Result<_>>()?;
        fields.sort_by_key(|field| field.first);
        if let Some([_, same]) = fields.array_windows().find(|[a, b]| a.first == b.first) {
            return Err(Error::new_spanned(&same.name, "another field has the same number"));
        }
        Ok(Self(fields))
    }

    /// Returns the fields of a struct.
    pub(crate) fn of_struct(fields: &Fields) -> Result<Self> {
        match fields {
            Fields::Named(fields) => Self::named(fields),
            _ => Err(Error::new_spanned(fields, "a message has named fields")),
        }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &Ident> {
        self.0.iter().map(|field| &field.name)
    }

    /// Returns statements that write the fields to `message`. A variable named like the field
    /// refers to it.
    pub(crate) fn write(&self) -> TokenStream {
        let write = |field: &MessageField| {
            let MessageField { name, ty, attributes, first } = field;
            if is_array(field) {
                quote!(for (tag, entry) in (#first..).zip(#name) {
                    ::hatchery_core::wire::WireField::write_field(entry, tag, message);
                })
            } else if attributes.flatten.is_some() {
                let shift = attributes.shift;
                quote!(message.shifted(#shift, |message| {
                    ::hatchery_core::wire::WireValue::write_fields(#name, message);
                });)
            } else if attributes.form == FieldForm::Fixed {
                quote!(message.fixed64(#first, *#name);)
            } else if attributes.form == FieldForm::Default {
                let write = match ty {
                    Type::Array(_) => quote!(::hatchery_core::wire::WireField::write_field),
                    _ => quote!(::hatchery_core::wire::WireElement::write),
                };
                quote!(if *#name != <#ty as ::core::default::Default>::default() {
                    #write(#name, #first, message);
                })
            } else {
                quote!(::hatchery_core::wire::WireField::write_field(#name, #first, message);)
            }
        };
        self.0.iter().map(write).collect()
    }

    /// Returns statements that read the fields from `message` into variables named like the fields.
    pub(crate) fn read(&self) -> TokenStream {
        let read = |field: &MessageField| {
            let MessageField { name, ty, attributes, first } = field;
            let text = name.to_string();
            let read = if is_array(field) {
                quote!(::hatchery_core::wire::read_array(#first, #text, message)?)
            } else if attributes.flatten.is_some() {
                let (shift, read) = (attributes.shift, quote!(::hatchery_core::wire::WireValue));
                quote!(message.shifted(#shift, <#ty as #read>::read_fields)?)
            } else if attributes.form == FieldForm::Fixed {
                quote!(message.read_fixed64(#first)?)
            } else if attributes.form == FieldForm::Default {
                quote!(match message.has_field(#first)? {
                    true => <#ty as ::hatchery_core::wire::WireField>::read_field(
                        #first, #text, message,
                    )?,
                    false => <#ty as ::core::default::Default>::default(),
                })
            } else {
                quote!(
                    <#ty as ::hatchery_core::wire::WireField>::read_field(#first, #text, message)?
                )
            };
            let checks = attributes.limits.checks(ty, &quote!((&#name)), &quote!(#text));
            quote!(let #name: #ty = #read; #checks)
        };
        self.0.iter().map(read).collect()
    }

    /// Returns statements that add the parts of the fields to `parts`.
    pub(crate) fn add_parts(&self) -> TokenStream {
        let add = |field: &MessageField| {
            let name = &field.name;
            match (field.attributes.flatten, field.attributes.form == FieldForm::Fixed) {
                (Some(_), _) if !is_array(field) => {
                    quote!(::hatchery_core::wire::WireValue::add_parts(#name, parts);)
                }
                (_, true) => quote!(let _ = #name;),
                (_, false) => {
                    quote!(::hatchery_core::wire::WireField::add_parts(#name, parts);)
                }
            }
        };
        self.0.iter().map(add).collect()
    }
}

/// Returns true if each entry of the array is a field of the owner.
fn is_array(field: &MessageField) -> bool {
    field.attributes.flatten.is_some() && matches!(field.ty, Type::Array(_))
}
