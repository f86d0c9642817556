//! Similar names, for proposals after a misspelling: of keys and options by [`nearest`], of names in programs by [`nearest_names`].

/// The candidate most similar to `name`, if any is similar enough.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = name.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (strsim::normalized_damerau_levenshtein(&wanted, &candidate.to_lowercase()), candidate))
        .filter(|(likeness, _)| *likeness >= LEAST_LIKENESS)
        .max_by(|(left, _), (right, _)| left.total_cmp(right))
        .map(|(_, candidate)| candidate)
}

/// Below this similarity, a proposal would be a guess.
const LEAST_LIKENESS: f64 = 0.55;

/// The maximum edit distance of a similar name.
const FARTHEST: usize = 2;

/// The maximum edit distance for a name of this length.
pub fn tolerance(name: &str) -> usize {
    match name.chars().count() {
        0..=2 => 0,
        3..=5 => 1,
        _ => FARTHEST,
    }
}

/// The similar names among candidates, the closest first.
pub fn nearest_names<'n>(name: &str, candidates: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut near: Vec<(usize, &str)> = candidates
        .filter(|candidate| candidate.starts_with(|first: char| first.is_alphabetic() || first == '_'))
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, candidate)| {
            let within = *distance <= tolerance(name).max(1) && *distance < name.chars().count();
            within || candidate.eq_ignore_ascii_case(name)
        })
        .collect();
    near.sort();
    near.dedup();
    near.into_iter().map(|(_, candidate)| candidate.to_owned()).collect()
}

/// The number of insertions, deletions, replacements and transpositions between two words; a difference in case only counts
/// as one.
pub fn distance(from: &str, to: &str) -> usize {
    if from != to && from.eq_ignore_ascii_case(to) { 1 } else { strsim::osa_distance(from, to) }
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_the_nearest_and_does_not_guess() {
        let known = ["float_abi", "features", "data_layout"];
        assert_eq!(nearest("flaot_abi", known), Some("float_abi"));
        assert_eq!(nearest("Features", known), Some("features"));
        assert_eq!(nearest("speed", known), None);
    }
}
