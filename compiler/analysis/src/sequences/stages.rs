//! The order in which a state machine visits its segments.
//!
//! In: segments, and the jumps between them. Out: the segments in stages, so that each jump leads to the same stage or to a
//! later one. Only a stage whose segments reach themselves without a `yield` is a loop; a sequence that yields in each
//! iteration needs none.

use super::{Expansion, Segment};
use clef_base::{HashMap, strongly_connected_components};
use clef_psg::{NodeId, Psg};

/// Segments with consecutive numbers.
pub(super) struct Stage {
    pub segments: Vec<Segment>,
    /// Whether a segment may be followed by one of the same stage.
    pub repeats: bool,
}

impl Expansion<'_> {
    /// Divides the segments into stages: a segment is in the first stage after all those with a jump to it, except for
    /// segments that it reaches itself. The first segment stays first, since no jump leads to it.
    pub(super) fn stages(&self, segments: Vec<Segment>) -> Vec<Stage> {
        let edges = jumps(self.psg, &segments);
        let components = strongly_connected_components(&edges);
        let levels = levels(&edges, &components);
        let last = levels.iter().copied().max().unwrap_or(0);
        let mut stages: Vec<Stage> = (0..=last).map(|_| Stage { segments: Vec::new(), repeats: false }).collect();
        for (label, segment) in segments.into_iter().enumerate() {
            let stage = &mut stages[levels[label]];
            stage.repeats |= edges[label].iter().any(|&target| components[target] == components[label]);
            stage.segments.push(segment);
        }
        stages
    }
}

/// For each segment those that it jumps to.
fn jumps(psg: &Psg, segments: &[Segment]) -> Vec<Vec<usize>> {
    let gotos = segments.iter().enumerate();
    let targets =
        gotos.flat_map(|(label, segment)| segment.gotos.iter().map(move |(goto, _)| (*goto, label))).collect();
    segments
        .iter()
        .map(|segment| {
            let mut found = Vec::new();
            collect(psg, segment.body, &targets, &mut found);
            found
        })
        .collect()
}

fn collect(psg: &Psg, node: NodeId, targets: &HashMap<NodeId, usize>, found: &mut Vec<usize>) {
    found.extend(targets.get(&node));
    for child in psg.nodes[node].kind.children() {
        collect(psg, child, targets, found);
    }
}

/// The length of the longest path to each segment, where a component counts as one node.
fn levels(edges: &[Vec<usize>], components: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..edges.len()).collect();
    // A component has a smaller number than those that reach it.
    order.sort_by_key(|&label| std::cmp::Reverse(components[label]));
    let mut of_component = vec![0; edges.len()];
    for label in order {
        let next = of_component[components[label]] + 1;
        for &target in &edges[label] {
            if components[target] != components[label] {
                let level = &mut of_component[components[target]];
                *level = next.max(*level);
            }
        }
    }
    components.iter().map(|&component| of_component[component]).collect()
}
