module Warehouse.Program

open Warehouse

let stock =
    [ { Sku = "T-100"
        Name = "Hammer"
        Category = Tool
        Price = Cents 1999L
        Quantity = 12
        Supplier = Some "Forge & Sons" }
      { Sku = "P-200"
        Name = "Bolt M8"
        Category = Part "steel"
        Price = Cents 35L
        Quantity = 400
        Supplier = Some "Boltz" }
      { Sku = "P-201"
        Name = "Washer"
        Category = Part "brass"
        Price = Cents 9L
        Quantity = 250
        Supplier = Some "Boltz" }
      { Sku = "C-300"; Name = "Glue"; Category = Consumable 180; Price = Cents 745L; Quantity = 3; Supplier = None }
      { Sku = "C-301"
        Name = "Paint"
        Category = Consumable 365
        Price = Money.ofEuros 24
        Quantity = 0
        Supplier = None } ]

let movements =
    [ Ship ("T-100", 5)
      Receive ("C-301", 20)
      Ship ("P-200", 500)
      Ship ("X-999", 1)
      Adjust ("P-201", 240, "count")
      Receive ("C-300", -2)
      Discontinue "C-300"
      Ship ("C-300", 1)
      Ship ("C-301", 20) ]

let describeCategory category =
    match category with
    | Tool -> "tool"
    | Part material -> sprintf "%s part" material
    | Consumable days when days > 200 -> "durable consumable"
    | Consumable days -> sprintf "consumable (%d days)" days

let describeProblem problem =
    match problem with
    | UnknownItem sku -> sprintf "there is no item %s" sku
    | NotEnough (sku, wanted, available) -> sprintf "only %d of %d %s left" available wanted sku
    | NegativeCount count -> sprintf "%d is no count" count

let describeMovement (number, movement) =
    let text =
        match movement with
        | Receive (sku, count) -> sprintf "+%d %s" count sku
        | Ship (sku, count) -> sprintf "-%d %s" count sku
        | Adjust (sku, count, reason) -> sprintf "%s = %d (%s)" sku count reason
        | Discontinue sku -> sprintf "%s discontinued" sku
    sprintf "#%d %s" number text

let printItems title items =
    printfn "%s" title
    for item in items do
        let supplier = item.Supplier |> Option.map (fun name -> " from " + name) |> Option.defaultValue ""
        printfn
            "  %-6s %-8s %5d x %10s  %s%s"
            item.Sku
            item.Name
            item.Quantity
            (Money.format item.Price)
            (describeCategory item.Category)
            supplier

/// The number of items and their value for each kind of category.
let byCategory inventory =
    let kind item =
        match item.Category with
        | Tool -> "tools"
        | Part _ -> "parts"
        | Consumable _ -> "consumables"
    Inventory.items inventory
    |> Seq.toList
    |> List.groupBy kind
    |> List.sortBy fst
    |> List.map (fun (name, items) ->
        let value =
            items |> List.map (fun item -> Money.multiply item.Quantity item.Price) |> List.fold Money.add Money.zero
        name, List.length items, value)

let suppliers inventory =
    Inventory.items inventory |> Seq.choose (fun item -> item.Supplier) |> Set.ofSeq

/// How much is shipped in all, by item.
let shipped inventory =
    inventory.History
    |> List.choose (fun (_, movement) ->
        match movement with
        | Ship (sku, count) -> Some (sku, count)
        | Receive _ | Adjust _ | Discontinue _ -> None)
    |> List.fold
           (fun totals (sku, count) ->
               let before = totals |> Map.tryFind sku |> Option.defaultValue 0
               Map.add sku (before + count) totals)
           Map.empty

/// Orders that bring every item up to a level.
let orders level inventory =
    seq {
        for item in Inventory.items inventory do
            let missing = level - item.Quantity
            if missing > 0 then
                yield item.Sku, missing
    }

let rec percentages total counts =
    match counts with
    | [] -> []
    | count :: rest -> float count * 100.0 / float total :: percentages total rest

[<EntryPoint>]
let main _ =
    let before = Inventory.ofItems stock
    printItems "Stock:" (Inventory.items before)
    printfn "Worth %s" (Money.format (Inventory.value before))

    let after, problems = Inventory.applyAll movements before
    printfn "%d problems:" (List.length problems)
    problems |> List.iteri (fun index problem -> printfn "  %d. %s" (index + 1) (describeProblem problem))

    printItems "Stock after all movements:" (Inventory.items after)
    printfn "Worth %s" (Money.format (Inventory.value after))
    printfn "History: %s" (after.History |> List.rev |> List.map describeMovement |> String.concat "; ")

    for name, count, value in byCategory after do
        printfn "%-12s %d kinds worth %s" name count (Money.format value)

    let low = Inventory.lowStock 10 after
    printfn "Low: %s" (low |> List.map (fun item -> sprintf "%s (%d)" item.Name item.Quantity) |> String.concat ", ")

    for KeyValue (sku, count) in shipped after do
        printfn "Shipped %d of %s" count sku

    printfn "Suppliers: %s" (suppliers after |> Set.toList |> String.concat ", ")
    printfn "Orders: %A" (orders 100 after |> Seq.truncate 5 |> Seq.toList)

    let counts = Inventory.items after |> Seq.map (fun item -> item.Quantity) |> Seq.toList
    let shares = percentages (List.sum counts) counts |> List.map (sprintf "%.1f%%")
    printfn "Shares: %s" (String.concat " " shares)

    match Inventory.tryFind "C-300" after with
    | Ok item -> printfn "There still is %s" item.Name
    | Error problem -> printfn "As expected, %s" (describeProblem problem)

    let unchanged = before.Items = (Inventory.ofItems (List.rev stock)).Items
    printfn "The order of items makes no difference: %b" unchanged
    if List.isEmpty problems then 0 else List.length problems
