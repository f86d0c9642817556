//! Unknown names, and suggestions of similar known names.

use crate::checker::Checker;
use clef_base::suggest::{distance, nearest_names, tolerance};
use clef_base::{Diagnostic, Span, Symbol, codes};
use clef_infer::{Ty, TypeConstructor};
use clef_psg::{NodeId, VariableId};
use clef_scopes::{Meaning, ModuleId, TypeMeaning};
use clef_syntax::{
    ast::{ExprId, ExprKind, Name, Path},
    elsewhere,
};
use clef_types::{DeclaredKind, EnumId, EnumType};

/// A library module that only some boards have.
struct ModuleOfBoards {
    name: &'static str,
    /// What those boards have.
    what: &'static str,
    /// The entry of the descriptor for it; nothing for what the processor or the machine has.
    entry: &'static str,
}

const fn module(name: &'static str, what: &'static str, entry: &'static str) -> ModuleOfBoards {
    ModuleOfBoards { name, what, entry }
}

const OF_BOARDS: &[ModuleOfBoards] = &[
    module("Interrupt", "interrupts that a program can handle", ""),
    module("Gpio", "pins with a driver in the library", "gpio"),
    module("Pin", "named pins", "pins"),
    module("Uart", "serial line with a driver in the library", "uart"),
    module("Serial", "serial line with a driver in the library", "uart"),
    module("I2c", "I2C bus with a driver in the library", "i2c"),
    module("I2cBus", "I2C bus with a driver in the library", "i2c"),
    module("Spi", "SPI bus with a driver in the library", "spi"),
    module("SpiBus", "SPI bus with a driver in the library", "spi"),
    module("Watchdog", "watchdog with a driver in the library", "watchdog"),
    module("Device", "chip whose registers come with the compiler", "registers"),
    module("Flash", "pages of flash for settings", "settings"),
    module("Settings", "pages of flash for settings", "settings"),
    module("Timer", "timers with a driver in the library", "timers"),
    module("Rng", "random number generator with a driver in the library", "rng"),
    module("Adc", "analog-to-digital converter with a driver in the library", "adc"),
    module("Pwm", "pulse-width outputs with a driver in the library", "pwm"),
    module("Processor", "Arm processor without an operating system", ""),
    module("Port", "ports of a PC", ""),
];

/// The most names of a module that a message lists.
const MOST_NAMES: usize = 12;

/// What a name before a dot is.
const QUALIFIER: &str = "name or module";

/// Whether a name is written like that of a module.
fn is_capitalised(name: Symbol) -> bool {
    name.as_str().starts_with(char::is_uppercase)
}

/// The entry of a module that only some boards have.
fn of_boards(name: Symbol) -> Option<&'static ModuleOfBoards> {
    OF_BOARDS.iter().find(|module| module.name == name.as_str())
}

impl Checker<'_> {
    /// Whether a function is an undefined name that has a meaning in other languages.
    pub(crate) fn is_known_elsewhere(&self, head: ExprId, function: NodeId) -> bool {
        let ExprKind::Name(path) = &self.input.ast.exprs[head].kind else { return false };
        let [name] = path.segments.as_slice() else { return false };
        let known = elsewhere::NAMES.iter().any(|(known, _)| *known == name.symbol.as_str());
        known && matches!(self.graph.type_of(function), Ty::Constructor(TypeConstructor::Error, _))
    }

    /// Reports an undefined name.
    pub(crate) fn report_unknown_value(&mut self, path: &Path) {
        let last = path.segments[path.segments.len() - 1];
        if self.names_broken_type(path) {
            return;
        }
        if let Some(diagnostic) = self.member_of_class(path) {
            self.report(diagnostic);
            return;
        }
        let symbols: Vec<Symbol> = path.segments.iter().map(|segment| segment.symbol).collect();
        let qualifier = &symbols[..symbols.len() - 1];
        if qualifier.is_empty() {
            match self.function_mut_of(last) {
                Some(function) => self.report_let_mut(last, function),
                None => {
                    let diagnostic = self.unknown("name", last, last.span);
                    self.report_unless_opened(diagnostic);
                }
            }
            return;
        }
        if let Some(&module) = self.modules_meant(qualifier).first() {
            self.report_unknown_of_module(module, path);
        } else if let Some(diagnostic) = self.unknown_member(path) {
            self.report(diagnostic);
        } else {
            self.report_unknown_qualifier(path, &symbols);
        }
    }

    /// Reports an undefined name that resembles no other, unless an unknown module that is opened may have it.
    fn report_unless_opened(&mut self, diagnostic: Diagnostic) {
        if !self.reports.unknown_open || !diagnostic.proposals.is_empty() {
            self.report(diagnostic);
        }
    }

    /// The modules that a dotted name may refer to. A file of the program with the name of a board-specific module does not
    /// refer to itself by that name.
    fn modules_meant(&self, path: &[Symbol]) -> Vec<ModuleId> {
        let mut modules = self.names.find_modules(path);
        if of_boards(path[0]).is_some() {
            modules.retain(|&module| !self.names.is_around(module));
        }
        modules
    }

    /// Reports a name that is not in a module.
    fn report_unknown_of_module(&mut self, module: ModuleId, name: &Path) {
        let last = name.segments[name.segments.len() - 1];
        let path = self.names.modules[module].path.clone();
        let message = format!("the module `{path}` has no `{}`", last.symbol);
        let diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, last.span, message);
        let seen =
            self.names.modules[module].values.iter().filter(|(_, entry)| self.names.is_visible(entry.visibility));
        let names: Vec<Symbol> = seen.map(|(name, _)| *name).collect();
        let near = nearest_names(last.symbol.as_str(), names.iter().map(|name| name.as_str()));
        let has = |wanted: &&str| names.iter().any(|name| name.as_str() == *wanted);
        let other = elsewhere::SYNONYMS.iter().find(|(word, _)| *word == last.symbol.as_str());
        let other = other.and_then(|(_, others)| others.iter().copied().find(has)).map(str::to_owned);
        let diagnostic = match near.first().cloned().or(other) {
            Some(name) => diagnostic.fix(format!("did you mean `{path}.{name}`?"), last.span, name),
            None if path == "Gpio" && last.symbol.as_str().starts_with("inputPull") => diagnostic
                .help("the board has no pull-up or pull-down resistors: use an external resistor and `Gpio.input`"),
            None if path == "Spi" && matches!(last.symbol.as_str(), "writeThen" | "transferThen" | "isBusy") => {
                diagnostic.help(
                    "the library has no driver with DMA for this board's buses: use `Spi.write` or `Spi.transfer`",
                )
            }
            None if path == "Uart" && matches!(last.symbol.as_str(), "writeThen" | "isWriting") => {
                diagnostic.help("this board's lines do not send by DMA: use `Uart.write`, or `Uart.serve`")
            }
            None if path == "Uart" && matches!(last.symbol.as_str(), "readThen" | "isReading" | "stopReading") => {
                diagnostic.help(
                    "this board's lines do not receive by DMA: use `Uart.onReceive`, or `Uart.serve` with a queue",
                )
            }
            None if path == "Gpio" && matches!(last.symbol.as_str(), "onEdge" | "stopEdges") => diagnostic.help(
                "the library has no driver for edges of this board's pins: read them with `Task.every` and `Gpio.read`",
            ),
            None if self.names.modules[module].library => self.content(diagnostic, name, names),
            None => self.elsewhere(diagnostic, last.symbol, name.span()),
        };
        self.report(diagnostic);
    }

    /// What a module of the library has, for a name that is not in it: the same name in other modules has another meaning there. A name in
    /// scope is what it is called here: `Math.Sin` is `sin`.
    fn content(&self, diagnostic: Diagnostic, name: &Path, mut names: Vec<Symbol>) -> Diagnostic {
        let wanted = name.segments[name.segments.len() - 1].symbol;
        let bare = self.names.values.names().map(|(name, _)| name.as_str());
        let bare = bare.into_iter().find(|bare| bare.eq_ignore_ascii_case(wanted.as_str()));
        if let Some(bare) = bare {
            return diagnostic.fix(format!("did you mean `{bare}`?"), name.span(), bare.to_owned());
        }
        names.sort_by_key(|name| name.as_str());
        let shown: Vec<String> = names.iter().take(MOST_NAMES).map(|name| format!("`{name}`")).collect();
        match (shown.as_slice(), names.len() - shown.len()) {
            ([], _) => diagnostic,
            (shown, 0) => diagnostic.help(format!("it has {}", shown.join(", "))),
            (shown, more) => diagnostic.help(format!("it has {} and {more} more", shown.join(", "))),
        }
    }

    /// Reports a path whose qualifier is not a module.
    fn report_unknown_qualifier(&mut self, path: &Path, symbols: &[Symbol]) {
        let known = (1..symbols.len()).rev().find_map(|end| Some((*self.modules_meant(&symbols[..end]).first()?, end)));
        let unknown = path.segments[known.map_or(0, |(_, end)| end)];
        if known.is_none() && self.report_module_of_boards(&unknown) {
            return;
        }
        if self.report_hidden_module(path) {
            return;
        }
        let diagnostic = match known {
            Some((module, _)) => self.unknown_within(module, unknown),
            None => self.unknown(QUALIFIER, unknown, unknown.span),
        };
        let diagnostic = self.note_later_file(diagnostic, path);
        let help = "declare the module, or list its file before this one in `sources` of `clef.toml`";
        let of_library = known.is_some_and(|(module, _)| self.names.modules[module].library);
        let helps = is_capitalised(unknown.symbol)
            && !of_library
            && diagnostic.proposals.is_empty()
            && !self.reports.unknown_open;
        self.report_unless_opened(if helps { diagnostic.help(help) } else { diagnostic });
    }

    /// "the module has no such name", for a name before a dot, with the similar modules and types in the module.
    fn unknown_within(&self, module: ModuleId, name: Name) -> Diagnostic {
        let module = &self.names.modules[module];
        let message = format!("the module `{}` has no `{}`", module.path, name.symbol);
        let diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, name.span, message);
        let is_visible = |visibility| self.names.is_visible(visibility);
        let modules =
            module.modules.iter().filter(|(_, id)| self.names.modules[**id].visibility.is_none_or(is_visible));
        let types = module.types.iter().filter(|(_, entry)| is_visible(entry.visibility));
        let names: Vec<Symbol> = modules.map(|(name, _)| *name).chain(types.map(|(name, _)| *name)).collect();
        // `SPIM` stands for `SPIM0` rather than for `SPI0`.
        let is_numbered = |candidate: &&str| {
            let number = candidate.strip_prefix(name.symbol.as_str()).unwrap_or_default();
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        };
        let candidates = || names.iter().map(|name| name.as_str());
        let numbered = candidates().filter(is_numbered).min().map(str::to_owned);
        match numbered.or_else(|| nearest_names(name.symbol.as_str(), candidates()).into_iter().next()) {
            Some(near) => diagnostic.fix(format!("did you mean `{}.{near}`?", module.path), name.span, near),
            None => diagnostic,
        }
    }

    /// Reports the first use of a module that the library has for other boards only. Whether it is one.
    pub(crate) fn report_module_of_boards(&mut self, name: &Name) -> bool {
        let Some(module) = of_boards(name.symbol) else { return false };
        if !self.reports.absent_modules.insert(name.symbol) {
            return true;
        }
        let message = format!("the module `{}` is not available: the board has no {}", module.name, module.what);
        let code = if module.name == "Interrupt" { codes::NO_SUCH_INTERRUPT } else { codes::NO_SUCH_DEVICE };
        let board = match module.name {
            "Port" => "qemu-q35",
            _ => "microbit",
        };
        let choose = format!("choose a board that has them, such as `--board {board}`");
        // All boards whose descriptors may add devices have interrupts; machines with an operating system have none.
        let has_interrupts = !self.names.find_modules(&[Symbol::new("Interrupt")]).is_empty();
        let error = Diagnostic::error(code, name.span, message);
        self.report(match module.entry {
            "" => error.help(choose),
            "registers" => {
                let command = "`clefc svd CHIP.svd -o Device.clef`";
                error
                    .help(format!("make a module of the description of the chip by its manufacturer: {command}"))
                    .note("boards whose chip is known to the compiler have `registers:` in their descriptor")
            }
            _ if !has_interrupts => error.help(choose),
            entry => error.help(format!("add `{entry}:` to the board's own descriptor, or {choose}")),
        });
        true
    }

    /// Whether a path begins with a type that was reported as erroneous.
    fn names_broken_type(&self, path: &Path) -> bool {
        let meaning = self.type_meaning(&[path.segments[0].symbol]).map(|entry| entry.meaning);
        matches!(meaning, Some(TypeMeaning::Abbreviation(_, Ty::Constructor(TypeConstructor::Error, _))))
    }

    /// A name of the .NET library, with or without `System.` before it.
    fn member_of_class(&self, path: &Path) -> Option<Diagnostic> {
        let first = path.segments[0].symbol;
        let system = first.as_str() == "System";
        let rest = &path.segments[usize::from(system && path.segments.len() > 1)..];
        let written: Vec<&str> = rest.iter().map(|segment| segment.symbol.as_str()).collect();
        let written = written.join(".");
        let known = elsewhere::OF_CLASSES.iter().find(|(name, _)| *name == written);
        if known.is_none() && (!system || !self.names.find_modules(&[first]).is_empty()) {
            return None;
        }
        let message = format!("`{written}` is part of the .NET library, which Clef does not have");
        let diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, path.span(), message);
        let has = |name: &str| {
            let (module, value) = name.split_once('.')?;
            let modules = self.names.find_modules(&[Symbol::new(module)]);
            modules.into_iter().find(|&module| self.names.modules[module].values.contains_key(&Symbol::new(value)))
        };
        Some(match known {
            Some((_, instead)) if has(instead).is_some() => {
                diagnostic.fix(format!("write `{instead}`"), path.span(), *instead)
            }
            Some(_) => diagnostic,
            None => match self.in_library(&written) {
                Some(name) => diagnostic.fix(format!("write `{name}`"), path.span(), name),
                None => diagnostic,
            },
        })
    }

    /// The library name of a dotted .NET name, if only the case differs.
    fn in_library(&self, name: &str) -> Option<String> {
        let (module, value) = name.split_once('.')?;
        let found = self.names.find_modules(&[Symbol::new(module)]);
        let mut values = found.into_iter().flat_map(|module| self.names.modules[module].values.keys());
        values.find(|known| known.as_str().eq_ignore_ascii_case(value)).map(|value| format!("{module}.{value}"))
    }

    /// `Type.Name`, where the type has no such case or value.
    fn unknown_member(&self, path: &Path) -> Option<Diagnostic> {
        let (last, qualifier) = path.segments.split_last()?;
        let qualifier: Vec<Symbol> = qualifier.iter().map(|segment| segment.symbol).collect();
        let meaning = self.type_meaning(&qualifier)?.meaning;
        let ty = qualifier.last()?;
        let message = format!("the type `{ty}` has no case `{}`", last.symbol);
        let diagnostic = Diagnostic::error(codes::UNKNOWN_CASE, last.span, message);
        let names = self.member_names(&meaning);
        Some(match nearest_names(last.symbol.as_str(), names.iter().map(|name| name.as_str())).first() {
            Some(near) => diagnostic.fix(format!("did you mean `{ty}.{near}`?"), last.span, near.clone()),
            None => diagnostic,
        })
    }

    /// The enum value in scope of this name, in source syntax.
    pub(crate) fn value_of_enum(&self, name: Symbol) -> Option<String> {
        let written = |(_, described): (EnumId, &EnumType)| {
            let in_scope = self.type_meaning(&[described.name]).is_some();
            let has = described.values.iter().any(|value| value.name == name);
            (in_scope && has).then(|| format!("{}.{name}", described.name))
        };
        self.graph.psg.enums.iter().find_map(written)
    }

    /// Reports that a module of a dotted name is not visible here, if there is one.
    pub(crate) fn report_hidden_module(&mut self, path: &Path) -> bool {
        let symbols: Vec<Symbol> = path.segments.iter().map(|segment| segment.symbol).collect();
        for end in 1..=symbols.len() {
            if !self.names.find_modules(&symbols[..end]).is_empty() {
                continue;
            }
            let Some((module, visibility)) = self.names.find_hidden_module(&symbols[..end]) else { return false };
            let what = format!("the module `{}` is", self.names.modules[module].path);
            let message = self.seen_by(&what, visibility);
            self.report(Diagnostic::error(codes::PRIVATE_NAME, path.segments[end - 1].span, message));
            return true;
        }
        false
    }

    /// "there is no such name", with similar names in scope and in modules.
    fn unknown(&mut self, kind: &str, name: Name, span: Span) -> Diagnostic {
        let text = name.symbol.as_str();
        let diagnostic =
            Diagnostic::error(codes::UNKNOWN_NAME, span, format!("cannot find {kind} `{text}` in this scope"));
        if self.names.open_modules.names().any(|(module, _)| module == name.symbol) {
            return Diagnostic::error(
                codes::UNKNOWN_NAME,
                span,
                format!("expected a value, found the module `{text}`"),
            )
            .help(format!("name a member of the module: `{text}.…`"));
        }
        if let Some(let_keyword) = self.frames.definition(name.symbol) {
            return diagnostic.note(format!("`{text}` is in scope in its own definition only with `let rec`")).fix(
                "make it recursive",
                let_keyword.at_end(),
                " rec",
            );
        }
        if let Some((_, instead)) = elsewhere::NAMES.iter().find(|(known, _)| *known == text) {
            return diagnostic.help(*instead);
        }
        if let Some(record) = self.record_text(name.symbol) {
            return diagnostic
                .note(format!("`{text}` is a record type"))
                .help(format!("write a value of it as `{record}`"));
        }
        let mut candidates: Vec<&str> = self.names.values.names().map(|(name, _)| name.as_str()).collect();
        candidates.extend(self.names.open_modules.names().map(|(name, _)| name.as_str()));
        if let Some(value) = self.value_of_enum(name.symbol) {
            return diagnostic.fix("qualify the value with the name of the enum", span, value);
        }
        let near = nearest_names(text, candidates.into_iter());
        let is_module = kind == QUALIFIER && is_capitalised(name.symbol);
        if let Some(functions) = self.of_collections(name.symbol).filter(|_| !is_module) {
            return diagnostic.help(format!("qualify it with its module: {functions}"));
        }
        match near.first() {
            Some(near) => diagnostic.fix(format!("did you mean `{near}`?"), span, near.clone()),
            None if is_module => diagnostic,
            None => self.elsewhere(diagnostic, name.symbol, span),
        }
    }

    /// The source syntax of a value of a record type.
    fn record_text(&self, name: Symbol) -> Option<String> {
        let TypeMeaning::Declared(declared) = self.type_meaning(&[name])?.meaning else { return None };
        let declared = &self.graph.psg.declared_types[declared];
        let (DeclaredKind::Record, Some(&case)) = (declared.kind, declared.cases.first()) else { return None };
        let fields =
            self.graph.psg.cases[case].fields.iter().filter_map(|(name, _)| name.map(|name| format!("{name} = …")));
        Some(format!("{{ {} }}", fields.collect::<Vec<_>>().join("; ")))
    }

    /// The function named `mut` whose parameter has this name.
    fn function_mut_of(&self, name: Name) -> Option<VariableId> {
        self.names.values.all(Symbol::new("mut")).find_map(|entry| {
            let Meaning::Variable(function) = entry.meaning else { return None };
            let bound = self.graph.psg.variables[function].span;
            let after = self.input.sources.file(bound.file).text[bound.end as usize..].trim_start();
            let rest = after.strip_prefix(name.symbol.as_str())?.trim_start();
            rest.starts_with(['=', ':']).then_some(function)
        })
    }

    /// Reports the first use of a name that `let mut` was meant to bind.
    fn report_let_mut(&mut self, name: Name, function: VariableId) {
        if !self.reports.taken_for_mutable.insert(function) {
            return;
        }
        let (text, bound) = (name.symbol, self.graph.psg.variables[function].span);
        self.report(
            Diagnostic::error(codes::UNKNOWN_NAME, name.span, format!("cannot find name `{text}` in this scope"))
                .note(format!("`let mut {text}` defines a function named `mut`"))
                .fix("use `mutable` for a variable", bound, "mutable"),
        );
    }

    /// The functions of this name in collection modules, in source syntax.
    fn of_collections(&self, name: Symbol) -> Option<String> {
        let has = |module: &&str| {
            let modules = self.names.find_modules(&[Symbol::new(module)]);
            modules.into_iter().any(|module| {
                self.names.modules[module].library && self.names.modules[module].values.contains_key(&name)
            })
        };
        let found: Vec<String> = ["List", "Array", "Seq", "Option"]
            .into_iter()
            .filter(|module| has(module))
            .map(|module| format!("`{module}.{name}`"))
            .collect();
        (!found.is_empty()).then(|| found.join(", "))
    }

    /// The path of a module relative to the current module.
    fn path_from_here<'m>(&self, path: &'m str) -> &'m str {
        let here = self.names.modules[self.names.current].path.as_str();
        match path.strip_prefix(here).and_then(|rest| rest.strip_prefix('.')) {
            Some(rest) if !here.is_empty() => rest,
            Some(_) | None => path,
        }
    }

    /// Proposes names of other modules: equal or similar ones.
    fn elsewhere(&self, diagnostic: Diagnostic, name: Symbol, span: Span) -> Diagnostic {
        // A short name of another module is an unlikely suggestion, unless only the case differs.
        let is_short = name.as_str().len() < 5;
        let mut qualified: Vec<(usize, String)> = Vec::new();
        for (_, module) in self.names.modules.iter() {
            // Registers have all kinds of names.
            let is_hidden = module.visibility.is_some_and(|visibility| !self.names.is_visible(visibility));
            if is_hidden || module.path.is_empty() || module.library && module.path.starts_with("Device.") {
                continue;
            }
            for (candidate, entry) in &module.values {
                let distance = distance(name.as_str(), candidate.as_str());
                if distance <= tolerance(name.as_str())
                    && (!is_short || name.as_str().eq_ignore_ascii_case(candidate.as_str()))
                    && self.names.is_visible(entry.visibility)
                {
                    // A name in scope needs no qualifier.
                    let bare = self.names.values.names().any(|(name, _)| name == *candidate);
                    let known = if bare {
                        candidate.to_string()
                    } else {
                        format!("{}.{candidate}", self.path_from_here(&module.path))
                    };
                    qualified.push((distance, known));
                }
            }
        }
        qualified.sort();
        match qualified.first() {
            Some((_, near)) => diagnostic.fix(format!("did you mean `{near}`?"), span, near.clone()),
            None => diagnostic,
        }
    }

    /// Reports an undefined unit of measure.
    pub(crate) fn report_unknown_measure(&mut self, path: &Path) {
        let last = path.segments[path.segments.len() - 1];
        let message = format!("cannot find unit of measure `{}` in this scope", last.symbol);
        let diagnostic = Diagnostic::error(codes::UNKNOWN_TYPE, last.span, message);
        let is_measure = |meaning: &TypeMeaning| matches!(meaning, TypeMeaning::Measure(_));
        let units = self.names.types.names().filter(|(_, entry)| is_measure(&entry.meaning));
        let candidates: Vec<&str> = units.map(|(name, _)| name.as_str()).collect();
        let near = nearest_names(last.symbol.as_str(), candidates.into_iter()).into_iter().next();
        self.report(match near {
            Some(near) => diagnostic.fix(format!("did you mean `{near}`?"), last.span, near),
            None => diagnostic.help(format!("declare it: `[<Measure>] type {}`", last.symbol)),
        });
    }

    /// Reports an undefined type.
    pub(crate) fn report_unknown_type(&mut self, path: &Path) {
        let last = path.segments[path.segments.len() - 1];
        let first = path.segments[0].symbol;
        if first.as_str() == "System" && self.names.find_modules(&[first]).is_empty() {
            let message = format!("`{}` is part of the .NET library, which Clef does not have", last.symbol);
            let diagnostic = Diagnostic::error(codes::UNKNOWN_TYPE, path.span(), message);
            let elsewhere = elsewhere::TYPES.iter().find(|(known, _)| *known == last.symbol.as_str());
            self.report(match elsewhere {
                Some((_, own)) => diagnostic.fix(format!("write `{own}`"), path.span(), *own),
                None => diagnostic,
            });
            return;
        }
        let diagnostic = Diagnostic::error(
            codes::UNKNOWN_TYPE,
            last.span,
            format!("cannot find type `{}` in this scope", last.symbol),
        );
        let candidates: Vec<&str> = self.names.types.names().map(|(name, _)| name.as_str()).collect();
        let elsewhere = elsewhere::TYPES.iter().find(|(known, _)| *known == last.symbol.as_str());
        let diagnostic = match (elsewhere, nearest_names(last.symbol.as_str(), candidates.into_iter()).first()) {
            (Some((_, own)), _) => diagnostic.fix(format!("use `{own}`"), last.span, *own),
            (None, Some(near)) => diagnostic.fix(format!("did you mean `{near}`?"), last.span, near.clone()),
            (None, None) => diagnostic,
        };
        let diagnostic = self.note_later_file(diagnostic, path);
        self.report_unless_opened(diagnostic);
    }

    /// Reports an undefined case.
    pub(crate) fn report_unknown_case(&mut self, path: &Path) {
        if self.names_broken_type(path) {
            return;
        }
        if let Some(diagnostic) = self.unknown_member(path) {
            self.report(diagnostic);
            return;
        }
        let last = path.segments[path.segments.len() - 1];
        let diagnostic = Diagnostic::error(
            codes::UNKNOWN_CASE,
            last.span,
            format!("cannot find case `{}` in this scope", last.symbol),
        );
        let candidates: Vec<&str> = self.names.patterns.names().map(|(name, _)| name.as_str()).collect();
        let diagnostic = match nearest_names(last.symbol.as_str(), candidates.into_iter()).first() {
            Some(near) => diagnostic.fix(format!("did you mean `{near}`?"), last.span, near.clone()),
            None => diagnostic,
        };
        self.report_unless_opened(diagnostic);
    }
}
