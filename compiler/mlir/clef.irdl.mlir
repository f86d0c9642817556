// The `clef` dialect as data. Load it with `mlir-opt --irdl-file=clef.irdl.mlir`.
//
// A function whose attributes hold `clef.captures` is the code of a closure: its first parameter is the closure's
// address, and each entry { type, size, align } of that list is one capture. `clef.arity` is the number of explicit
// parameters that stands before the code for callers that do not know it.
irdl.dialect @clef {
  // A handle of a region.
  irdl.type @region

  // A value that is an operand of an operation whose operands have many types. IRDL gives all operands of a variadic
  // group one type; this is that type.
  irdl.type @operand
  irdl.operation @as_operand {
    %any = irdl.any
    irdl.operands(value: %any)
    %operand = irdl.base @clef::@operand
    irdl.results(operand: %operand)
  }

  // A function value: the address of a flat struct { code, captures... }. The signature has the explicit parameters.
  irdl.type @closure {
    %signature = irdl.base "!builtin.function"
    irdl.parameters(signature: %signature)
  }

  // Makes a closure. `storage` is "static" (a constant, no captures), "stack", "region" (then the region and the site
  // of the allocation are operands), "replaced" (the same, in the place of the closure whose code this is, which is freed)
  // or the symbol of a `clef.static_slot`.
  irdl.operation @closure_make {
    %callee = irdl.base "#builtin.symbol_ref"
    %static = irdl.is "static"
    %stack = irdl.is "stack"
    %in_region = irdl.is "region"
    %replaced = irdl.is "replaced"
    %slot = irdl.base "#builtin.symbol_ref"
    %storage = irdl.any_of(%static, %stack, %in_region, %replaced, %slot)
    irdl.attributes { "callee" = %callee, "storage" = %storage }
    %region = irdl.base @clef::@region
    %site = irdl.is !llvm.ptr
    %capture = irdl.base @clef::@operand
    irdl.operands(region: optional %region, site: optional %site, captures: variadic %capture)
    %closure = irdl.base @clef::@closure
    irdl.results(closure: %closure)
  }

  // The first half of `clef.closure_make`, for a member of a recursive group: memory and code address, no captures yet.
  irdl.operation @closure_allocate {
    %callee = irdl.base "#builtin.symbol_ref"
    %stack = irdl.is "stack"
    %in_region = irdl.is "region"
    %slot = irdl.base "#builtin.symbol_ref"
    %storage = irdl.any_of(%stack, %in_region, %slot)
    irdl.attributes { "callee" = %callee, "storage" = %storage }
    %region = irdl.base @clef::@region
    %site = irdl.is !llvm.ptr
    irdl.operands(region: optional %region, site: optional %site)
    %closure = irdl.base @clef::@closure
    irdl.results(closure: %closure)
  }

  // The second half: stores every capture of an allocated closure.
  irdl.operation @closure_patch {
    %callee = irdl.base "#builtin.symbol_ref"
    irdl.attributes { "callee" = %callee }
    %closure = irdl.base @clef::@closure
    %capture = irdl.base @clef::@operand
    irdl.operands(closure: %closure, captures: variadic %capture)
  }

  // Reads a capture inside the code of the closure. Pure: captures never change once the closure is made, except those
  // that the code takes the address of, which it does not read by this operation.
  irdl.operation @capture {
    %index = irdl.base "#builtin.integer"
    irdl.attributes { "index" = %index }
    %closure = irdl.base @clef::@closure
    irdl.operands(closure: %closure)
    %value = irdl.any
    irdl.results(value: %value)
  }

  // The address of a capture within the closure, inside its code: the capture is a variable that the closure owns. Pure.
  irdl.operation @capture_address {
    %index = irdl.base "#builtin.integer"
    irdl.attributes { "index" = %index }
    %closure = irdl.base @clef::@closure
    irdl.operands(closure: %closure)
    %address = irdl.is !llvm.ptr
    irdl.results(address: %address)
  }

  // Calls a closure with as many arguments as its code has explicit parameters.
  irdl.operation @closure_invoke {
    %true = irdl.is true
    %false = irdl.is false
    %tail = irdl.any_of(%true, %false)
    %c = irdl.is #llvm.cconv<ccc>
    %tailcc = irdl.is #llvm.cconv<tailcc>
    %convention = irdl.any_of(%c, %tailcc)
    irdl.attributes { "tail" = %tail, "convention" = %convention }
    %closure = irdl.base @clef::@closure
    %argument = irdl.base @clef::@operand
    irdl.operands(closure: %closure, arguments: variadic %argument)
    %result = irdl.any
    irdl.results(result: optional %result)
  }

  // Reads the arity that stands before a closure's code.
  irdl.operation @closure_arity {
    %closure = irdl.base @clef::@closure
    irdl.operands(closure: %closure)
    %arity = irdl.is i32
    irdl.results(arity: %arity)
  }

  // Between a function value and the pointer by which upstream operations carry it.
  irdl.operation @closure_to_pointer {
    %closure = irdl.base @clef::@closure
    irdl.operands(closure: %closure)
    %pointer = irdl.is !llvm.ptr
    irdl.results(pointer: %pointer)
  }
  irdl.operation @closure_from_pointer {
    %pointer = irdl.is !llvm.ptr
    irdl.operands(pointer: %pointer)
    %closure = irdl.base @clef::@closure
    irdl.results(closure: %closure)
  }

  // Memory for the one closure of a program that `callee` is the code of; a child of the module.
  irdl.operation @static_slot {
    %name = irdl.base "#builtin.string"
    %callee = irdl.base "#builtin.symbol_ref"
    irdl.attributes { "sym_name" = %name, "callee" = %callee }
  }

  // The closure in a static slot, from anywhere in the program.
  irdl.operation @static_closure {
    %slot = irdl.base "#builtin.symbol_ref"
    irdl.attributes { "slot" = %slot }
    %closure = irdl.base @clef::@closure
    irdl.results(closure: %closure)
  }

  irdl.operation @region_enter {
    %site = irdl.is !llvm.ptr
    irdl.operands(site: %site)
    %region = irdl.base @clef::@region
    irdl.results(region: %region)
  }
  irdl.operation @region_leave {
    %region = irdl.base @clef::@region
    irdl.operands(region: %region)
  }
  // Frees the closure that was allocated last in a region and is in use, in its own code.
  irdl.operation @region_pop {
    %region = irdl.base @clef::@region
    %closure = irdl.is !llvm.ptr
    irdl.operands(region: %region, closure: %closure)
  }
  // The region that lives as long as the program.
  irdl.operation @region_program {
    %region = irdl.base @clef::@region
    irdl.results(region: %region)
  }
  // `size` bytes, aligned to `align`; the site is what a trap reports when the pool is exhausted.
  irdl.operation @region_allocate {
    %align = irdl.base "#builtin.integer"
    irdl.attributes { "align" = %align }
    %region = irdl.base @clef::@region
    %size = irdl.base "!builtin.integer"
    %site = irdl.is !llvm.ptr
    irdl.operands(region: %region, size: %size, site: %site)
    %pointer = irdl.is !llvm.ptr
    irdl.results(pointer: %pointer)
  }
  irdl.operation @region_to_pointer {
    %region = irdl.base @clef::@region
    irdl.operands(region: %region)
    %pointer = irdl.is !llvm.ptr
    irdl.results(pointer: %pointer)
  }
  irdl.operation @region_from_pointer {
    %pointer = irdl.is !llvm.ptr
    irdl.operands(pointer: %pointer)
    %region = irdl.base @clef::@region
    irdl.results(region: %region)
  }
}
