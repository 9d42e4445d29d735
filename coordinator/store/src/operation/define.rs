//! The macro that makes operations from a list.

/// Makes the operations of a list: a struct for each, [`StoreCall`] and [`StoreAnswer`] with a
/// variant for each, and the conversions.
///
/// An operation whose first field is `run` or `lead` is about that run, and an operation whose
/// first field is `lead` needs the token.
macro_rules! operations {
    ($(
        $(#[$text:meta])*
        $name:ident: $Op:ident $({ $($field:ident: $type:ty),+ $(,)? })? -> $Answer:ty
            $(, for $($View:ident),+)?;
    )+) => {
        $(
            operations!(@struct $(#[$text])* $Op $({ $($field: $type),+ })?);

            impl StoreOperation for $Op {
                type Answer = $Answer;

                fn name(&self) -> &'static str {
                    stringify!($name)
                }

                fn run(&self) -> Option<RunId> {
                    operations!(@run self $($($field)+)?)
                }

                fn lead(&self) -> Option<&LeaderToken> {
                    operations!(@lead (&self) $($($field)+)?)
                }

                fn lead_mut(&mut self) -> Option<&mut LeaderToken> {
                    operations!(@lead (&mut self) $($($field)+)?)
                }

                fn parse(answer: StoreAnswer) -> Result<$Answer, StoreError> {
                    match answer {
                        StoreAnswer::$Op(answer) => Ok(answer),
                        _ => Err(StoreError::WrongAnswer { operation: stringify!($name) }),
                    }
                }
            }

            $($(impl AllowedIn<$View> for $Op {})+)?

            impl From<$Op> for StoreCall {
                fn from(operation: $Op) -> Self {
                    Self::$Op(operation)
                }
            }
        )+

        /// Any operation.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum StoreCall {
            $(
                #[doc = concat!("`", stringify!($name), "`")]
                $Op($Op),
            )+
        }

        /// The answer to any operation.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum StoreAnswer {
            $(
                #[doc = concat!("To [`", stringify!($Op), "`].")]
                $Op($Answer),
            )+
        }

        impl StoreOperation for StoreCall {
            type Answer = StoreAnswer;

            fn name(&self) -> &'static str {
                match self {
                    $(Self::$Op(operation) => operation.name(),)+
                }
            }

            fn run(&self) -> Option<RunId> {
                match self {
                    $(Self::$Op(operation) => operation.run(),)+
                }
            }

            fn lead(&self) -> Option<&LeaderToken> {
                match self {
                    $(Self::$Op(operation) => operation.lead(),)+
                }
            }

            fn lead_mut(&mut self) -> Option<&mut LeaderToken> {
                match self {
                    $(Self::$Op(operation) => operation.lead_mut(),)+
                }
            }

            fn parse(answer: StoreAnswer) -> Result<StoreAnswer, StoreError> {
                Ok(answer)
            }
        }
    };

    (@struct $(#[$text:meta])* $Op:ident) => {
        $(#[$text])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $Op;
    };
    (@struct $(#[$text:meta])* $Op:ident { $($field:ident: $type:ty),+ }) => {
        $(#[$text])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $Op {
            $(
                #[expect(missing_docs, reason = "the operation's text names it")]
                pub $field: $type,
            )+
        }
    };

    (@run $op:ident run $($rest:ident)*) => { Some($op.run) };
    (@run $op:ident lead $($rest:ident)*) => { Some($op.lead.run) };
    (@run $op:ident $($rest:ident)*) => { None };

    (@lead ($($op:tt)+) lead $($rest:ident)*) => { Some($($op)+.lead) };
    (@lead ($($op:tt)+) $($rest:ident)*) => { None };
}

pub(super) use operations;
