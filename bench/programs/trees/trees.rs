//! Binary search trees are built, walked and dropped.

#![no_std]
#![no_main]

extern crate alloc;

use alloc::boxed::Box;
use core::cmp::Ordering;

type Tree = Option<Box<Node>>;

struct Node {
    left: Tree,
    value: i32,
    right: Tree,
}

fn insert(tree: &mut Tree, value: i32) {
    match tree {
        None => *tree = Some(Box::new(Node { left: None, value, right: None })),
        Some(node) => match value.cmp(&node.value) {
            Ordering::Less => insert(&mut node.left, value),
            Ordering::Greater => insert(&mut node.right, value),
            Ordering::Equal => {}
        },
    }
}

fn fold(state: i32, tree: &Tree, folder: &impl Fn(i32, i32) -> i32) -> i32 {
    match tree {
        None => state,
        Some(node) => fold(folder(fold(state, &node.left, folder), node.value), &node.right, folder),
    }
}

fn run(size: i32) -> i32 {
    let (mut random, mut sum) = (1, 0);
    for _ in 0..size {
        let mut tree = None;
        for _ in 0..100 {
            random = (random * 25173 + 13849) & 0xFFFF;
            insert(&mut tree, random >> 4);
        }
        sum = fold(sum, &tree, &|sum, value| ((sum * 31) ^ value) & 0xFFFFFF);
    }
    sum
}

bench::main!(run);
