//! The stable codes of all diagnostics. Each has a page in `explain/`, shown by `clefc explain CODE`.
//!
//! Ranges: `E00` input and output, `E01` lexical, `E02` layout and syntax, `E03` names, `E04` types, `E05` patterns,
//! `E06` captures and escapes, `E07` constructs outside the language, `E08` targets and boards, `E09` image and running;
//! `W…` are warnings of the same ranges.

use std::fmt;

/// A stable diagnostic code such as `E0401`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Code(pub &'static str);

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0)
    }
}

impl Code {
    /// The page that explains the code.
    pub fn explanation(self) -> Option<&'static str> {
        PAGES.iter().find(|(code, _)| *code == self).map(|(_, page)| *page)
    }

    /// The known code of that name, whatever its case.
    pub fn named(name: &str) -> Option<Code> {
        PAGES.iter().map(|(code, _)| *code).find(|code| code.0.eq_ignore_ascii_case(name))
    }
}

/// Declares the codes with their pages, so that neither can be without the other.
macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $id:literal;)*) => {
        $($(#[$doc])* pub const $name: Code = Code($id);)*

        /// Every code with its page.
        pub const PAGES: &[(Code, &str)] = &[$(($name, include_str!(concat!("../explain/", $id, ".md")))),*];
    };
}

codes! {
    /// A file cannot be read.
    UNREADABLE_FILE = "E0001";
    /// A file is not UTF-8.
    NOT_UTF8 = "E0002";
    /// A file cannot be written.
    UNWRITABLE_FILE = "E0003";
    /// A file is not a source file.
    UNKNOWN_EXTENSION = "E0004";
    /// An option that has no effect, or contradicts another.
    UNFIT_OPTION = "E0005";
    /// There is no such diagnostic.
    UNKNOWN_CODE = "E0006";
    /// A project file is not TOML.
    MALFORMED_PROJECT = "E0007";
    /// A project file has a key that does not exist.
    UNKNOWN_PROJECT_KEY = "E0008";
    /// A project file's value is of the wrong type.
    WRONG_PROJECT_TYPE = "E0009";
    /// A project file lacks a key.
    MISSING_PROJECT_KEY = "E0010";
    /// A project file's value is of the right type but makes no sense.
    INVALID_PROJECT_VALUE = "E0011";
    /// There is no project, or not just one.
    NO_PROJECT = "E0012";
    /// A project depends on itself.
    PROJECT_CYCLE = "E0013";
    /// A character that nothing begins with.
    UNKNOWN_CHARACTER = "E0101";
    /// A tab.
    TAB = "E0102";
    /// A comment without end.
    UNCLOSED_COMMENT = "E0103";
    /// A string without end.
    UNCLOSED_STRING = "E0104";
    /// A wrong escape, or a byte string with large characters.
    BAD_STRING = "E0105";
    /// A wrong character literal.
    BAD_CHARACTER_LITERAL = "E0106";
    /// A wrong number.
    BAD_NUMBER = "E0107";
    /// A quoted name without end.
    UNCLOSED_NAME = "E0108";
    /// A wrong brace in an interpolated string.
    BAD_INTERPOLATION = "E0109";
    /// A name that is too long to be read.
    NAME_TOO_LONG = "E0110";
    /// A character that turns the direction of text, outside strings.
    DIRECTION_CONTROL = "E0111";
    /// A bracket that is not closed.
    UNCLOSED_BRACKET = "E0201";
    /// A closing bracket without its opener.
    UNOPENED_BRACKET = "E0202";
    /// A block that is not indented more than what it belongs to.
    MISSING_BLOCK = "E0203";
    /// A token to the left of the block that it belongs to.
    OFFSIDE = "E0204";
    /// A token that cannot stand where it is.
    UNEXPECTED_TOKEN = "E0210";
    /// An expression is missing.
    MISSING_EXPRESSION = "E0211";
    /// A binding, field, type or module lacks its `=`.
    MISSING_EQUAL = "E0212";
    /// An `if` without `then`.
    MISSING_THEN = "E0213";
    /// A function or arm without `->`.
    MISSING_ARROW = "E0214";
    /// A pattern is missing.
    MISSING_PATTERN = "E0215";
    /// A type is missing.
    MISSING_TYPE = "E0216";
    /// A block that ends with `let`.
    DANGLING_LET = "E0217";
    /// Constructs within constructs without end.
    TOO_DEEP = "E0218";
    /// A `match` or a record copy without `with`.
    MISSING_WITH = "E0219";
    /// A loop without `do`.
    MISSING_DO = "E0220";
    /// A function or branch as argument without parentheses.
    BARE_ARGUMENT = "E0221";
    /// A `match` or `function` without arms.
    MISSING_ARM = "E0222";
    /// A type constraint that does not exist.
    TYPE_CONSTRAINT = "E0223";
    /// `namespace` or `module` in the middle of a file.
    LATE_HEADER = "E0224";
    /// A name is missing.
    MISSING_NAME = "E0225";
    /// A `let` or `for` without `in`.
    MISSING_IN = "E0226";
    /// A record without fields.
    MISSING_FIELDS = "E0227";
    /// A type with cases of an enumeration and cases of a union.
    MIXED_CASES = "E0228";
    /// A directive of conditional compilation that is wrong, or that nothing ends.
    CONDITIONAL = "E0229";
    /// A name that nothing in scope has.
    UNKNOWN_NAME = "E0301";
    /// A type that nothing in scope has.
    UNKNOWN_TYPE = "E0302";
    /// A pattern names a case that nothing in scope has.
    UNKNOWN_CASE = "E0303";
    /// `open` of a module that does not exist.
    UNKNOWN_MODULE = "E0304";
    /// A private name of another module.
    PRIVATE_NAME = "E0305";
    /// One pattern or record names the same thing twice.
    BOUND_TWICE = "E0306";
    /// A module defines a name twice.
    DEFINED_TWICE = "E0307";
    /// A field that the value's type does not have.
    UNKNOWN_FIELD = "E0308";
    /// `open` of a module that must be named at each use.
    QUALIFIED_MODULE = "E0309";
    /// A file that others follow has no header.
    MISSING_HEADER = "E0310";
    /// A value directly in a namespace.
    VALUE_IN_NAMESPACE = "E0311";
    /// An expression has another type than its place demands.
    TYPE_MISMATCH = "E0401";
    /// A type would contain itself.
    INFINITE_TYPE = "E0402";
    /// A type lacks what an operator or a format demands.
    UNMET_DEMAND = "E0403";
    /// Something that is no function is applied.
    NOT_A_FUNCTION = "E0404";
    /// A function is given more arguments than it takes.
    TOO_MANY_ARGUMENTS = "E0405";
    /// A type or function is given the wrong number of types.
    WRONG_TYPE_ARGUMENTS = "E0406";
    /// Something that is not mutable is assigned.
    NOT_ASSIGNABLE = "E0407";
    /// `:=` or `!` on something that is no ref cell.
    NOT_A_REFERENCE = "E0408";
    /// `yield` outside of a comprehension, or where a value is needed.
    MISPLACED_YIELD = "E0420";
    /// A mutable variable, or a generic one, that lives across a `yield` in a way that cannot be kept.
    LIVES_ACROSS_YIELD = "E0421";
    /// `Array.zeroCreate` of a type that has no zero.
    NO_ZERO = "E0422";
    /// The type of a module-level value is not decided.
    VALUE_RESTRICTION = "E0409";
    /// An explicit type parameter is not generic.
    LESS_GENERIC = "E0410";
    /// `let rec` of something that is no function.
    RECURSIVE_VALUE = "E0411";
    /// A literal is outside the range of its type.
    LITERAL_OUT_OF_RANGE = "E0412";
    /// A format of an interpolated string that does not exist.
    UNKNOWN_FORMAT = "E0413";
    /// An entry point of the wrong form, or a second one.
    ENTRY_POINT = "E0414";
    /// `[<Test>]` on something that is no test.
    TEST_FORM = "E0423";
    /// `[<Literal>]` on something that is no literal.
    NOT_A_LITERAL = "E0415";
    /// A record expression lacks a field.
    MISSING_FIELD = "E0416";
    /// A range with the step 0.
    ZERO_STEP = "E0417";
    /// A unit of measure where a type is needed, a type where a unit is needed, or a unit that makes no sense.
    WRONG_MEASURE = "E0419";
    /// `enum` where nothing says which enum.
    UNDECIDED_ENUM = "E0418";
    /// `for … in`, or `yield!`, over what has no elements.
    NOT_A_COLLECTION = "E0440";
    /// An index behind what has none.
    NOT_INDEXABLE = "E0441";
    /// `use` of what nothing disposes of.
    NOT_DISPOSABLE = "E0430";
    /// The format of `printf` is no literal.
    FORMAT_NOT_LITERAL = "E0450";
    /// A pattern gives a case the wrong number of fields.
    WRONG_FIELD_COUNT = "E0501";
    /// The alternatives of a pattern bind different names.
    ALTERNATIVES_DIFFER = "E0502";
    /// A closure outlives a mutable variable that it captures.
    ESCAPING_SLOT = "E0601";
    /// An interrupt's handler makes or shares what lies in a region.
    INTERRUPT_MEMORY = "E0602";
    /// A board does not have an interrupt.
    NO_SUCH_INTERRUPT = "E0603";
    /// A handler of the system timer in a program that asks for the time.
    TIMER_TAKEN = "E0604";
    /// A module of the library for devices that the board does not have.
    NO_SUCH_DEVICE = "E0605";
    /// A program logs on a board that sends its log nowhere.
    UNHEARD_LOG = "E0606";
    /// A construct of F# that Clef does not have.
    NOT_IN_CLEF = "E0701";
    /// A construct of Clef that this version does not compile.
    NOT_SUPPORTED_YET = "E0702";
    /// An attribute that does not exist.
    UNKNOWN_ATTRIBUTE = "E0703";
    /// An attribute in a place where it means nothing.
    MISPLACED_ATTRIBUTE = "E0704";
    /// A foreign or exported function of the wrong form.
    FOREIGN_FORM = "E0705";
    /// A type that other languages do not know.
    FOREIGN_TYPE = "E0706";
    /// A name that is no symbol, is taken, or is declared in two ways.
    BAD_SYMBOL = "E0707";
    /// The address of a function that is not exported.
    FUNCTION_ADDRESS = "E0708";
    /// An attribute without the argument that it takes.
    BAD_ATTRIBUTE_ARGUMENT = "E0709";
    /// A descriptor is not plain YAML.
    MALFORMED_DESCRIPTOR = "E0801";
    /// A descriptor has a key that does not exist.
    UNKNOWN_DESCRIPTOR_KEY = "E0802";
    /// A descriptor's value is of the wrong type.
    WRONG_DESCRIPTOR_TYPE = "E0803";
    /// A descriptor lacks a key.
    MISSING_DESCRIPTOR_KEY = "E0804";
    /// A descriptor's value is of the right type but makes no sense.
    INVALID_DESCRIPTOR_VALUE = "E0805";
    /// A descriptor inherits from itself, or a mere base is used as if it were complete.
    UNFIT_PARENT = "E0806";
    /// A board's memory map cannot hold a program.
    UNUSABLE_MEMORY_MAP = "E0807";
    /// There is no such target or board.
    UNKNOWN_DESCRIPTOR = "E0808";
    /// A board cannot run what is compiled for a target.
    UNFIT_BOARD = "E0809";
    /// A program names a pin that the board does not have.
    NO_SUCH_PIN = "E0810";
    /// A project file has keys that are not read.
    UNREAD_PROJECT_KEYS = "W0001";
    /// A character that turns the direction of text, in a string.
    DIRECTION_IN_STRING = "W0101";
    /// A name with a character that names rarely have.
    UNCOMMON_NAME = "W0102";
    /// A name that looks like another.
    CONFUSABLE_NAMES = "W0103";
    /// A local binding that nothing uses.
    UNUSED_BINDING = "W0301";
    /// A variable of a pattern that looks like a case.
    CAPITAL_VARIABLE = "W0302";
    /// An `open` that brings nothing into scope that is used.
    UNUSED_OPEN = "W0303";
    /// A value that a sequence drops.
    DROPPED_VALUE = "W0401";
    /// A type variable of an annotation that turns out to be one type.
    NARROWED_TYPE = "W0402";
    /// A list or array whose only element is a tuple of literals.
    TUPLE_ELEMENT = "W0403";
    /// Patterns that do not cover all values.
    INCOMPLETE_MATCH = "W0501";
    /// An arm that no value reaches.
    UNREACHED_ARM = "W0502";
    /// A pattern of which no decision tree of reasonable size can be made.
    TOO_MANY_WAYS = "E0503";
    /// A stack or a pool is smaller than what a program can need.
    SMALL_MEMORY = "W0901";
    /// A generic function is needed at too large a type, or at too many types.
    TOO_MANY_INSTANCES = "E0490";
    /// There is no linker.
    LINKER_MISSING = "E0901";
    /// The linker refuses.
    LINK_FAILED = "E0902";
    /// Nothing defines a symbol.
    UNDEFINED_SYMBOL = "E0903";
    /// An image does not fit.
    IMAGE_TOO_LARGE = "E0904";
    /// The boot code cannot use a memory map.
    UNFIT_MEMORY_MAP = "E0905";
    /// There is no room for temporary files.
    NO_TEMPORARY_FILE = "E0906";
    /// A file that cannot be linked.
    UNFIT_LINK_INPUT = "E0907";
    /// A symbol that is defined more than once.
    DUPLICATE_SYMBOL = "E0908";
    /// An image is no ELF file.
    MALFORMED_IMAGE = "E0910";
    /// An image is for another machine.
    WRONG_MACHINE = "E0911";
    /// The vector table is not at the start of flash.
    MISPLACED_VECTORS = "E0912";
    /// The initial stack pointer is wrong.
    BAD_INITIAL_STACK = "E0913";
    /// The reset handler is wrong.
    BAD_RESET_HANDLER = "E0914";
    /// A segment is writable and executable.
    WRITABLE_CODE = "E0915";
    /// An image has sections that nothing uses.
    LEFTOVER_SECTION = "E0916";
    /// The entry point is wrong.
    BAD_ENTRY_POINT = "E0917";
    /// There is no room for stack or region pool.
    NO_ROOM = "E0918";
    /// A part of an image lies outside memory.
    OUTSIDE_MEMORY = "E0919";
    /// An image is too spread out for a form.
    SPARSE_IMAGE = "E0920";
    /// A need of memory has no bound.
    UNBOUNDED = "E0921";
    /// The boot code of a chip would not start an image.
    BAD_BOOT_BLOCK = "E0922";
    /// A board has no images of a format.
    UNFIT_FORMAT = "E0923";
    /// There is no emulator.
    EMULATOR_MISSING = "E0930";
    /// A board cannot be emulated.
    NOT_RUNNABLE = "E0931";
    /// A program took too long.
    TIMED_OUT = "E0932";
    /// A run broke off.
    RUN_BROKE_OFF = "E0933";
    /// A core locked up.
    LOCKED_UP = "E0934";
    /// Arguments cannot be passed to the program.
    NO_ARGUMENTS = "E0935";
    /// There is no debug probe.
    NO_PROBE = "E0940";
    /// There are several debug probes.
    SEVERAL_PROBES = "E0941";
    /// The user may not use a debug probe.
    PROBE_PERMISSION = "E0942";
    /// A chip that debug probes do not know.
    UNKNOWN_CHIP = "E0943";
    /// A debug probe finds no chip.
    NO_CHIP = "E0944";
    /// A debug probe finds another chip.
    WRONG_CHIP = "E0945";
    /// A chip does not let itself be read.
    CHIP_PROTECTED = "E0946";
    /// Flash cannot be programmed.
    FLASH_FAILED = "E0947";
    /// Flash does not hold what was programmed.
    VERIFY_FAILED = "E0948";
    /// The connection to a debug probe was lost.
    PROBE_LOST = "E0949";
    /// A debug probe does not do what it should.
    PROBE_FAILED = "E0950";
    /// Flash holds another program than the one that is debugged.
    OTHER_PROGRAM = "E0951";
    /// There is no support for debug probes.
    NO_PROBE_SUPPORT = "E0952";
    /// There is nothing to test.
    NO_TESTS = "E0960";
}

/// The codes of what keeps a compiled program from being run to its end.
pub const OF_RUNS: &[Code] = &[
    TIMED_OUT,
    RUN_BROKE_OFF,
    LOCKED_UP,
    NO_PROBE,
    SEVERAL_PROBES,
    PROBE_PERMISSION,
    UNKNOWN_CHIP,
    NO_CHIP,
    WRONG_CHIP,
    CHIP_PROTECTED,
    FLASH_FAILED,
    VERIFY_FAILED,
    PROBE_LOST,
    PROBE_FAILED,
    OTHER_PROGRAM,
    NO_PROBE_SUPPORT,
];
