//! The most similar known name, for proposals after a misspelling.

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
