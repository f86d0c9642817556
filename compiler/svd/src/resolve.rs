//! Resolves what a description derives, and its arrays.
//!
//! An array of registers stays one where its elements have no names of their own. An array of clusters becomes a cluster of arrays,
//! one for each register, unless the clusters contain arrays; other arrays are written out.

use crate::chip::{Access, Chip, Cluster, Field, Interrupt, Part, Peripheral, Register, Value};
use crate::derived;
use crate::names::line;
use std::collections::BTreeMap;
use svd_parser::expand::{
    BlockPath, FieldPath, Index, RegisterPath, derive_cluster, derive_enumerated_values, derive_field,
    derive_peripheral, derive_register,
};
use svd_parser::svd::{
    self, DimElement, MaybeArray, ModifiedWriteValues, ReadAction, RegisterCluster, RegisterProperties,
};

/// Why a description cannot be resolved.
pub(crate) type Error = Box<dyn std::error::Error>;

/// The deepest nesting of clusters.
const DEEPEST: usize = 16;

/// The largest number of parts when all arrays are written out.
const MOST: u64 = 4_000_000;

/// The largest number of elements of an array that is written out.
const LARGEST: u32 = 1024;

/// The chip that a description is of.
pub(crate) fn chip(device: &svd::Device) -> Result<Chip, Error> {
    let size: u64 = device.peripherals.iter().fold(0, |size, peripheral| {
        let parts = peripheral.registers.as_deref().unwrap_or_default();
        size.saturating_add(times(peripheral, parts_size(parts).saturating_add(1)))
    });
    if size > MOST {
        return Err(format!("its arrays have more than {MOST} elements").into());
    }
    let resolver = Resolver { index: Index::create(device) };
    let mut peripherals = Vec::new();
    let mut interrupts = BTreeMap::new();
    for peripheral in &device.peripherals {
        for interrupt in &peripheral.interrupt {
            interrupts.entry(interrupt.value).or_insert_with(|| Interrupt {
                name: interrupt.name.clone(),
                description: line(interrupt.description.as_deref()),
                number: interrupt.value,
            });
        }
        resolver.peripheral(peripheral, &device.default_register_properties, &mut peripherals)?;
    }
    Ok(Chip {
        name: line(Some(&device.name)),
        description: line(Some(&device.description)),
        peripherals,
        interrupts: interrupts.into_values().collect(),
    })
}

/// A size as often as an element of an array occurs, and once for the array.
fn times<T>(part: &MaybeArray<T>, size: u64) -> u64 {
    match part {
        MaybeArray::Single(_) => size,
        MaybeArray::Array(_, dim) => size.saturating_mul(u64::from(dim.dim) + 1),
    }
}

/// The number of parts when all arrays are written out.
fn parts_size(parts: &[RegisterCluster]) -> u64 {
    parts.iter().fold(0, |size, part| {
        size.saturating_add(match part {
            RegisterCluster::Cluster(cluster) => times(cluster, parts_size(&cluster.children).saturating_add(1)),
            RegisterCluster::Register(register) => {
                let fields = register.fields().fold(1, |size: u64, field| size.saturating_add(times(field, 1)));
                times(register, fields)
            }
        })
    })
}

/// Parts with an array in place of each register, of this many elements at this distance; nothing if there are arrays already.
fn several(parts: Vec<Part>, size: (u32, u32)) -> Option<Vec<Part>> {
    let array = |part| match part {
        Part::Register(Register { several: Some(_), .. }) => None,
        Part::Register(register) => Some(Part::Register(Register { several: Some(size), ..register })),
        Part::Cluster(cluster) => {
            let Cluster { name, description, offset, parts } = cluster;
            Some(Part::Cluster(Cluster { name, description, offset, parts: several(parts, size)? }))
        }
    };
    parts.into_iter().map(array).collect()
}

struct Resolver<'a> {
    index: Index<'a>,
}

impl Resolver<'_> {
    fn peripheral(
        &self,
        of: &svd::Peripheral,
        properties: &RegisterProperties,
        into: &mut Vec<Peripheral>,
    ) -> Result<(), Error> {
        let mut peripheral = of.clone();
        let mut path = BlockPath::new(&peripheral.name);
        let mut like = None;
        if let Some(from) = peripheral.derived_from.take() {
            derived::peripheral(&from, &self.index)?;
            if let Some(origin) = derive_peripheral(&mut peripheral, &from, &self.index)? {
                like = Some(origin.to_string());
                path = origin;
            }
        }
        let properties = peripheral.default_register_properties.derive_from_properties(properties);
        let children = peripheral.registers.as_deref().unwrap_or_default();
        let elements = match &peripheral {
            MaybeArray::Single(info) => vec![(info.name.clone(), info.base_address)],
            MaybeArray::Array(info, dim) => {
                elements(info, dim, |index| info.base_address + u64::from(dim.dim_increment) * u64::from(index))?
            }
        };
        for (index, (name, base)) in elements.into_iter().enumerate() {
            let first = into.len() - index;
            let like = like.clone().or_else(|| (index > 0).then(|| into[first].name.clone()));
            let parts = self.parts(children, &path, &properties, 0)?;
            into.push(Peripheral { name, description: line(peripheral.description.as_deref()), base, like, parts });
        }
        Ok(())
    }

    fn parts(
        &self,
        children: &[RegisterCluster],
        path: &BlockPath,
        properties: &RegisterProperties,
        depth: usize,
    ) -> Result<Vec<Part>, Error> {
        if depth > DEEPEST {
            return Err(format!("clusters are nested more than {DEEPEST} times").into());
        }
        let mut parts = Vec::new();
        for child in children {
            match child {
                RegisterCluster::Register(register) => self.register(register, path, properties, &mut parts)?,
                RegisterCluster::Cluster(cluster) => self.cluster(cluster, path, properties, depth, &mut parts)?,
            }
        }
        Ok(parts)
    }

    fn cluster(
        &self,
        of: &svd::Cluster,
        path: &BlockPath,
        properties: &RegisterProperties,
        depth: usize,
        into: &mut Vec<Part>,
    ) -> Result<(), Error> {
        let mut cluster = of.clone();
        let mut within = path.new_cluster(&cluster.name);
        if let Some(from) = cluster.derived_from.take() {
            derived::cluster(&from, path, &self.index)?;
            within = derive_cluster(&mut cluster, &from, path, &self.index)?.unwrap_or(within);
        }
        let properties = cluster.default_register_properties.derive_from_properties(properties);
        let parts = |resolver: &Self| resolver.parts(&cluster.children, &within, &properties, depth + 1);
        let description = line(cluster.description.as_deref());
        let MaybeArray::Array(info, dim) = &cluster else {
            let (name, offset) = (cluster.name.clone(), u64::from(cluster.address_offset));
            into.push(Part::Cluster(Cluster { name, description, offset, parts: parts(self)? }));
            return Ok(());
        };
        if is_numbered(dim)
            && let Some(parts) = several(parts(self)?, (dim.dim, dim.dim_increment))
        {
            let (name, offset) = (info.name.clone(), u64::from(info.address_offset));
            into.push(Part::Cluster(Cluster { name, description, offset, parts }));
            return Ok(());
        }
        let offset = |index| u64::from(info.address_offset) + u64::from(dim.dim_increment) * u64::from(index);
        for (name, offset) in elements(info, dim, offset)? {
            into.push(Part::Cluster(Cluster { name, description: description.clone(), offset, parts: parts(self)? }));
        }
        Ok(())
    }

    fn register(
        &self,
        of: &svd::Register,
        path: &BlockPath,
        properties: &RegisterProperties,
        into: &mut Vec<Part>,
    ) -> Result<(), Error> {
        let mut register = of.clone();
        let mut within = path.new_register(&register.name);
        if let Some(from) = register.derived_from.take() {
            derived::register(&from, path, &self.index)?;
            within = derive_register(&mut register, &from, path, &self.index)?.unwrap_or(within);
        }
        let properties = register.properties.derive_from_properties(properties);
        let several = match &register {
            MaybeArray::Array(_, dim) if is_numbered(dim) => Some((dim.dim, dim.dim_increment)),
            MaybeArray::Array(..) | MaybeArray::Single(_) => None,
        };
        let places = match &register {
            MaybeArray::Array(info, dim) if several.is_none() => elements(info, dim, |index| {
                u64::from(info.address_offset) + u64::from(dim.dim_increment) * u64::from(index)
            })?,
            MaybeArray::Array(..) | MaybeArray::Single(_) => {
                vec![(register.name.clone(), u64::from(register.address_offset))]
            }
        };
        let size = properties.size.unwrap_or(32);
        let access = access(properties.access);
        for (name, offset) in places {
            let fields = self.fields(&register, &within, size, access)?;
            let (kept, ones) = modified(&register, size);
            into.push(Part::Register(Register {
                name,
                description: line(register.description.as_deref()),
                offset,
                size,
                access,
                reset: properties.reset_value.unwrap_or(0) as u32 & (u32::MAX >> (32 - size.clamp(1, 32))),
                kept,
                ones,
                several,
                read_action: register.read_action.map(read_action),
                fields,
            }));
        }
        Ok(())
    }

    fn fields(
        &self,
        register: &svd::Register,
        path: &RegisterPath,
        size: u32,
        of_register: Access,
    ) -> Result<Vec<Field>, Error> {
        let mut fields = Vec::new();
        for of in register.fields() {
            let mut field = of.clone();
            let mut within = path.new_field(&field.name);
            if let Some(from) = field.derived_from.take() {
                derived::field(&from, path, &self.index)?;
                within = derive_field(&mut field, &from, path, &self.index)?.unwrap_or(within);
            }
            let places = match &field {
                MaybeArray::Single(info) => vec![(info.name.clone(), u64::from(info.bit_offset()))],
                MaybeArray::Array(info, dim) => elements(info, dim, |index| {
                    u64::from(info.bit_offset()) + u64::from(dim.dim_increment) * u64::from(index)
                })?,
            };
            let width = field.bit_width();
            let values = self.values(&field, &within)?;
            for (name, shift) in places {
                if width == 0 || shift + u64::from(width) > u64::from(size.min(32)) {
                    continue;
                }
                fields.push(Field {
                    name,
                    description: line(field.description.as_deref()),
                    shift: shift as u32,
                    width,
                    access: field.access.map_or(of_register, |own| access(Some(own))),
                    write_action: field.modified_write_values.or(register.modified_write_values).and_then(write_action),
                    read_action: field.read_action.map(read_action),
                    values: values
                        .iter()
                        .map(|value| Value { name: value.name.clone(), number: value.number })
                        .collect(),
                });
            }
        }
        Ok(fields)
    }

    /// The values of a field that have names, each once.
    fn values(&self, field: &svd::Field, path: &FieldPath) -> Result<Vec<Value>, Error> {
        let mut values: BTreeMap<u64, Value> = BTreeMap::new();
        for of in &field.enumerated_values {
            let mut listed = of.clone();
            if let Some(from) = listed.derived_from.take() {
                derived::values(&from, path, &self.index)?;
                derive_enumerated_values(&mut listed, &from, path, &self.index)?;
            }
            for value in &listed.values {
                if let Some(number) = value.value.filter(|number| number >> field.bit_width().min(63) == 0) {
                    values.entry(number).or_insert_with(|| Value { name: value.name.clone(), number });
                }
            }
        }
        Ok(values.into_values().collect())
    }
}

/// The defaults of an outer part for what an inner one does not say.
trait DeriveProperties {
    fn derive_from_properties(&self, outer: &RegisterProperties) -> RegisterProperties;
}

impl DeriveProperties for RegisterProperties {
    fn derive_from_properties(&self, outer: &RegisterProperties) -> RegisterProperties {
        let mut all = *self;
        all.size = all.size.or(outer.size);
        all.access = all.access.or(outer.access);
        all.reset_value = all.reset_value.or(outer.reset_value);
        all
    }
}

/// Whether the elements of an array are told apart by their index only.
fn is_numbered(dim: &DimElement) -> bool {
    dim.indexes().enumerate().all(|(number, index)| index == number.to_string())
}

/// The names of the elements of an array, each with its place.
fn elements<T: svd_parser::svd::Name>(
    info: &T,
    dim: &DimElement,
    place: impl Fn(u32) -> u64,
) -> Result<Vec<(String, u64)>, Error> {
    if dim.dim > LARGEST {
        return Err(format!("an array has more than {LARGEST} elements").into());
    }
    Ok(svd::array::names(info, dim).zip(0..).map(|(name, index)| (name, place(index))).collect())
}

fn access(access: Option<svd::Access>) -> Access {
    let access = access.unwrap_or(svd::Access::ReadWrite);
    Access { reads: access.can_read(), writes: access.can_write() }
}

fn read_action(action: ReadAction) -> &'static str {
    match action {
        ReadAction::Clear => "A read clears it.",
        ReadAction::Set => "A read sets it.",
        ReadAction::Modify => "A read changes it.",
        ReadAction::ModifyExternal => "A read has an effect elsewhere.",
    }
}

fn write_action(values: ModifiedWriteValues) -> Option<&'static str> {
    match values {
        ModifiedWriteValues::OneToClear => Some("Writing 1 clears it."),
        ModifiedWriteValues::OneToSet => Some("Writing 1 sets it."),
        ModifiedWriteValues::OneToToggle => Some("Writing 1 toggles it."),
        ModifiedWriteValues::ZeroToClear => Some("Writing 0 clears it."),
        ModifiedWriteValues::ZeroToSet => Some("Writing 0 sets it."),
        ModifiedWriteValues::ZeroToToggle => Some("Writing 0 toggles it."),
        ModifiedWriteValues::Clear => Some("A write clears it."),
        ModifiedWriteValues::Set => Some("A write sets it."),
        ModifiedWriteValues::Modify => None,
    }
}

/// The bits that a change of others keeps, and those that it writes as ones.
fn modified(register: &svd::Register, size: u32) -> (u32, u32) {
    let all = u32::MAX >> (32 - size.clamp(1, 32));
    let (mut kept, mut ones) = (u32::MAX, 0);
    let mut note = |bits: u32, values: Option<ModifiedWriteValues>| match values {
        Some(ModifiedWriteValues::OneToClear | ModifiedWriteValues::OneToSet | ModifiedWriteValues::OneToToggle) => {
            kept &= !bits;
        }
        Some(ModifiedWriteValues::ZeroToClear | ModifiedWriteValues::ZeroToSet | ModifiedWriteValues::ZeroToToggle) => {
            ones |= bits;
        }
        Some(ModifiedWriteValues::Clear | ModifiedWriteValues::Set | ModifiedWriteValues::Modify) | None => {}
    };
    note(all, register.modified_write_values);
    for field in register.fields() {
        note(field.bitmask() as u32, field.modified_write_values);
    }
    (kept, ones)
}
