//! Layouts on 4-byte and 8-byte pointers, checked against sizes worked out by hand.

use super::*;

fn extent_of(size: u64, align: u64) -> Extent {
    Extent { size: Bytes(size), align: Bytes(align) }
}

fn packing(pointer: u64, line: Option<u64>, policy: AlignmentPolicy) -> Packing {
    Packing { pointer: Bytes(pointer), alignment: ClosureAlignment { line: line.map(Bytes), policy } }
}

fn pack(pointer: u64, members: &[(u64, u64)]) -> ClosureLayout {
    let extents: Vec<Extent> = members.iter().map(|&(size, align)| extent_of(size, align)).collect();
    packing(pointer, None, AlignmentPolicy::Natural).pack(&extents)
}

fn map(layout: &ClosureLayout) -> Vec<(usize, u64)> {
    layout.slots.iter().map(|slot| (slot.capture, slot.offset.0)).collect()
}

#[test]
fn a_word_behind_a_small_code_pointer_comes_before_a_double() {
    let layout = pack(4, &[(8, 8), (4, 4)]);
    assert_eq!(map(&layout), [(1, 4), (0, 8)]);
    assert_eq!(layout.extent, extent_of(16, 8));
    assert_eq!(layout.padding, Bytes(0));
}

#[test]
fn bytes_fill_the_gap_before_a_double() {
    let layout = pack(4, &[(8, 8), (1, 1), (2, 2), (1, 1)]);
    assert_eq!(map(&layout), [(2, 4), (1, 6), (3, 7), (0, 8)]);
    assert_eq!(layout.padding, Bytes(0));
}

#[test]
fn a_lone_double_on_a_small_machine_leaves_one_gap() {
    let layout = pack(4, &[(8, 8)]);
    assert_eq!(map(&layout), [(0, 8)]);
    assert_eq!(layout.padding, Bytes(4));
}

#[test]
fn on_a_large_machine_captures_descend_by_alignment() {
    let layout = pack(8, &[(1, 1), (4, 4), (8, 8), (16, 8)]);
    assert_eq!(map(&layout), [(2, 8), (3, 16), (1, 32), (0, 36)]);
    assert_eq!(layout.extent, extent_of(40, 8));
    assert_eq!(layout.padding, Bytes(3));
}

#[test]
fn units_take_no_slot() {
    let layout = pack(8, &[(0, 1), (4, 4)]);
    assert_eq!(map(&layout), [(1, 8)]);
}

#[test]
fn a_closure_within_a_line_does_not_straddle() {
    let three_words = [extent_of(8, 8); 2];
    let aligned = packing(8, Some(64), AlignmentPolicy::NoStraddle).pack(&three_words);
    assert_eq!(aligned.extent, extent_of(32, 32));
    let own_line = packing(8, Some(64), AlignmentPolicy::Line).pack(&three_words);
    assert_eq!(own_line.extent, extent_of(64, 64));
    let large = packing(8, Some(64), AlignmentPolicy::NoStraddle).pack(&[extent_of(8, 8); 9]);
    assert_eq!(large.extent.align, Bytes(8));
}

#[test]
fn representations_are_packed_like_structs_of_the_platform() {
    let mixed = Repr::Struct(vec![Repr::Integer(1), Repr::Float64, Repr::Pointer]);
    assert_eq!(extent(&mixed, Bytes(4)), extent_of(24, 8));
    assert_eq!(extent(&mixed, Bytes(8)), extent_of(24, 8));
    assert_eq!(extent(&Repr::Struct(vec![Repr::Pointer, Repr::Integer(32)]), Bytes(4)), extent_of(8, 4));
    assert_eq!(extent(&Repr::Integer(1), Bytes(4)), extent_of(1, 1));
}

/// The slots of a union on a machine with words of four bytes, and those of each case, whose fields have one value each.
fn shared(cases: &[&[Repr]]) -> (Vec<Repr>, Vec<Vec<usize>>) {
    let cases: Vec<Vec<Vec<Repr>>> =
        cases.iter().map(|case| case.iter().map(|scalar| vec![scalar.clone()]).collect()).collect();
    let (slots, taken) = shared_slots(&cases, Bytes(4));
    (slots, taken.into_iter().map(|case| case.concat()).collect())
}

#[test]
fn cases_share_slots_of_the_same_machine_type() {
    let (slots, taken) = shared(&[
        &[Repr::Integer(32), Repr::Pointer, Repr::Integer(32)],
        &[Repr::Float64, Repr::Integer(32), Repr::Pointer, Repr::Pointer],
    ]);
    let int = Repr::Integer(32);
    assert_eq!(slots, [int.clone(), Repr::Pointer, int, Repr::Pointer, Repr::Float64]);
    assert_eq!(taken, [vec![0, 1, 2], vec![4, 0, 1, 3]]);
}

#[test]
fn integers_of_a_word_or_less_share_slots_by_their_width() {
    let [bool, byte, int, long] = [1, 8, 32, 64].map(Repr::Integer);
    let (slots, taken) = shared(&[
        &[byte.clone(), int.clone()],
        &[bool.clone(), bool],
        &[byte.clone(), long.clone(), byte.clone(), byte.clone()],
    ]);
    assert_eq!(slots, [byte.clone(), byte, int, long]);
    assert_eq!(taken, [vec![0, 2], vec![2, 0], vec![2, 3, 0, 1]]);
}

#[test]
fn the_fields_of_a_record_stay_in_order() {
    let fields = [Repr::Integer(32), Repr::Integer(8), Repr::Integer(32), Repr::Pointer, Repr::Integer(1)];
    assert_eq!(shared(&[&fields]), (fields.to_vec(), vec![vec![0, 1, 2, 3, 4]]));
}
