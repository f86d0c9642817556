//! Finds descriptor files, and merges each with those that it inherits from.
//!
//! In: a name, an alias or a path. Out: one tree per descriptor, without the keys that apply to single files.

use crate::{
    Triple,
    embedded::{self, Family},
    inherit::{heritable, merge},
    path::normal,
    reader::{FromNode, Report, mapping, nearest_word},
    yaml::{self, Node},
};
use clef_base::{Code, Diagnostic, FileId, SourceMap, Span, codes};
use std::{
    io,
    path::{Path, PathBuf},
    str::FromStr,
};

/// Processors that run the code of a target for another one.
const PROCESSORS: &[(&str, &str)] = &[
    ("cortex-m0plus", "thumbv6m"),
    ("cortex-m0+", "thumbv6m"),
    ("cortex-m1", "thumbv6m"),
    ("cortex-m23", "thumbv6m"),
    ("cortex-m4f", "thumbv7em-hf"),
    ("cortex-m7", "thumbv7em-hf"),
    ("cortex-m7f", "thumbv7em-hf"),
    ("cortex-m33f", "thumbv8m.main-hf"),
    ("cortex-m35p", "thumbv8m.main"),
];

/// A descriptor merged with its parents.
pub(crate) struct Completed {
    /// Its name: that of its file without the extension.
    pub(crate) name: String,
    /// Its file.
    pub(crate) file: FileId,
    /// All its keys, inherited ones included.
    pub(crate) tree: Node,
    /// Its other names.
    pub(crate) aliases: Vec<String>,
    /// Whether it can only be inherited from.
    pub(crate) is_abstract: bool,
}

/// The origin of a descriptor's source text.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Location {
    /// Embedded.
    Shipped(Family, &'static str),
    /// A user's file.
    File(PathBuf),
}

impl Location {
    fn name(&self) -> String {
        match self {
            Location::Shipped(_, name) => (*name).to_owned(),
            Location::File(path) => path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }

    fn shown(&self) -> String {
        match self {
            Location::Shipped(family, name) => format!("{}/{name}.yaml", family.directory()),
            Location::File(path) => path.display().to_string(),
        }
    }
}

/// What a descriptor is needed for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// It is compiled for, so it must not be abstract.
    Itself,
    /// Another one inherits from it.
    Parent,
}

/// The longest chain of inheritance.
const LONGEST_CHAIN: usize = 16;

/// The descriptor files of one run.
pub(crate) struct Files<'a> {
    sources: &'a mut SourceMap,
    read: &'a dyn Fn(&Path) -> io::Result<String>,
    loaded: Vec<(Location, FileId)>,
}

impl<'a> Files<'a> {
    pub(crate) fn new(sources: &'a mut SourceMap, read: &'a dyn Fn(&Path) -> io::Result<String>) -> Files<'a> {
        Files { sources, read, loaded: Vec::new() }
    }

    /// Registers a file that names descriptors, so that they are looked for next to it.
    pub(crate) fn know(&mut self, path: &Path, file: FileId) {
        self.loaded.push((Location::File(path.to_owned()), file));
    }

    pub(crate) fn sources(&self) -> &SourceMap {
        self.sources
    }

    /// The descriptor that `word` names; `from` is the location in another descriptor that names it.
    pub(crate) fn completed(
        &mut self,
        family: Family,
        word: &str,
        from: Option<Span>,
    ) -> Result<Completed, Vec<Diagnostic>> {
        let file = self.find(family, word, from, Use::Itself)?;
        self.complete(family, file, &mut Vec::new())
    }

    /// Merges a file with its parents; `heirs` are the files that inherit from it.
    fn complete(
        &mut self,
        family: Family,
        file: FileId,
        heirs: &mut Vec<FileId>,
    ) -> Result<Completed, Vec<Diagnostic>> {
        let tree = yaml::parse(file, &self.sources.file(file).text).map_err(|diagnostic| vec![diagnostic])?;
        let own = OwnKeys::of(&tree, family)?;
        let completed = Completed {
            name: self.location(file).map(Location::name).unwrap_or_default(),
            file,
            tree: heritable(tree),
            aliases: own.aliases,
            is_abstract: own.is_abstract,
        };
        let Some((parent, span)) = own.inherits else { return Ok(completed) };
        let parent = self.find(family, &parent, Some(span), Use::Parent)?;
        heirs.push(file);
        if !heirs.contains(&parent) && heirs.len() > LONGEST_CHAIN {
            let message = format!("the inheritance chain has more than {LONGEST_CHAIN} files");
            let help = "inherit from an earlier descriptor of the chain";
            return Err(vec![Diagnostic::error(codes::INVALID_PARENT, span, message).help(help)]);
        }
        if heirs.contains(&parent) {
            let chain: Vec<&str> = heirs.iter().chain([&parent]).map(|file| &*self.sources.file(*file).name).collect();
            return Err(vec![
                Diagnostic::error(codes::INVALID_PARENT, span, "a descriptor cannot inherit from itself")
                    .label("this closes the cycle")
                    .note(format!("the chain is {}", chain.join(" → ")))
                    .help(match family {
                        Family::Boards => "inherit from a board that `clefc boards` lists: `inherits: microbit`",
                        Family::Targets => "inherit from a target that `clefc targets` lists: `inherits: thumbv7em`",
                    }),
            ]);
        }
        let parent = self.complete(family, parent, heirs)?;
        Ok(Completed { tree: merge(parent.tree, completed.tree), ..completed })
    }

    /// The file that a word names.
    fn find(&mut self, family: Family, word: &str, from: Option<Span>, wanted: Use) -> Result<FileId, Vec<Diagnostic>> {
        let asking = from.and_then(|span| self.location(span.file)).cloned();
        let beside = match &asking {
            Some(Location::File(path)) => path.parent().map(Path::to_owned),
            Some(Location::Shipped(..)) | None => None,
        };
        if is_path(word) {
            let path = normal(&beside.unwrap_or_default().join(word));
            return self.user_file(&path).map_err(|error| vec![unreadable(&path, &error, from)]);
        }
        if let Some(directory) = beside {
            let path = normal(&directory.join(format!("{word}.yaml")));
            if asking != Some(Location::File(path.clone())) {
                match self.user_file(&path) {
                    Ok(file) => return Ok(file),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(vec![unreadable(&path, &error, from)]),
                }
            }
        }
        match self.shipped(family, word)? {
            Some(file) => Ok(file),
            None => Err(vec![self.unknown(family, word, from, wanted)]),
        }
    }

    fn user_file(&mut self, path: &Path) -> io::Result<FileId> {
        let location = Location::File(path.to_owned());
        match self.loaded.iter().find(|(known, _)| *known == location) {
            Some((_, file)) => Ok(*file),
            None => {
                let text = (self.read)(path)?;
                Ok(self.add(location, text))
            }
        }
    }

    /// The shipped file with that name, or for targets, with that alias or triple.
    fn shipped(&mut self, family: Family, word: &str) -> Result<Option<FileId>, Vec<Diagnostic>> {
        if let Some((name, text)) = embedded::find(family, word) {
            return Ok(Some(self.shipped_file(family, name, text)));
        }
        let wanted = Triple::from_str(word).ok();
        for (name, text) in embedded::all(family) {
            let file = self.shipped_file(family, name, text);
            let candidate = self.complete(family, file, &mut Vec::new())?;
            let triple = candidate.tree.get("triple").and_then(|entry| Triple::from_str(entry.value.text()?).ok());
            let same_triple = || matches!((&wanted, &triple), (Some(wanted), Some(own)) if own.is_same_machine(wanted));
            if !candidate.is_abstract && (candidate.aliases.iter().any(|alias| alias == word) || same_triple()) {
                return Ok(Some(file));
            }
        }
        Ok(None)
    }

    fn shipped_file(&mut self, family: Family, name: &'static str, text: &str) -> FileId {
        let location = Location::Shipped(family, name);
        match self.loaded.iter().find(|(known, _)| *known == location) {
            Some((_, file)) => *file,
            None => self.add(location, text.to_owned()),
        }
    }

    fn add(&mut self, location: Location, text: String) -> FileId {
        let file = self.sources.add(location.shown(), text);
        self.loaded.push((location, file));
        file
    }

    fn location(&self, file: FileId) -> Option<&Location> {
        self.loaded.iter().find(|(_, known)| *known == file).map(|(location, _)| location)
    }

    fn unknown(&mut self, family: Family, word: &str, from: Option<Span>, wanted: Use) -> Diagnostic {
        let singular = family.singular();
        let mut names = Vec::new();
        let similar = PROCESSORS.iter().find(|(processor, _)| *processor == word).map(|(_, target)| *target);
        let mut of_processor = similar.filter(|_| family == Family::Targets);
        for (name, _) in embedded::all(family) {
            let Ok(completed) = self.completed(family, name, None) else { continue };
            if completed.is_abstract && wanted == Use::Itself {
                continue;
            }
            let processor = completed.tree.get("cpu").and_then(|entry| entry.value.text());
            if processor == Some(word) {
                of_processor.get_or_insert(name);
            }
            names.push(name.to_owned());
            names.extend(completed.aliases);
        }
        let diagnostic = placed(codes::UNKNOWN_DESCRIPTOR, from, format!("unknown {singular} `{word}`"));
        let near = of_processor.or_else(|| nearest_word(word, names.iter().map(String::as_str)));
        let diagnostic = match (near, from) {
            (Some(name), Some(span)) => diagnostic.fix(format!("write `{name}`"), span, name),
            (Some(name), None) => diagnostic.help(format!("did you mean `{name}`?")),
            (None, _) => diagnostic,
        };
        diagnostic.help(format!("`clefc {singular}s` lists them; use a path for your own file: `./{word}.yaml`"))
    }
}

fn placed(code: Code, from: Option<Span>, message: String) -> Diagnostic {
    match from {
        Some(span) => Diagnostic::error(code, span, message),
        None => Diagnostic::general(code, message),
    }
}

fn unreadable(path: &Path, error: &io::Error, from: Option<Span>) -> Diagnostic {
    placed(codes::UNREADABLE_FILE, from, format!("cannot read `{}`: {error}", path.display()))
}

/// Whether a word names a user's file rather than a shipped descriptor.
fn is_path(word: &str) -> bool {
    word.contains(['/', '\\']) || word.ends_with(".yaml") || word.ends_with(".yml")
}

/// The keys that apply to one file alone.
struct OwnKeys {
    inherits: Option<(String, Span)>,
    is_abstract: bool,
    aliases: Vec<String>,
}

impl OwnKeys {
    fn of(tree: &Node, family: Family) -> Result<OwnKeys, Report> {
        let mut report = Report::new();
        let what = format!("the keys of a {}", family.singular());
        if mapping(tree, &what, &mut report).is_none() {
            return Err(report);
        }
        let inherits = read_own::<String>(tree, "inherits", &mut report);
        let is_abstract = read_own::<bool>(tree, "abstract", &mut report);
        let aliases = read_own::<Vec<String>>(tree, "aliases", &mut report);
        match report.is_empty() {
            true => Ok(OwnKeys {
                inherits,
                is_abstract: is_abstract.is_some_and(|(value, _)| value),
                aliases: aliases.map(|(value, _)| value).unwrap_or_default(),
            }),
            false => Err(report),
        }
    }
}

/// The value of a key with its location, if the key is present and valid.
fn read_own<T: FromNode>(tree: &Node, key: &str, report: &mut Report) -> Option<(T, Span)> {
    let value = &tree.get(key)?.value;
    T::from_node(value, report).map(|read| (read, value.span))
}
