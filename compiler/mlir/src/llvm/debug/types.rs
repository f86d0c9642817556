//! The types of a description as metadata.

use super::{
    DebugFunction, DebugInfo, DebugType, Encoding, TypeNumber,
    builder::{Builder, Metadata},
};

/// All types.
pub(super) struct Types {
    all: Vec<Metadata>,
    /// Their sizes in bits.
    sizes: Vec<u64>,
}

impl Types {
    /// Structures are first declared, since they may contain addresses of themselves; the declarations are replaced.
    pub(super) fn build(builder: &Builder, info: &DebugInfo) -> Types {
        let mut types = Types { all: vec![Metadata::none(); info.types.len()], sizes: vec![0; info.types.len()] };
        for (number, ty) in info.types.iter().enumerate() {
            types.sizes[number] = size(info, number);
            if let DebugType::Structure { name, .. } = ty {
                types.all[number] = builder.declaration(name);
            }
        }
        (0..info.types.len()).for_each(|number| types.complete(builder, info, number));
        for (number, ty) in info.types.iter().enumerate() {
            if let DebugType::Structure { name, bytes, members, inner } = ty {
                let declaration = types.all[number];
                let member = members.iter().map(|member| {
                    builder.member(
                        declaration,
                        (&member.name, member.offset),
                        types.of(member.ty),
                        types.sizes[member.ty],
                    )
                });
                let elements: Vec<Metadata> = member.chain(inner.iter().map(|ty| types.of(*ty))).collect();
                types.all[number] = builder.structure(name, *bytes, &elements);
                builder.replace(declaration, types.all[number]);
            }
        }
        types
    }

    /// The metadata of a type.
    pub(super) fn of(&self, number: TypeNumber) -> Metadata {
        self.all[number]
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = Metadata> {
        self.all.iter().copied()
    }

    /// The result of a function, or none, then its parameters.
    pub(super) fn signature(&self, function: &DebugFunction) -> Vec<Metadata> {
        let result = function.result.map_or_else(Metadata::none, |ty| self.of(ty));
        std::iter::once(result).chain(function.parameters.iter().map(|ty| self.of(*ty))).collect()
    }

    /// Builds a type that is no structure, after those that it consists of: a chain of addresses and aliases ends in a
    /// structure or a machine value.
    fn complete(&mut self, builder: &Builder, info: &DebugInfo, number: TypeNumber) {
        let mut chain = vec![number];
        while let Some(next) = chain.last().and_then(|last| info.types[*last].target()) {
            if !self.all[next].is_none() {
                break;
            }
            chain.push(next);
        }
        for number in chain.into_iter().rev() {
            if self.all[number].is_none() {
                self.all[number] = match &info.types[number] {
                    DebugType::Basic { name, bits, encoding } => builder.basic(name, *bits, encoding.number()),
                    DebugType::Enumeration { name, bits, values } => builder.enumeration(name, *bits, values),
                    DebugType::Pointer { to, bits } => {
                        builder.pointer(to.map_or_else(Metadata::none, |to| self.of(to)), *bits)
                    }
                    DebugType::Alias { name, of } => builder.alias(name, self.of(*of)),
                    DebugType::Structure { .. } => continue,
                };
            }
        }
    }
}

impl DebugType {
    /// The type that must be built before.
    fn target(&self) -> Option<TypeNumber> {
        match self {
            DebugType::Pointer { to, .. } => *to,
            DebugType::Alias { of, .. } => Some(*of),
            DebugType::Basic { .. } | DebugType::Enumeration { .. } | DebugType::Structure { .. } => None,
        }
    }
}

/// The size of a type in bits.
fn size(info: &DebugInfo, mut number: TypeNumber) -> u64 {
    loop {
        match &info.types[number] {
            DebugType::Basic { bits, .. } | DebugType::Enumeration { bits, .. } | DebugType::Pointer { bits, .. } => {
                return *bits;
            }
            DebugType::Structure { bytes, .. } => return bytes * 8,
            DebugType::Alias { of, .. } => number = *of,
        }
    }
}

impl Encoding {
    /// The number of DWARF's `DW_ATE`.
    fn number(self) -> u32 {
        match self {
            Encoding::Boolean => 0x02,
            Encoding::Float => 0x04,
            Encoding::Signed => 0x05,
            Encoding::Unsigned => 0x07,
            Encoding::Byte => 0x08,
            Encoding::Unicode => 0x10,
        }
    }
}
