//! The deepest stack that the functions of a graph can need.
//!
//! In: a call graph. Out: for each function the maximum stack between its caller's frame and the deepest point below
//! it, with the path there; or that there is no bound. A call adds to the caller's frame, a tail call replaces it. So a
//! cycle that contains a call is recursion, and one of tail calls alone is a loop.

use super::graph::{Graph, Node};
use clef_base::{HashSet, strongly_connected_components};
use std::collections::BTreeMap;

/// What a function needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Need {
    /// At most `bytes`; at that depth, it calls the function `next`.
    Bytes {
        /// The bytes.
        bytes: u64,
        /// The callee on the path to the deepest point.
        next: Option<usize>,
    },
    /// There is no bound. The functions that cause this are reachable from here.
    Unbounded,
}

/// The needs of all functions, and the causes of missing bounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Needs {
    /// By index.
    pub(super) of: Vec<Need>,
    /// The functions of each recursion, in the order of a cycle.
    pub(super) recursions: Vec<Vec<usize>>,
}

impl Needs {
    /// The bytes that a function needs, if there is a bound.
    pub(super) fn bytes(&self, function: usize) -> Option<u64> {
        match self.of[function] {
            Need::Bytes { bytes, .. } => Some(bytes),
            Need::Unbounded => None,
        }
    }
}

/// Computes the needs.
pub(super) fn needs(graph: &Graph) -> Needs {
    let mut needs = Needs { of: vec![Need::Unbounded; graph.nodes.len()], recursions: Vec::new() };
    for component in components(graph) {
        let inside: HashSet<usize> = component.iter().copied().collect();
        let recursive = component
            .iter()
            .find(|&&node| graph.nodes[node].edges.iter().any(|edge| !edge.tail && inside.contains(&edge.to)));
        if let Some(&start) = recursive {
            needs.recursions.push(cycle(graph, start, &inside));
            continue;
        }
        let each: Vec<Need> = component.iter().map(|&node| need(&graph.nodes[node], &needs.of, &inside)).collect();
        // The functions of a loop of tail calls reach one another.
        let most = each.into_iter().reduce(deeper).unwrap_or(Need::Unbounded);
        component.iter().for_each(|&node| needs.of[node] = most.clone());
    }
    needs
}

/// The need of a function whose callees outside of its component are done.
fn need(node: &Node, done: &[Need], inside: &HashSet<usize>) -> Need {
    if node.obstacle.is_some() {
        return Need::Unbounded;
    }
    let own = Need::Bytes { bytes: node.arguments + node.frame, next: None };
    let outside = node.edges.iter().filter(|edge| !inside.contains(&edge.to));
    let callees = outside.map(|edge| match &done[edge.to] {
        Need::Unbounded => Need::Unbounded,
        Need::Bytes { bytes, .. } => {
            let below = if edge.tail { 0 } else { node.arguments + node.frame };
            Need::Bytes { bytes: below + bytes, next: Some(edge.to) }
        }
    });
    callees.fold(own, deeper)
}

fn deeper(left: Need, right: Need) -> Need {
    match (&left, &right) {
        (Need::Unbounded, _) | (_, Need::Unbounded) => Need::Unbounded,
        (Need::Bytes { bytes: one, .. }, Need::Bytes { bytes: other, .. }) => {
            if one < other {
                right
            } else {
                left
            }
        }
    }
}

/// The shortest path from a function to itself that begins with a call.
fn cycle(graph: &Graph, start: usize, inside: &HashSet<usize>) -> Vec<usize> {
    let calls = graph.nodes[start].edges.iter().filter(|edge| !edge.tail && inside.contains(&edge.to));
    let mut ways: Vec<Vec<usize>> = calls.map(|edge| vec![start, edge.to]).collect();
    let mut seen = HashSet::default();
    while !ways.is_empty() {
        let mut longer = Vec::new();
        for way in ways {
            let last = way[way.len() - 1];
            if last == start {
                return way[..way.len() - 1].to_vec();
            }
            if seen.insert(last) {
                let next = graph.nodes[last].edges.iter().filter(|edge| inside.contains(&edge.to));
                longer.extend(next.map(|edge| [way.as_slice(), &[edge.to]].concat()));
            }
        }
        ways = longer;
    }
    vec![start]
}

/// The strongly connected components, callees before callers.
fn components(graph: &Graph) -> Vec<Vec<usize>> {
    let edges: Vec<Vec<usize>> =
        graph.nodes.iter().map(|node| node.edges.iter().map(|edge| edge.to).collect()).collect();
    let mut found: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (node, component) in strongly_connected_components(&edges).into_iter().enumerate() {
        found.entry(component).or_default().push(node);
    }
    found.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::super::graph::{Edge, Obstacle};
    use super::*;

    fn node(frame: u64, edges: &[(usize, bool)]) -> Node {
        let edges = edges.iter().map(|&(to, tail)| Edge { to, tail }).collect();
        Node { name: String::new(), frame, arguments: 0, edges, obstacle: None }
    }

    fn bytes(needs: &Needs, index: usize) -> Option<u64> {
        match needs.of[index] {
            Need::Bytes { bytes, .. } => Some(bytes),
            Need::Unbounded => None,
        }
    }

    #[test]
    fn calls_add_and_tail_calls_replace() {
        let graph = Graph { nodes: vec![node(8, &[(1, false), (2, true)]), node(16, &[(2, false)]), node(100, &[])] };
        let needs = needs(&graph);
        assert_eq!(bytes(&needs, 0), Some(124));
        assert_eq!(needs.of[0], Need::Bytes { bytes: 124, next: Some(1) });
    }

    #[test]
    fn a_cycle_of_tail_calls_is_a_loop() {
        let nodes =
            vec![node(8, &[(1, true)]), node(24, &[(0, true), (2, false)]), node(4, &[]), node(1, &[(0, false)])];
        let needs = needs(&Graph { nodes });
        assert_eq!([0, 1, 2, 3].map(|index| bytes(&needs, index)), [Some(28), Some(28), Some(4), Some(29)]);
        assert!(needs.recursions.is_empty());
    }

    #[test]
    fn recursion_has_no_bound() {
        let nodes =
            vec![node(8, &[(1, false)]), node(8, &[(2, true)]), node(8, &[(1, false), (3, false)]), node(4, &[])];
        let needs = needs(&Graph { nodes });
        assert_eq!([0, 1, 2, 3].map(|index| bytes(&needs, index)), [None, None, None, Some(4)]);
        assert_eq!(needs.recursions, [[2, 1]]);
    }

    #[test]
    fn what_is_not_known_has_no_bound() {
        let mut unknown = node(8, &[]);
        unknown.obstacle = Some(Obstacle::StackPointer);
        let needs = needs(&Graph { nodes: vec![unknown, node(4, &[(0, true)])] });
        assert_eq!(needs.of, [Need::Unbounded, Need::Unbounded]);
    }
}
