//! `WireElement` for enums without fields, and for structs with a single unnamed field.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DataEnum, DeriveInput, Error, Fields, Ident, Result, Type};

use crate::attributes::{FieldAttributes, TypeAttributes};

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    if let Some(form) = TypeAttributes::read(&input.attrs)?.try_from {
        return Ok(converted(&input.ident, &form));
    }
    match &input.data {
        Data::Enum(data) => choice(&input.ident, data),
        Data::Struct(data) => match &data.fields {
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                Ok(wrapper(&input.ident, &fields.unnamed[0].ty))
            }
            fields => Err(Error::new_spanned(fields, "an element has one unnamed field")),
        },
        Data::Union(_) => Err(Error::new_spanned(&input.ident, "a union is no element")),
    }
}

/// Returns the implementation for an enum: the number of a variant.
fn choice(name: &Ident, data: &DataEnum) -> Result<TokenStream> {
    let (mut next, mut end) = (0, 0);
    let mut numbers = Vec::new();
    for variant in &data.variants {
        if !matches!(variant.fields, Fields::Unit) {
            return Err(Error::new_spanned(variant, "a choice has no fields: derive WireValue"));
        }
        let number = FieldAttributes::read(&variant.attrs)?.number.unwrap_or(next);
        next = number + 1;
        end = next.max(end);
        numbers.push((&variant.ident, number));
    }
    let to_number = numbers.iter().map(|(variant, number)| quote!(Self::#variant => #number,));
    let from_number =
        numbers.iter().map(|(variant, number)| quote!(#number => Some(Self::#variant),));
    Ok(scoped(&quote! {
        impl WireChoice for #name {
            const END: u32 = #end;

            fn to_number(&self) -> u32 {
                match self { #(#to_number)* }
            }

            fn from_number(number: u32) -> Option<Self> {
                match number { #(#from_number)* _ => None }
            }
        }

        impl WireElement for #name {
            fn is_default(&self) -> bool {
                self.to_number() == 0
            }

            fn absent(name: &'static str) -> Result<Self, DecodeError> {
                choice_of(name, 0)
            }

            fn write(&self, tag: u32, message: &mut MessageWriter) {
                self.to_number().write(tag, message);
            }

            fn read(
                tag: u32,
                name: &'static str,
                message: &mut MessageReader<'_>,
            ) -> Result<Option<Self>, DecodeError> {
                let number = u32::read(tag, name, message)?;
                number.map(|number| choice_of(name, number)).transpose()
            }

            fn write_list(list: &[Self], tag: u32, message: &mut MessageWriter) {
                let numbers: Vec<u32> = list.iter().map(Self::to_number).collect();
                u32::write_list(&numbers, tag, message);
            }

            fn read_list(
                tag: u32,
                name: &'static str,
                message: &mut MessageReader<'_>,
            ) -> Result<Vec<Self>, DecodeError> {
                let numbers = u32::read_list(tag, name, message)?;
                numbers.into_iter().map(|number| choice_of(name, number)).collect()
            }
        }
    }))
}

/// Returns `implementations` with the names that they use in scope.
fn scoped(implementations: &TokenStream) -> TokenStream {
    quote! {
        const _: () = {
            use ::hatchery_core::wire::{
                DecodeError, MessageReader, MessageWriter, WireChoice, WireElement, choice_of,
            };
            #implementations
        };
    }
}

/// Returns the implementation for a struct with a single field: the struct is sent as that field.
fn wrapper(name: &Ident, inside: &Type) -> TokenStream {
    through(name, inside, &quote!(value.0.clone()), &quote!(Ok(Self(inside))))
}

/// Returns the implementation for a type that is sent as a `form`.
fn converted(name: &Ident, form: &Type) -> TokenStream {
    let write = quote!(<#form as ::core::convert::From<&Self>>::from(value));
    let read = quote!(
        <Self as ::core::convert::TryFrom<#form>>::try_from(inside).map_err(DecodeError::from)
    );
    through(name, form, &write, &read)
}

/// Returns the implementation for a type that is sent as `form`. `write` turns the reference
/// `value` into a form, and `read` turns the form `inside` into a result.
fn through(name: &Ident, form: &Type, write: &TokenStream, read: &TokenStream) -> TokenStream {
    quote! {
        const _: () = {
            use ::hatchery_core::wire::{DecodeError, MessageReader, MessageWriter, WireElement};

            impl #name {
                fn to_wire_form(value: &Self) -> #form {
                    #write
                }

                fn from_wire_form(inside: #form, name: &str) -> Result<Self, DecodeError> {
                    let read: Result<Self, DecodeError> = #read;
                    read.map_err(|error| error.under(name))
                }
            }

            impl WireElement for #name {
                fn is_default(&self) -> bool {
                    Self::to_wire_form(self).is_default()
                }

                fn absent(name: &'static str) -> Result<Self, DecodeError> {
                    Self::from_wire_form(<#form>::absent(name)?, name)
                }

                fn write(&self, tag: u32, message: &mut MessageWriter) {
                    Self::to_wire_form(self).write(tag, message);
                }

                fn read(
                    tag: u32,
                    name: &'static str,
                    message: &mut MessageReader<'_>,
                ) -> Result<Option<Self>, DecodeError> {
                    let form = <#form>::read(tag, name, message)?;
                    form.map(|form| Self::from_wire_form(form, name)).transpose()
                }

                fn write_list(list: &[Self], tag: u32, message: &mut MessageWriter) {
                    let forms: Vec<#form> = list.iter().map(Self::to_wire_form).collect();
                    <#form>::write_list(&forms, tag, message);
                }

                fn read_list(
                    tag: u32,
                    name: &'static str,
                    message: &mut MessageReader<'_>,
                ) -> Result<Vec<Self>, DecodeError> {
                    let forms = <#form>::read_list(tag, name, message)?;
                    let read = |(idx, form)| {
                        Self::from_wire_form(form, "").map_err(|error| {
                            error.under(&::std::string::ToString::to_string(&idx)).under(name)
                        })
                    };
                    forms.into_iter().enumerate().map(read).collect()
                }
            }
        };
    }
}
