//! Units that need each other, found as by Tarjan ("Depth-first search and linear graph algorithms", 1972).
//!
//! In: for each unit those that it needs. Out: the groups, each behind those that it needs.

/// Units that need each other, each set behind those that it needs; otherwise in the order of the source.
pub(super) fn groups(units: &[&[usize]]) -> Vec<Vec<usize>> {
    let mut search = Search {
        units,
        found: vec![None; units.len()],
        lowest: vec![0; units.len()],
        open: Vec::new(),
        is_open: vec![false; units.len()],
        count: 0,
        groups: Vec::new(),
    };
    for unit in 0..units.len() {
        if search.found[unit].is_none() {
            search.visit(unit);
        }
    }
    search.groups
}

/// Which units one needs, directly or not, itself included.
pub(super) fn reached(units: &[&[usize]], from: usize) -> Vec<bool> {
    let mut reached = vec![false; units.len()];
    let mut open = vec![from];
    while let Some(unit) = open.pop() {
        if !std::mem::replace(&mut reached[unit], true) {
            open.extend(units[unit]);
        }
    }
    reached
}

/// The state of the search for groups. It keeps a stack of its own, since a file may hold any number of units.
struct Search<'u> {
    units: &'u [&'u [usize]],
    /// When each unit was found.
    found: Vec<Option<usize>>,
    /// The earliest open unit that is reached from each.
    lowest: Vec<usize>,
    open: Vec<usize>,
    is_open: Vec<bool>,
    count: usize,
    groups: Vec<Vec<usize>>,
}

impl Search<'_> {
    fn visit(&mut self, root: usize) {
        let mut path = vec![(root, 0)];
        self.enter(root);
        while let Some((unit, next)) = path.last_mut() {
            let unit = *unit;
            let Some(&needed) = self.units[unit].get(*next) else {
                path.pop();
                self.leave(unit);
                if let Some((outer, _)) = path.last() {
                    self.lowest[*outer] = self.lowest[*outer].min(self.lowest[unit]);
                }
                continue;
            };
            *next += 1;
            match self.found[needed] {
                None => {
                    self.enter(needed);
                    path.push((needed, 0));
                }
                Some(found) if self.is_open[needed] => self.lowest[unit] = self.lowest[unit].min(found),
                Some(_) => {}
            }
        }
    }

    fn enter(&mut self, unit: usize) {
        self.found[unit] = Some(self.count);
        self.lowest[unit] = self.count;
        self.count += 1;
        self.open.push(unit);
        self.is_open[unit] = true;
    }

    /// Takes the group of a unit off the stack if it is the first found of it.
    fn leave(&mut self, unit: usize) {
        if self.found[unit] != Some(self.lowest[unit]) {
            return;
        }
        let start = self.open.iter().rposition(|&open| open == unit).unwrap_or(0);
        let mut group = self.open.split_off(start);
        group.iter().for_each(|&unit| self.is_open[unit] = false);
        group.sort_unstable();
        self.groups.push(group);
    }
}
