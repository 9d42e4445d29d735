//! Derived values, as their bytes and as what is refused.

use proptest::prelude::*;

use crate::invalid_value::InvalidValue;
use crate::part::LargeValue;

use super::{DecodeError, Part, WireElement, WireValue, type_name};

/// A die with at least one side.
#[derive(Clone, Debug, PartialEq, WireValue)]
struct Die {
    #[wire(tag = 2)]
    name: String,
    #[wire(tag = 1, range(min = 1))]
    sides: u32,
}

/// The things on a table.
#[derive(Clone, Debug, Default, PartialEq, WireValue)]
#[wire(check)]
struct Table {
    #[wire(tag = 1, length(max = 3))]
    dice: Vec<Die>,
    #[wire(flatten = 2)]
    player: Player,
    #[wire(tag = 5, inner(range(max = 6)))]
    rolls: Vec<u32>,
    #[wire(tag = 6, fixed)]
    seed: u64,
    #[wire(tag = 7)]
    weights: [f64; 2],
    #[wire(tag = 8)]
    color: Color,
    #[wire(tag = 9, range(min = -1, max = 1))]
    bias: Option<f64>,
    #[wire(tag = 10)]
    part: Option<Part>,
    #[wire(tag = 11, default)]
    place: Place,
    #[wire(tag = 12)]
    spot: Eye,
    #[wire(tag = 13)]
    eyes: Vec<Eye>,
    #[wire(tag = 14, length(max = 2))]
    memory: LargeValue,
    #[wire(flatten = 15, inner(range(max = 9)))]
    corner: [u32; 2],
    #[wire(flatten = 17, shift = 16)]
    seat: Seat,
    #[wire(tag = 19, default)]
    scores: [u64; 2],
}

/// Two fields of the owner, whose numbers there are higher.
#[derive(Clone, Debug, Default, PartialEq, WireValue)]
struct Seat {
    #[wire(tag = 1)]
    number: u32,
    #[wire(tag = 2)]
    die: Option<Die>,
}

/// A message that is left out where it has its default.
#[derive(Clone, Debug, Default, PartialEq, WireValue)]
struct Place {
    #[wire(tag = 1, length(max = 3))]
    name: String,
}

/// A number below six, sent as a byte.
#[derive(Clone, Debug, Default, PartialEq, WireElement)]
#[wire(try_from = u8)]
struct Eye(u32);

impl From<&Eye> for u8 {
    fn from(eye: &Eye) -> Self {
        Self::try_from(eye.0).expect("at most six")
    }
}

impl TryFrom<u8> for Eye {
    type Error = InvalidValue;

    fn try_from(number: u8) -> Result<Self, InvalidValue> {
        match number {
            0..6 => Ok(Self(number.into())),
            _ => Err(InvalidValue::new("", &number, "below 6")),
        }
    }
}

impl Table {
    fn check(&self) -> Result<(), DecodeError> {
        match self.rolls.len() <= self.dice.len() {
            true => Ok(()),
            false => Err(DecodeError::field("rolls", &self.rolls.len(), "one per die")),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, WireValue)]
enum Player {
    #[default]
    #[wire(absent)]
    Nobody,
    #[wire(tag = 2)]
    Named(String),
    #[wire(tag = 3)]
    Robot {
        #[wire(tag = 1)]
        skill: i64,
        #[wire(tag = 2)]
        die: Box<Die>,
    },
    #[wire(tag = 4, flag)]
    Crowd,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, WireElement)]
enum Color {
    #[default]
    White,
    #[wire(number = 3)]
    Black,
    #[wire(number = 1)]
    Gray,
}

fn die() -> Die {
    Die { sides: 20, name: "d20".to_owned() }
}

/// Field 1 as a varint, field 2 as a string of 3 bytes, all behind the length.
#[test]
fn values_are_messages_behind_their_length() {
    assert_eq!(die().encode(), b"\x07\x08\x14\x12\x03d20");
    assert_eq!(Die::decode(&die().encode()).unwrap(), die());
    assert_eq!(die().encode_message(), b"\x08\x14\x12\x03d20");
    assert_eq!(Die::decode_message(&die().encode_message()).unwrap(), die());
    assert!(Die::decode_message(b"\x08\x94\x00").is_err());
    assert_eq!(().encode(), [0]);
    assert!(<()>::decode(&[0]).is_ok());
}

#[test]
fn what_is_no_whole_value_is_refused() {
    let bytes = die().encode();
    for n_bytes in 0..bytes.len() {
        let error = Die::decode(&bytes[..n_bytes]).unwrap_err();
        assert_eq!(error.to_string(), "malformed Die", "{n_bytes} bytes");
    }
    for (bytes, expected) in [
        ([&bytes[..], &[0, 0]].concat(), "2 bytes too many after Die"),
        (vec![0], "sides is 0, but must be at least 1"),
        // A length far behind the end, as a hostile sender might write it.
        (vec![0xff, 0xff, 0xff, 0xff, 0x0f, 0x08], "malformed Die"),
        // A name that is not UTF-8.
        (b"\x05\x08\x14\x12\x01\xff".to_vec(), "malformed Die"),
        // An unknown field; a number in two bytes instead of one; an empty name, written out;
        // two names; fields in another order.
        (b"\x04\x08\x14\x18\x01".to_vec(), "Die is not canonically encoded"),
        (b"\x03\x08\x94\x00".to_vec(), "Die is not canonically encoded"),
        (b"\x04\x08\x14\x12\x00".to_vec(), "Die is not canonically encoded"),
        (b"\x08\x08\x14\x12\x01a\x12\x01b".to_vec(), "Die is not canonically encoded"),
        (b"\x05\x12\x01a\x08\x14".to_vec(), "sides is 0, but must be at least 1"),
    ] {
        assert_eq!(Die::decode(&bytes).unwrap_err().to_string(), expected);
    }
    assert!(<()>::decode(&[]).is_err());
}

/// Fields 15 and 16 are the entries, field 17 is the first of the seat.
#[test]
fn flattened_fields_have_numbers_of_the_owner() {
    let seat = Seat { number: 7, die: None };
    let bytes = Table { corner: [0, 5], seat, ..Table::default() }.encode();
    assert!(bytes.ends_with(&[0x80, 1, 5, 0x88, 1, 7]), "{bytes:?}");
}

#[test]
fn declared_limits_hold_for_what_is_read() {
    let good = Table { dice: vec![die(), die()], rolls: vec![6], ..Table::default() };
    let check = |bad: Table, expected: &str| {
        assert_eq!(Table::decode(&bad.encode()).unwrap_err().to_string(), expected);
    };
    assert_eq!(Table::decode(&good.encode()).unwrap(), good);
    let blank = Die { sides: 0, ..die() };
    let dice = vec![die(), blank.clone()];
    check(Table { dice, ..good.clone() }, "dice.1.sides is 0, but must be at least 1");
    let dice = vec![die(); 4];
    check(Table { dice, ..good.clone() }, "dice is 4 long, but must be at most 3 long");
    let rolls = vec![6, 7];
    check(Table { rolls, ..good.clone() }, "rolls.1 is 7, but must be at most 6");
    let rolls = vec![1; 3];
    check(Table { rolls, ..good.clone() }, "rolls is 3, but must be one per die");
    let bias = Some(f64::NAN);
    check(Table { bias, ..good.clone() }, "bias is NaN, but must be from -1 to 1");
    let place = Place { name: "öööö".to_owned() };
    check(Table { place, ..good.clone() }, "place.name is 4 long, but must be at most 3 long");
    let place = Place { name: "ööö".to_owned() };
    assert!(Table::decode(&Table { place, ..good.clone() }.encode()).is_ok());
    check(Table { spot: Eye(6), ..good.clone() }, "spot is 6, but must be below 6");
    let eyes = vec![Eye(0), Eye(9)];
    check(Table { eyes, ..good.clone() }, "eyes.1 is 9, but must be below 6");
    let memory = LargeValue::new(vec![Part::of(b""); 3]);
    check(Table { memory, ..good.clone() }, "memory is 3 long, but must be at most 2 long");
    let player = Player::Robot { skill: -3, die: Box::new(blank) };
    check(Table { player, ..good.clone() }, "robot.die.sides is 0, but must be at least 1");
    check(Table { corner: [1, 10], ..good }, "corner.1 is 10, but must be at most 9");
    // A list of two, and a color that is not there.
    let error = Table::decode(b"\x0a\x3a\x08\0\0\0\0\0\0\0\0").unwrap_err().to_string();
    assert_eq!(error, "weights is a list of 1, but must be a list of 2");
    let weights = [&[0x14, 0x3a, 0x10][..], &[0; 16], &[0x40, 2]].concat();
    let error = Table::decode(&weights).unwrap_err().to_string();
    assert_eq!(error, "color is 2, but must be below 4");
}

#[test]
fn parts_are_their_names() {
    let part = Part::of(&[7; 1000]);
    assert_eq!((Part::decode(&part.encode()).unwrap(), part.parts()), (part, vec![part]));
    let table = Table { part: Some(part), ..Table::default() };
    assert_eq!(table.parts(), [part]);
    let mut bytes = part.encode();
    let last = bytes.len() - 1;
    bytes[last] = 0;
    assert!(Part::decode(&bytes).is_err());
    for (hash, n_bytes, expected) in [
        (vec![0; 31], 1, "hash is 31 bytes long, but must be 32"),
        (vec![0; 32], 1 << 27, "n_bytes is 134217728, but must be at most 67108864"),
    ] {
        assert_eq!(Part::from_wire(&hash, n_bytes).unwrap_err().to_string(), expected);
    }
}

#[test]
fn names_of_types_have_no_path_and_no_parameters() {
    assert_eq!(type_name::<Die>(), "Die");
    assert_eq!(type_name::<Vec<Die>>(), "Vec");
    assert_eq!(type_name::<()>(), "()");
}

fn tables() -> impl Strategy<Value = Table> {
    let die = (".{0,200}", 1_u32..).prop_map(|(name, sides)| Die { name, sides });
    let player = prop_oneof![
        Just(Player::Nobody),
        Just(Player::Crowd),
        ".*".prop_map(Player::Named),
        (any::<i64>(), die.clone())
            .prop_map(|(skill, die)| Player::Robot { skill, die: Box::new(die) }),
    ];
    let color = prop_oneof![Just(Color::White), Just(Color::Gray), Just(Color::Black)];
    let weights = [any::<f64>(), any::<f64>()];
    let numbers = (any::<u64>(), weights, prop::option::of(-1.0..=1.0), any::<bool>());
    let dice = prop::collection::vec(die, 0..=3);
    (dice, player, color, numbers).prop_map(|(dice, player, color, numbers)| {
        let (seed, weights, bias, has_part) = numbers;
        let rolls = dice.iter().map(|die| die.sides % 7).collect();
        let part = has_part.then(|| Part::of(&seed.to_le_bytes()));
        let place = Place { name: dice.iter().map(|_| 'x').collect() };
        let eyes = dice.iter().map(|die| Eye(die.sides % 6)).collect();
        let memory = LargeValue::new(part.into_iter().collect());
        let spot = Eye(u32::from(has_part));
        let corner = [spot.0, 9 * spot.0];
        let seat = Seat { number: spot.0, die: dice.first().cloned() };
        let scores = [0, u64::from(has_part)];
        Table {
            dice,
            player,
            rolls,
            seed,
            weights,
            color,
            bias,
            part,
            place,
            spot,
            eyes,
            memory,
            corner,
            seat,
            scores,
        }
    })
}

proptest! {
    #[test]
    fn values_are_read_as_they_were_written(table in tables()) {
        prop_assert_eq!(Table::decode(&table.encode()).unwrap(), table);
    }

    #[test]
    fn random_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        if let Ok(die) = Die::decode(&bytes) {
            prop_assert_eq!(die.encode(), &bytes[..]);
        }
        if let Ok(table) = Table::decode(&bytes) {
            prop_assert_eq!(table.encode(), bytes);
        }
    }
}
