//! Reads the registers of a chip from a crate that svd2rust 0.36 made.
//!
//! A peripheral is a type `Periph<module::RegisterBlock, BASE>`; a block has a method for each part, whose documentation begins with
//! the part's offset; a register's module has a method of `R` and of `W` for each field, whose documentation begins with its bits.

#![allow(clippy::wildcard_enum_match_arm, reason = "syn has many kinds of syntax, and adds others in any version")]

use super::{
    model::{Array, Content, Device, Field, Interrupt, Part, Peripheral, Register, Value},
    source::{Found, ModulePath, Sources, documentation},
};
use crate::Failure;
use syn::{Expr, GenericArgument, ImplItem, ImplItemFn, Item, ItemEnum, Lit, PathArguments, ReturnType, Stmt, Type};

/// The registers of the module of a chip.
pub(super) fn device(sources: &Sources, module: &str) -> Result<Device, Failure> {
    let root = vec![module.to_owned()];
    let file = sources.file(&root)?;
    let mut device = Device { peripherals: Vec::new(), interrupts: Vec::new() };
    for item in &file.items {
        match item {
            Item::Type(of) => device.peripherals.extend(peripheral(sources, &root, of)?),
            Item::Enum(of) if of.ident == "Interrupt" => device.interrupts = interrupts(of)?,
            _ => {}
        }
    }
    Ok(device)
}

fn interrupts(of: &ItemEnum) -> Result<Vec<Interrupt>, Failure> {
    let interrupt = |variant: &syn::Variant| {
        let (_, number) = variant.discriminant.as_ref().ok_or("an interrupt has no number")?;
        let description = documentation(&variant.attrs);
        let description = description.split_once(" - ").map_or("", |(_, rest)| rest).to_owned();
        Ok(Interrupt { name: variant.ident.to_string(), description, number: self::number(number)? })
    };
    of.variants.iter().map(interrupt).collect()
}

/// The peripheral that a type declares, if it does.
fn peripheral(sources: &Sources, root: &[String], of: &syn::ItemType) -> Result<Option<Peripheral>, Failure> {
    let Some((name, arguments)) = generic(&of.ty) else { return Ok(None) };
    let [GenericArgument::Type(Type::Path(block)), GenericArgument::Const(base)] = arguments.as_slice() else {
        return Ok(None);
    };
    if name != "Periph" {
        return Ok(None);
    }
    let path = segments(&block.path);
    let Found::Item(module, _) = sources.find(root, &path)? else { return Err(format!("`{}` is a module", of.ident)) };
    Ok(Some(Peripheral {
        name: of.ident.to_string(),
        description: documentation(&of.attrs),
        base: number(base)?,
        parts: parts(sources, &module, "RegisterBlock")?,
        module: module.join("::"),
    }))
}

/// A method of a block that leads to a part.
struct Accessor {
    name: String,
    description: String,
    /// Where the part is, or the elements of an array are.
    start: u64,
    /// Where the elements of an array end, if there are several.
    end: Option<u64>,
    /// The type of the part.
    leads_to: String,
    /// Whether it leads to the elements of an array: their number.
    elements: Option<u64>,
}

impl Accessor {
    /// Whether it leads to an element of an array.
    fn is_element_of(&self, array: &Accessor) -> bool {
        let within = array.start == self.start || array.end.is_some_and(|end| (array.start..end).contains(&self.start));
        self.elements.is_none() && array.elements.is_some() && self.leads_to == array.leads_to && within
    }
}

/// The parts of a block: the type `name` in a module. The elements of an array are parts of their own where they have names.
fn parts(sources: &Sources, module: &[String], name: &str) -> Result<Vec<Part>, Failure> {
    let file = sources.file(module)?;
    let accessors = methods(&file, name).map(|method| accessor(&file, name, method));
    let accessors: Vec<Accessor> = accessors.filter_map(Result::transpose).collect::<Result<_, _>>()?;
    let mut parts = Vec::new();
    for accessor in &accessors {
        if accessors.iter().any(|element| element.is_element_of(accessor)) {
            continue;
        }
        parts.push(Part {
            name: accessor.name.to_uppercase(),
            description: accessor.description.clone(),
            offset: accessor.start,
            array: array(accessor)?,
            content: content(sources, module, &accessor.leads_to)?,
        });
    }
    Ok(parts)
}

/// The array that an accessor leads to, if it does.
fn array(accessor: &Accessor) -> Result<Option<Array>, Failure> {
    let Some(count) = accessor.elements else { return Ok(None) };
    let size = accessor.end.map_or(0, |end| end - accessor.start);
    match size % count {
        0 if size > 0 => Ok(Some(Array { count, stride: size / count })),
        _ => Err(format!("`{}` has {count} elements in {size} bytes", accessor.name)),
    }
}

/// The methods of a type.
fn methods<'a>(file: &'a syn::File, name: &'a str) -> impl Iterator<Item = &'a ImplItemFn> {
    let implementations = file.items.iter().filter_map(move |item| match item {
        Item::Impl(of) if of.trait_.is_none() && is_named(&of.self_ty, name) => Some(of),
        _ => None,
    });
    implementations.flat_map(|of| &of.items).filter_map(|item| match item {
        ImplItem::Fn(method) => Some(method),
        _ => None,
    })
}

/// The part that a method of a block leads to, if it does: its documentation is `0x10 - sentence`, or `0x10..0x40 - sentence`.
fn accessor(file: &syn::File, block: &str, method: &ImplItemFn) -> Result<Option<Accessor>, Failure> {
    let name = method.sig.ident.to_string();
    let ReturnType::Type(_, leads_to) = &method.sig.output else { return Ok(None) };
    let Type::Reference(leads_to) = &**leads_to else { return Ok(None) };
    let text = documentation(&method.attrs);
    let (place, description) = text.split_once(" -").unwrap_or((&text, ""));
    let (start, end) = place.split_once("..").map_or((place, None), |(start, end)| (start, Some(end)));
    let place = |text: &str| text.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
    let start = place(start).ok_or_else(|| format!("the place of `{name}` is not known: {text}"))?;
    let elements = match method.sig.inputs.len() {
        1 => None,
        _ => Some(elements(file, block, method).ok_or_else(|| format!("the elements of `{name}` are not known"))?),
    };
    let leads_to = type_name(&leads_to.elem).ok_or_else(|| format!("the type of `{name}` is not known"))?;
    Ok(Some(Accessor {
        description: description.trim_start().to_owned(),
        start,
        end: end.and_then(place),
        leads_to,
        elements,
        name,
    }))
}

/// The number of elements that a method with an index leads to: of the block's array, or of the array `[(); 3]` in its body.
fn elements(file: &syn::File, block: &str, method: &ImplItemFn) -> Option<u64> {
    let fields = file.items.iter().filter_map(|item| match item {
        Item::Struct(of) if of.ident == block => Some(&of.fields),
        _ => None,
    });
    let mut fields = fields.flatten().filter(|field| field.ident.as_ref() == Some(&method.sig.ident));
    if let Some(Type::Array(array)) = fields.next().map(|field| &field.ty) {
        return number(&array.len).ok();
    }
    method.block.stmts.iter().find_map(|statement| match statement {
        Stmt::Expr(Expr::Index(element), _) => match &*element.expr {
            Expr::Repeat(array) => number(&array.len).ok(),
            _ => None,
        },
        _ => None,
    })
}

/// What a type in a block's module is: a register or a cluster.
fn content(sources: &Sources, module: &[String], name: &str) -> Result<Content, Failure> {
    let unknown = || format!("`{name}` is neither a register nor a cluster");
    let Found::Item(module, item) = sources.find(module, &[name.to_owned()])? else { return Err(unknown()) };
    match *item {
        Item::Struct(of) => Ok(Content::Cluster(parts(sources, &module, &of.ident.to_string())?)),
        Item::Type(of) => {
            let specification = generic(&of.ty).and_then(|(_, arguments)| match arguments.as_slice() {
                [GenericArgument::Type(Type::Path(path))] => Some(segments(&path.path)),
                _ => None,
            });
            let Found::Item(module, _) = sources.find(&module, &specification.ok_or_else(unknown)?)? else {
                return Err(unknown());
            };
            Ok(Content::Register(register(sources, &module)?))
        }
        _ => Err(unknown()),
    }
}

/// The register of a module.
fn register(sources: &Sources, module: &[String]) -> Result<Register, Failure> {
    let file = sources.file(module)?;
    let mut register = Register::default();
    for item in &file.items {
        let Item::Impl(of) = item else { continue };
        let Some((_, interface, _)) = &of.trait_ else { continue };
        match segments(interface).last().map_or("", String::as_str) {
            "RegisterSpec" => register.size = size(&of.items).ok_or("a register has no size")?,
            "Readable" => register.reads = true,
            "Writable" => register.writes = true,
            "Resettable" => register.reset = reset(&of.items)?,
            _ => {}
        }
    }
    for (direction, methods) in ["R", "W"].map(|name| (name, methods(&file, name))) {
        for method in methods {
            if let Some(field) = field(sources, module, direction == "R", method)? {
                add(&mut register.fields, field);
            }
        }
    }
    register.fields.sort_by_key(|field| field.shift);
    Ok(register)
}

/// The bits of a register: `type Ux = u32`.
fn size(items: &[ImplItem]) -> Option<u64> {
    items.iter().find_map(|item| match item {
        ImplItem::Type(of) => type_name(&of.ty)?.strip_prefix('u')?.parse().ok(),
        _ => None,
    })
}

/// The content of a register after a reset: `RESET_VALUE`, or zero.
fn reset(items: &[ImplItem]) -> Result<u64, Failure> {
    let value = items.iter().find_map(|item| match item {
        ImplItem::Const(of) if of.ident == "RESET_VALUE" => Some(&of.expr),
        _ => None,
    });
    value.map_or(Ok(0), number)
}

/// Adds a field that is read or written to the fields, of which one may be the same.
fn add(fields: &mut Vec<Field>, field: Field) {
    match fields.iter_mut().find(|other| other.name == field.name) {
        Some(other) => {
            other.writes |= field.writes;
            other.write_action = other.write_action.or(field.write_action);
            other.written_values = field.written_values;
        }
        None => fields.push(field),
    }
}

/// The field that a method of `R` or of `W` reads or writes, if it does: its documentation is `Bits 2:3 - sentence`.
fn field(sources: &Sources, module: &[String], reads: bool, method: &ImplItemFn) -> Result<Option<Field>, Failure> {
    let text = documentation(&method.attrs);
    let (place, description) = text.split_once(" -").unwrap_or((&text, ""));
    let Some(bits) = place.strip_prefix("Bits ").or_else(|| place.strip_prefix("Bit ")) else { return Ok(None) };
    let (low, high) = bits.split_once(':').unwrap_or((bits, bits));
    let bit = |text: &str| text.parse::<u64>().map_err(|_| format!("`{bits}` are not the bits of a field"));
    let (low, high) = (bit(low)?, bit(high)?);
    let ReturnType::Type(_, access) = &method.sig.output else { return Ok(None) };
    let access = type_name(access).ok_or_else(|| format!("the type of `{}` is not known", method.sig.ident))?;
    let Found::Item(module, item) = sources.find(module, &[access])? else { return Ok(None) };
    let Item::Type(of) = *item else { return Ok(None) };
    let (accessor, arguments) = generic(&of.ty).unwrap_or_default();
    let values = values(sources, &module, &arguments)?;
    let (read_values, written_values) = if reads { (values, Vec::new()) } else { (Vec::new(), values) };
    Ok(Some(Field {
        name: method.sig.ident.to_string().trim_start_matches("r#").to_uppercase(),
        description: description.trim_start().to_owned(),
        shift: low,
        width: high + 1 - low,
        reads,
        writes: !reads,
        write_action: match accessor.as_str() {
            "BitWriter0C" => Some("zeroToClear"),
            "BitWriter1C" => Some("oneToClear"),
            "BitWriter1S" => Some("oneToSet"),
            "BitWriter1T" => Some("oneToToggle"),
            _ => None,
        },
        read_values,
        written_values,
    }))
}

/// The values of the enum among the arguments of a field's type.
fn values(sources: &Sources, module: &[String], arguments: &[GenericArgument]) -> Result<Vec<Value>, Failure> {
    for argument in arguments {
        let GenericArgument::Type(Type::Path(path)) = argument else { continue };
        let path = segments(&path.path);
        if matches!(path.first().map_or("", String::as_str), "REG" | "u8" | "u16" | "u32" | "u64" | "crate") {
            continue;
        }
        let Found::Item(_, item) = sources.find(module, &path)? else { continue };
        let Item::Enum(of) = *item else { continue };
        let value = |variant: &syn::Variant| {
            let (_, number) = variant.discriminant.as_ref().ok_or("a value has no number")?;
            Ok(Value { name: variant.ident.to_string(), number: self::number(number)? })
        };
        return of.variants.iter().map(value).collect();
    }
    Ok(Vec::new())
}

/// The name and the arguments of a generic type.
fn generic(of: &Type) -> Option<(String, Vec<GenericArgument>)> {
    let Type::Path(path) = of else { return None };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    Some((last.ident.to_string(), arguments.args.iter().cloned().collect()))
}

/// The name of a type without its arguments.
fn type_name(of: &Type) -> Option<String> {
    match of {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        _ => None,
    }
}

fn is_named(of: &Type, name: &str) -> bool {
    type_name(of).is_some_and(|own| own == name)
}

fn segments(path: &syn::Path) -> ModulePath {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}

/// The value of a literal.
fn number(of: &Expr) -> Result<u64, Failure> {
    match of {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.base10_parse().map_err(|error| error.to_string()),
            _ => Err("a literal is not an integer".to_owned()),
        },
        _ => Err("an expression is not a literal".to_owned()),
    }
}
