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

    /// The known code with that name, in upper or lower case.
    pub fn named(name: &str) -> Option<Code> {
        PAGES.iter().map(|(code, _)| *code).find(|code| code.0.eq_ignore_ascii_case(name))
    }
}

/// Declares the codes with their pages, so that neither exists without the other.
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
    UNSUITABLE_OPTION = "E0005";
    /// There is no such diagnostic.
    UNKNOWN_CODE = "E0006";
    /// A project file is not TOML.
    MALFORMED_PROJECT = "E0007";
    /// A project file has a key that does not exist.
    UNKNOWN_PROJECT_KEY = "E0008";
    /// A value in a project file has the wrong type.
    WRONG_PROJECT_TYPE = "E0009";
    /// A project file lacks a key.
    MISSING_PROJECT_KEY = "E0010";
    /// A value in a project file has the right type but is invalid.
    INVALID_PROJECT_VALUE = "E0011";
    /// There is no project, or more than one.
    NO_PROJECT = "E0012";
    /// A project depends on itself.
    PROJECT_CYCLE = "E0013";
    /// A character that starts no token.
    UNKNOWN_CHARACTER = "E0101";
    /// A tab.
    TAB = "E0102";
    /// An unclosed comment.
    UNCLOSED_COMMENT = "E0103";
    /// An unclosed string.
    UNCLOSED_STRING = "E0104";
    /// An invalid escape, or a byte string with characters beyond a byte.
    BAD_STRING = "E0105";
    /// An invalid character literal.
    BAD_CHARACTER_LITERAL = "E0106";
    /// An invalid number.
    BAD_NUMBER = "E0107";
    /// An unclosed quoted name.
    UNCLOSED_NAME = "E0108";
    /// An invalid brace in an interpolated string.
    BAD_INTERPOLATION = "E0109";
    /// A name that is too long.
    NAME_TOO_LONG = "E0110";
    /// A character outside strings that changes the text direction.
    DIRECTION_CONTROL = "E0111";
    /// A bracket that is not closed.
    UNCLOSED_BRACKET = "E0201";
    /// A closing bracket without its opening bracket.
    UNOPENED_BRACKET = "E0202";
    /// A block that is not indented more than the construct it belongs to.
    MISSING_BLOCK = "E0203";
    /// A token to the left of its block.
    OFFSIDE = "E0204";
    /// A token that is not allowed at its position.
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
    /// Constructs that are nested too deeply.
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
    /// A conditional-compilation directive that is invalid or not closed.
    CONDITIONAL = "E0229";
    /// A name that is not in scope.
    UNKNOWN_NAME = "E0301";
    /// A type that is not in scope.
    UNKNOWN_TYPE = "E0302";
    /// A pattern names a case that is not in scope.
    UNKNOWN_CASE = "E0303";
    /// `open` of a module that does not exist.
    UNKNOWN_MODULE = "E0304";
    /// A private name of another module.
    PRIVATE_NAME = "E0305";
    /// A pattern or record that contains the same name twice.
    BOUND_TWICE = "E0306";
    /// A module defines a name twice.
    DEFINED_TWICE = "E0307";
    /// A field that the value's type does not have.
    UNKNOWN_FIELD = "E0308";
    /// `open` of a module that must be qualified at each use.
    QUALIFIED_MODULE = "E0309";
    /// A file without a header that is not the last.
    MISSING_HEADER = "E0310";
    /// A value directly in a namespace.
    VALUE_IN_NAMESPACE = "E0311";
    /// An expression has another type than its context requires.
    TYPE_MISMATCH = "E0401";
    /// A type would contain itself.
    INFINITE_TYPE = "E0402";
    /// A type does not satisfy the constraint of an operator or a format.
    UNMET_CONSTRAINT = "E0403";
    /// Application of something that is no function.
    NOT_A_FUNCTION = "E0404";
    /// A function is applied to more arguments than it takes.
    TOO_MANY_ARGUMENTS = "E0405";
    /// A type or function has the wrong number of type arguments.
    WRONG_TYPE_ARGUMENTS = "E0406";
    /// Assignment to something that is not mutable.
    NOT_ASSIGNABLE = "E0407";
    /// `:=` or `!` on something that is no ref cell.
    NOT_A_REFERENCE = "E0408";
    /// `yield` outside of a comprehension, or where a value is required.
    MISPLACED_YIELD = "E0420";
    /// A mutable or generic variable that lives across a `yield` in an unsupported way.
    LIVES_ACROSS_YIELD = "E0421";
    /// `Array.zeroCreate` of a type that has no zero.
    NO_ZERO = "E0422";
    /// The type of a module-level value is undetermined.
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
    /// A unit of measure where a type is required, a type where a unit is required, or an invalid unit.
    WRONG_MEASURE = "E0419";
    /// `enum` whose result type is undetermined.
    UNDECIDED_ENUM = "E0418";
    /// `for … in`, or `yield!`, over a value that is no collection.
    NOT_A_COLLECTION = "E0440";
    /// Indexing of a value that has no index.
    NOT_INDEXABLE = "E0441";
    /// `use` of a value that is not disposable.
    NOT_DISPOSABLE = "E0430";
    /// The format of `printf` is no literal.
    FORMAT_NOT_LITERAL = "E0450";
    /// A pattern with the wrong number of fields for its case.
    WRONG_FIELD_COUNT = "E0501";
    /// The alternatives of a pattern bind different names.
    ALTERNATIVES_DIFFER = "E0502";
    /// A closure outlives a mutable variable that it captures.
    ESCAPING_SLOT = "E0601";
    /// An interrupt handler that creates or shares values in a region.
    INTERRUPT_MEMORY = "E0602";
    /// A board does not have an interrupt.
    NO_SUCH_INTERRUPT = "E0603";
    /// A handler of the system timer in a program that uses the time.
    TIMER_TAKEN = "E0604";
    /// A library module for devices that the board does not have.
    NO_SUCH_DEVICE = "E0605";
    /// A program logs on a board that has no output for the log.
    UNHEARD_LOG = "E0606";
    /// A construct of F# that is not in Clef.
    NOT_IN_CLEF = "E0701";
    /// A construct of Clef that this version does not compile.
    NOT_SUPPORTED_YET = "E0702";
    /// An attribute that does not exist.
    UNKNOWN_ATTRIBUTE = "E0703";
    /// An attribute at a position where it has no effect.
    MISPLACED_ATTRIBUTE = "E0704";
    /// A foreign or exported function of the wrong form.
    FOREIGN_FORM = "E0705";
    /// A type that cannot cross the FFI boundary.
    FOREIGN_TYPE = "E0706";
    /// A name that is no valid symbol, is already used, or is declared in two ways.
    BAD_SYMBOL = "E0707";
    /// The address of a function that is not exported.
    FUNCTION_ADDRESS = "E0708";
    /// An attribute without its required argument.
    BAD_ATTRIBUTE_ARGUMENT = "E0709";
    /// A descriptor is not plain YAML.
    MALFORMED_DESCRIPTOR = "E0801";
    /// A descriptor has a key that does not exist.
    UNKNOWN_DESCRIPTOR_KEY = "E0802";
    /// A value in a descriptor has the wrong type.
    WRONG_DESCRIPTOR_TYPE = "E0803";
    /// A descriptor lacks a key.
    MISSING_DESCRIPTOR_KEY = "E0804";
    /// A value in a descriptor has the right type but is invalid.
    INVALID_DESCRIPTOR_VALUE = "E0805";
    /// A descriptor inherits from itself, or an abstract one is used as if it were complete.
    INVALID_PARENT = "E0806";
    /// A memory map of a board that has no space for a program.
    UNUSABLE_MEMORY_MAP = "E0807";
    /// There is no such target or board.
    UNKNOWN_DESCRIPTOR = "E0808";
    /// A board that cannot run programs for a target.
    UNSUITABLE_BOARD = "E0809";
    /// A program names a pin that the board does not have.
    NO_SUCH_PIN = "E0810";
    /// A file is not a description of a chip.
    MALFORMED_SVD = "E0811";
    /// A header of C has errors.
    MALFORMED_HEADER = "E0812";
    /// libclang is not installed.
    LIBCLANG_MISSING = "E0813";
    /// A project file has keys that are ignored.
    UNREAD_PROJECT_KEYS = "W0001";
    /// A declaration of a header of C that has no counterpart in Clef.
    UNBOUND_DECLARATION = "W0801";
    /// A register of a chip whose size Clef does not have.
    UNBOUND_REGISTER = "W0802";
    /// A character in a string that changes the text direction.
    DIRECTION_IN_STRING = "W0101";
    /// A name with an uncommon character.
    UNCOMMON_NAME = "W0102";
    /// A name that looks like another.
    CONFUSABLE_NAMES = "W0103";
    /// An unused local binding.
    UNUSED_BINDING = "W0301";
    /// A variable in a pattern that looks like a case.
    CAPITAL_VARIABLE = "W0302";
    /// An unused `open`.
    UNUSED_OPEN = "W0303";
    /// A discarded value in a sequence.
    DROPPED_VALUE = "W0401";
    /// A type variable of an annotation that is inferred to be one type.
    NARROWED_TYPE = "W0402";
    /// A list or array whose only element is a tuple of literals.
    TUPLE_ELEMENT = "W0403";
    /// Patterns that do not cover all values.
    INCOMPLETE_MATCH = "W0501";
    /// An unreachable arm.
    UNREACHED_ARM = "W0502";
    /// A pattern whose decision tree would be too large.
    TOO_MANY_WAYS = "E0503";
    /// A stack or a pool that is smaller than what a program may need.
    SMALL_MEMORY = "W0901";
    /// A generic function is instantiated at too large a type, or at too many types.
    TOO_MANY_INSTANCES = "E0490";
    /// The linker fails.
    LINK_FAILED = "E0902";
    /// An undefined symbol.
    UNDEFINED_SYMBOL = "E0903";
    /// An image does not fit.
    IMAGE_TOO_LARGE = "E0904";
    /// The boot code does not support a memory map.
    INVALID_MEMORY_MAP = "E0905";
    /// There is no space for temporary files.
    NO_TEMPORARY_FILE = "E0906";
    /// A file that cannot be linked.
    INCOMPATIBLE_LINK_INPUT = "E0907";
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
    /// An image has unused sections.
    LEFTOVER_SECTION = "E0916";
    /// The entry point is wrong.
    BAD_ENTRY_POINT = "E0917";
    /// There is no space for the stack or the region pool.
    NO_SPACE = "E0918";
    /// A part of an image lies outside memory.
    OUTSIDE_MEMORY = "E0919";
    /// An image is too sparse for a format.
    SPARSE_IMAGE = "E0920";
    /// The required memory has no bound.
    UNBOUNDED = "E0921";
    /// The boot code of a chip would not start an image.
    BAD_BOOT_BLOCK = "E0922";
    /// A board does not support an image format.
    UNSUITABLE_FORMAT = "E0923";
    /// A program that cannot be a library.
    UNSUITABLE_LIBRARY = "E0924";
    /// There is no emulator.
    EMULATOR_MISSING = "E0930";
    /// A board cannot be emulated.
    NOT_RUNNABLE = "E0931";
    /// A program exceeded its time limit.
    TIMED_OUT = "E0932";
    /// A run ended abnormally.
    RUN_BROKE_OFF = "E0933";
    /// A core locked up.
    LOCKED_UP = "E0934";
    /// Arguments cannot be passed to the program.
    NO_ARGUMENTS = "E0935";
    /// There is no debug probe.
    NO_PROBE = "E0940";
    /// There are several debug probes.
    SEVERAL_PROBES = "E0941";
    /// The user has no permission to use a debug probe.
    PROBE_PERMISSION = "E0942";
    /// A chip that the probe library does not know.
    UNKNOWN_CHIP = "E0943";
    /// A debug probe finds no chip.
    NO_CHIP = "E0944";
    /// A debug probe finds another chip.
    WRONG_CHIP = "E0945";
    /// A chip is protected against reading.
    CHIP_PROTECTED = "E0946";
    /// Flash cannot be programmed.
    FLASH_FAILED = "E0947";
    /// Flash does not hold what was programmed.
    VERIFY_FAILED = "E0948";
    /// The connection to a debug probe was lost.
    PROBE_LOST = "E0949";
    /// A debug probe does not work as expected.
    PROBE_FAILED = "E0950";
    /// Flash contains another program than the debugged one.
    OTHER_PROGRAM = "E0951";
    /// There is no support for debug probes.
    NO_PROBE_SUPPORT = "E0952";
    /// There is nothing to test.
    NO_TESTS = "E0960";
    /// An example of a documentation comment does not do what it says.
    WRONG_EXAMPLE = "E0961";
    /// A link of the documentation leads nowhere.
    BROKEN_LINK = "E0962";
    /// The formatter would change the meaning of a file.
    FORMATTER_DEFECT = "E0970";
}

/// The codes of errors that prevent a compiled program from running to its end.
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
