//! `WireValue` for structs and for enums.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DataEnum, DeriveInput, Error, Fields, Result, Type, Variant};

use crate::attributes::{FieldAttributes, FieldForm, TypeAttributes};
use crate::fields::MessageFields;

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let name = &input.ident;
    let attributes = TypeAttributes::read(&input.attrs)?;
    let mut code = match (&attributes.try_from, &input.data) {
        (Some(form), _) => converted(form),
        (None, Data::Struct(data)) => message(&MessageFields::of_struct(&data.fields)?),
        (None, Data::Enum(data)) => choice(data)?,
        (None, Data::Union(_)) => return Err(Error::new_spanned(name, "a union is no message")),
    };
    if attributes.has_check {
        code.read.extend(quote!(value.check()?;));
    }
    if attributes.has_parts {
        code.add_parts = quote!(parts.extend(self.named_parts()););
    }
    let MessageCode { write, read, add_parts } = code;
    Ok(quote! {
        impl ::hatchery_core::wire::WireValue for #name {
            fn write_fields(&self, message: &mut ::hatchery_core::wire::MessageWriter) {
                #write
            }

            fn read_fields(
                message: &mut ::hatchery_core::wire::MessageReader<'_>,
            ) -> ::core::result::Result<Self, ::hatchery_core::wire::DecodeError> {
                #read
                ::core::result::Result::Ok(value)
            }

            fn add_parts(&self, parts: &mut ::std::vec::Vec<::hatchery_core::Part>) {
                #add_parts
            }
        }
    })
}

/// The bodies of the functions of `WireValue`.
struct MessageCode {
    write: TokenStream,
    /// Ends with a variable `value`.
    read: TokenStream,
    add_parts: TokenStream,
}

/// Returns the bodies for a type that is sent as a `form`.
fn converted(form: &Type) -> MessageCode {
    let convert = quote!(<#form as ::core::convert::From<&Self>>::from(self));
    MessageCode {
        write: quote!(::hatchery_core::wire::WireValue::write_fields(&#convert, message);),
        read: quote!(
            let form = <#form as ::hatchery_core::wire::WireValue>::read_fields(message)?;
            let value = <Self as ::core::convert::TryFrom<#form>>::try_from(form)?;
        ),
        add_parts: quote!(::hatchery_core::wire::WireValue::add_parts(&#convert, parts);),
    }
}

/// Returns the bodies for a struct.
fn message(fields: &MessageFields) -> MessageCode {
    let names: Vec<_> = fields.names().collect();
    let open = quote!(let Self { #(#names),* } = self;);
    let (write, read, add_parts) = (fields.write(), fields.read(), fields.add_parts());
    MessageCode {
        write: quote!(#open #write),
        read: quote!(#read let value = Self { #(#names),* };),
        add_parts: quote!(#open #add_parts),
    }
}

/// Returns the bodies for an enum. Each variant has a field, and a value has only its variant's
/// field.
fn choice(data: &DataEnum) -> Result<MessageCode> {
    let variants: Vec<VariantCode> =
        data.variants.iter().map(VariantCode::new).collect::<Result<_>>()?;
    let writes = variants.iter().map(|variant| &variant.write);
    let reads = variants.iter().map(|variant| &variant.read);
    let adds = variants.iter().map(|variant| &variant.add_parts);
    let absent = data.variants.iter().zip(&variants).find(|(_, code)| code.is_absent);
    let otherwise = match absent {
        Some((Variant { ident, .. }, _)) => quote!(Self::#ident),
        None => {
            let names: Vec<_> = data.variants.iter().map(|it| it.ident.to_string()).collect();
            let expected = format!("one of {}", names.join(", "));
            quote!(return ::core::result::Result::Err(
                ::hatchery_core::wire::DecodeError::missing("kind", #expected)
            ))
        }
    };
    Ok(MessageCode {
        write: quote!(match self { #(#writes)* }),
        read: quote!(let value = #(#reads)* { #otherwise };),
        add_parts: quote!(match self { #(#adds)* }),
    })
}

/// The code for a variant of an enum.
struct VariantCode {
    /// An arm of a `match` on `self`.
    write: TokenStream,
    /// `if let Some(...) = ... { Self::Variant } else`, or nothing.
    read: TokenStream,
    /// An arm of a `match` on `self`.
    add_parts: TokenStream,
    is_absent: bool,
}

impl VariantCode {
    fn new(variant: &Variant) -> Result<Self> {
        let name = &variant.ident;
        let attributes = FieldAttributes::read(&variant.attrs)?;
        if attributes.form == FieldForm::Absent {
            let nothing = quote!(Self::#name => {});
            let (write, read) = (nothing.clone(), TokenStream::new());
            return Ok(Self { write, read, add_parts: nothing, is_absent: true });
        }
        let tag = attributes.tag(variant)?;
        match &variant.fields {
            Fields::Unit => Ok(Self::unit(variant, tag, attributes.form)),
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                let (ty, value) = (&fields.unnamed[0].ty, quote!(value));
                let checks = attributes.limits.checks(ty, &quote!((&value)), &text(variant));
                Ok(Self::element(variant, tag, ty, &quote!((#value)), &value, &checks))
            }
            Fields::Named(fields) if fields.named.len() == 1 && is_plain(&fields.named[0])? => {
                let field = &fields.named[0];
                let (ty, value) = (&field.ty, field.ident.as_ref().expect("a named field"));
                let limits = FieldAttributes::read(&field.attrs)?.limits;
                let checks = limits.checks(ty, &quote!((&#value)), &value_text(value));
                let pattern = quote!({ #value });
                Ok(Self::element(variant, tag, ty, &pattern, &quote!(#value), &checks))
            }
            Fields::Named(fields) => {
                let fields = MessageFields::named(fields)?;
                Ok(Self::message(variant, tag, &fields))
            }
            fields => Err(Error::new_spanned(fields, "a variant has one field or named ones")),
        }
    }

    fn unit(variant: &Variant, tag: u32, form: FieldForm) -> Self {
        let name = &variant.ident;
        let (write, read) = match form == FieldForm::Flag {
            true => (quote!(message.flag(#tag)), quote!(message.read_flag(#tag)?)),
            false => (quote!(message.message(#tag, |_| {})), quote!(message.read_empty(#tag)?)),
        };
        Self {
            write: quote!(Self::#name => #write,),
            read: quote!(if #read { Self::#name } else),
            add_parts: quote!(Self::#name => {}),
            is_absent: false,
        }
    }

    /// Returns the code for a variant whose only field is the element on the wire.
    fn element(
        variant: &Variant,
        tag: u32,
        ty: &Type,
        pattern: &TokenStream,
        value: &TokenStream,
        checks: &TokenStream,
    ) -> Self {
        let (name, text) = (&variant.ident, text(variant));
        Self {
            write: quote!(Self::#name #pattern => {
                ::hatchery_core::wire::WireElement::write(#value, #tag, message);
            }),
            read: quote!(if let ::core::option::Option::Some(#value) =
                <#ty as ::hatchery_core::wire::WireElement>::read(#tag, #text, message)?
            {
                #checks
                Self::#name #pattern
            } else),
            add_parts: quote!(Self::#name #pattern => {
                ::hatchery_core::wire::WireElement::add_parts(#value, parts);
            }),
            is_absent: false,
        }
    }

    /// Returns the code for a variant whose fields are a message.
    fn message(variant: &Variant, tag: u32, fields: &MessageFields) -> Self {
        let (name, text) = (&variant.ident, text(variant));
        let names: Vec<_> = fields.names().collect();
        let (write, read, add_parts) = (fields.write(), fields.read(), fields.add_parts());
        Self {
            write: quote!(Self::#name { #(#names),* } => message.message(#tag, |message| {
                #write
            }),),
            read: quote!(if let ::core::option::Option::Some(variant) =
                message.read_message(#tag, #text, |message| {
                    #read
                    ::core::result::Result::Ok(Self::#name { #(#names),* })
                })?
            {
                variant
            } else),
            add_parts: quote!(Self::#name { #(#names),* } => { #add_parts }),
            is_absent: false,
        }
    }
}

/// Returns true if a field has no number of its own: it is the whole variant.
fn is_plain(field: &syn::Field) -> Result<bool> {
    let attributes = FieldAttributes::read(&field.attrs)?;
    Ok(attributes.tag.is_none() && attributes.flatten.is_none())
}

/// Returns the name of a variant in errors: `several_matches` for `SeveralMatches`.
fn text(variant: &Variant) -> TokenStream {
    let mut text = String::new();
    for letter in variant.ident.to_string().chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    quote!(#text)
}

fn value_text(name: &syn::Ident) -> TokenStream {
    let text = name.to_string();
    quote!(#text)
}
