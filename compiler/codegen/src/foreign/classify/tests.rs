//! Examples from the published documents, and edge cases of C compilers.

use super::*;

const TRUTH: Shape = Shape::Scalar(Scalar::Truth);
const BYTE: Shape = Shape::Scalar(Scalar::Integer { bits: 8, signed: false });
const INT: Shape = Shape::Scalar(Scalar::Integer { bits: 32, signed: true });
const LONG: Shape = Shape::Scalar(Scalar::Integer { bits: 64, signed: true });
const FLOAT: Shape = Shape::Scalar(Scalar::Float32);
const DOUBLE: Shape = Shape::Scalar(Scalar::Float64);
const POINTER: Shape = Shape::Scalar(Scalar::Pointer);

fn record(fields: &[Shape]) -> Shape {
    Shape::Struct(fields.to_vec())
}

fn parameters(rules: Rules, shapes: &[Shape]) -> Vec<Passed> {
    rules.interface(shapes, &Shape::Nothing).parameters
}

fn one(rules: Rules, shape: Shape) -> Passed {
    parameters(rules, &[shape]).remove(0)
}

fn result(rules: Rules, shape: Shape) -> Returned {
    rules.interface(&[], &shape).result
}

fn words(count: u64) -> Vec<Piece> {
    vec![Piece::new(0, Unit::Word32, count)]
}

fn doublewords(count: u64) -> Vec<Piece> {
    vec![Piece::new(0, Unit::Word64, count)]
}

/// The example of the System V psABI, figures 3.5 and 3.6: `struct { int a, b; double d; }` among integers and doubles.
#[test]
fn system_v_example() {
    let s = record(&[INT, INT, DOUBLE]);
    let shapes = [INT, INT, s, INT, INT, Shape::Struct(vec![LONG, LONG, LONG]), DOUBLE, DOUBLE, INT, INT, INT];
    let passed = parameters(Rules::SystemV, &shapes);
    assert_eq!(passed[2], Passed::Pieces(vec![Piece::new(0, Unit::Word64, 1), Piece::new(8, Unit::Float64, 1)]));
    assert_eq!(passed[5], Passed::Copied(8));
    assert_eq!(passed[10], Passed::Scalar(Scalar::Integer { bits: 32, signed: true }));
}

#[test]
fn system_v_merges_the_classes_of_an_eightbyte() {
    let pieces = |fields: &[Shape]| one(Rules::SystemV, record(fields));
    let eightbyte = |unit| Passed::Pieces(vec![Piece::new(0, unit, 1)]);
    assert_eq!(pieces(&[FLOAT, INT]), eightbyte(Unit::Word64));
    assert_eq!(pieces(&[FLOAT, FLOAT]), eightbyte(Unit::Float64));
    assert_eq!(pieces(&[BYTE]), eightbyte(Unit::Word64));
    let nested = record(&[record(&[FLOAT, FLOAT]), record(&[FLOAT, TRUTH])]);
    assert_eq!(
        one(Rules::SystemV, nested),
        Passed::Pieces(vec![Piece::new(0, Unit::Float64, 1), Piece::new(8, Unit::Word64, 1)])
    );
}

#[test]
fn system_v_splits_no_struct_between_registers_and_stack() {
    let pair = record(&[LONG, LONG]);
    // Five registers are taken: a struct of two goes to the stack, and the integer after it still gets the sixth.
    let passed = parameters(Rules::SystemV, &[INT, INT, INT, INT, INT, pair.clone(), INT, record(&[LONG])]);
    assert_eq!(passed[5], Passed::Copied(8));
    assert_eq!(passed[7], Passed::Copied(8));
    // A result in memory takes the first register.
    let big = record(&[LONG, LONG, LONG]);
    let interface = Rules::SystemV.interface(&[INT, INT, INT, INT, pair], &big);
    assert_eq!(interface.result, Returned::Through);
    assert_eq!(interface.parameters[4], Passed::Copied(8));
    // Floating-point registers are counted separately.
    let floats = vec![DOUBLE; 8];
    let shapes: Vec<Shape> = floats.into_iter().chain([record(&[DOUBLE, INT]), record(&[INT])]).collect();
    let passed = parameters(Rules::SystemV, &shapes);
    assert_eq!(passed[8], Passed::Copied(8));
    assert_eq!(passed[9], Passed::Pieces(doublewords(1)));
}

#[test]
fn aapcs64_passes_homogeneous_floats_in_registers_of_their_own() {
    let floats = |count, unit| Passed::Pieces(vec![Piece::new(0, unit, count)]);
    assert_eq!(one(Rules::Aapcs64, record(&[FLOAT, FLOAT, FLOAT])), floats(3, Unit::Float32));
    assert_eq!(one(Rules::Aapcs64, record(&[DOUBLE, record(&[DOUBLE, DOUBLE, DOUBLE])])), floats(4, Unit::Float64));
    // Five are not homogeneous, and are larger than two registers.
    assert_eq!(one(Rules::Aapcs64, record(&[DOUBLE, DOUBLE, DOUBLE, DOUBLE, DOUBLE])), Passed::Address);
    assert_eq!(one(Rules::Aapcs64, record(&[FLOAT, DOUBLE])), Passed::Pieces(doublewords(2)));
    assert_eq!(one(Rules::Aapcs64, record(&[BYTE, POINTER])), Passed::Pieces(doublewords(2)));
    assert_eq!(one(Rules::Aapcs64, record(&[INT])), Passed::Pieces(doublewords(1)));
    assert_eq!(one(Rules::Aapcs64, record(&[LONG, LONG, BYTE])), Passed::Address);
    assert_eq!(result(Rules::Aapcs64, record(&[LONG, LONG])), Returned::Pieces(doublewords(2)));
    assert_eq!(result(Rules::Aapcs64, record(&[LONG, LONG, BYTE])), Returned::Through);
}

#[test]
fn aapcs_passes_structs_in_words() {
    for vfp in [false, true] {
        let rules = Rules::Aapcs { vfp };
        assert_eq!(one(rules, record(&[BYTE, BYTE, BYTE])), Passed::Pieces(words(1)));
        assert_eq!(one(rules, record(&[INT, BYTE])), Passed::Pieces(words(2)));
        // An alignment of eight bytes requires pairs of registers.
        assert_eq!(one(rules, record(&[BYTE, LONG])), Passed::Pieces(doublewords(2)));
        assert_eq!(one(rules, record(&vec![INT; 17])), Passed::Copied(4));
        assert_eq!(one(rules, record(&vec![LONG; 9])), Passed::Copied(8));
        assert_eq!(result(rules, record(&[BYTE, BYTE, BYTE, BYTE])), Returned::Pieces(words(1)));
        assert_eq!(result(rules, record(&[INT, BYTE])), Returned::Through);
        assert_eq!(result(rules, LONG), Returned::Scalar(Scalar::Integer { bits: 64, signed: true }));
    }
}

#[test]
fn only_the_vfp_variant_of_aapcs_has_registers_for_floats() {
    let pair = record(&[FLOAT, FLOAT]);
    let floats = vec![Piece::new(0, Unit::Float32, 2)];
    assert_eq!(one(Rules::Aapcs { vfp: true }, pair.clone()), Passed::Pieces(floats.clone()));
    assert_eq!(result(Rules::Aapcs { vfp: true }, pair.clone()), Returned::Pieces(floats));
    assert_eq!(one(Rules::Aapcs { vfp: false }, pair.clone()), Passed::Pieces(words(2)));
    assert_eq!(result(Rules::Aapcs { vfp: false }, pair), Returned::Through);
    assert_eq!(one(Rules::Aapcs { vfp: true }, record(&[FLOAT, INT])), Passed::Pieces(words(2)));
}

#[test]
fn nothing_is_nothing() {
    for rules in [Rules::SystemV, Rules::Aapcs64, Rules::Aapcs { vfp: true }] {
        assert_eq!(parameters(rules, &[Shape::Nothing, record(&[])]), [Passed::Nothing, Passed::Nothing]);
        assert_eq!(result(rules, Shape::Nothing), Returned::Nothing);
    }
}

#[test]
fn fields_lie_where_c_puts_them() {
    let shape = record(&[record(&[INT, BYTE]), BYTE, POINTER]);
    let offsets =
        |pointer_bytes| -> Vec<u64> { shape.scalars(pointer_bytes).into_iter().map(|(offset, _)| offset).collect() };
    assert_eq!((offsets(4), shape.extent(4).size.0), (vec![0, 4, 8, 12], 16));
    assert_eq!((offsets(8), shape.extent(8).size.0), (vec![0, 4, 8, 16], 24));
}
