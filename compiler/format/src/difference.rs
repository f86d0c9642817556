//! The difference of two texts, line by line.

/// The maximum number of lines that are shown.
const LINES: usize = 20;

/// Returns the first lines that differ, those of the source text after `-` and those of the formatted text after `+`.
pub fn difference(before: &str, after: &str) -> String {
    let (left, right): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let mut out = Vec::new();
    let (mut i, mut j) = (0, 0);
    while (i < left.len() || j < right.len()) && out.len() <= LINES {
        if left.get(i) == right.get(j) {
            (i, j) = (i + 1, j + 1);
            continue;
        }
        let (removed, added) = resume(&left[i..], &right[j..]);
        out.push(format!("@@ line {} @@", i + 1));
        out.extend(left[i..i + removed].iter().map(|line| format!("-{line}")));
        out.extend(right[j..j + added].iter().map(|line| format!("+{line}")));
        (i, j) = (i + removed, j + added);
    }
    if out.is_empty() && before != after {
        out.push("@@ line ends @@".to_owned());
    }
    if out.len() > LINES {
        out.truncate(LINES);
        out.push("…".to_owned());
    }
    out.iter().map(|line| format!("{line}\n")).collect()
}

/// How many lines of each text are before the next two equal ones.
fn resume(left: &[&str], right: &[&str]) -> (usize, usize) {
    let far = left.len().min(200) + right.len().min(200);
    for distance in 1..=far {
        for removed in 0..=distance.min(left.len()) {
            let added = distance - removed;
            let equal = added <= right.len() && left.get(removed) == right.get(added);
            if equal && (removed < left.len() || added <= right.len()) {
                return (removed, added);
            }
        }
    }
    (left.len(), right.len())
}
