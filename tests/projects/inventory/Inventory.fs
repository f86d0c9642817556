namespace Warehouse

/// Amounts of money in cents, so that sums are exact.
type Money = Cents of int64

module Money =
    let zero = Cents 0L
    let ofEuros (euros: int) = Cents (int64 euros * 100L)
    let add (Cents left) (Cents right) = Cents (left + right)
    let multiply (count: int) (Cents amount) = Cents (int64 count * amount)

    let format (Cents amount) =
        let sign = if amount < 0L then "-" else ""
        let magnitude = abs amount
        sprintf "%s%d.%02d EUR" sign (magnitude / 100L) (magnitude % 100L)

type Category =
    | Tool
    | Part of material: string
    | Consumable of shelfLife: int

type Item =
    { Sku: string
      Name: string
      Category: Category
      Price: Money
      Quantity: int
      Supplier: string option }

type Movement =
    | Receive of sku: string * count: int
    | Ship of sku: string * count: int
    | Adjust of sku: string * count: int * reason: string
    | Discontinue of sku: string

type Problem =
    | UnknownItem of string
    | NotEnough of sku: string * wanted: int * available: int
    | NegativeCount of int

/// The stock, and what happened to it, the latest first.
type Inventory =
    { Items: Map<string, Item>
      History: (int * Movement) list
      Next: int }

module Inventory =
    let empty = { Items = Map.empty; History = []; Next = 1 }

    let add item inventory =
        { inventory with Items = Map.add item.Sku item inventory.Items }

    let ofItems items =
        List.fold (fun inventory item -> add item inventory) empty items

    let tryFind sku inventory =
        match Map.tryFind sku inventory.Items with
        | Some item -> Ok item
        | None -> Error (UnknownItem sku)

    let private positive count =
        if count < 0 then Error (NegativeCount count) else Ok count

    let private change sku by inventory =
        tryFind sku inventory
        |> Result.map (fun item -> add { item with Quantity = item.Quantity + by } inventory)

    let private enough sku count inventory =
        match tryFind sku inventory with
        | Ok item when item.Quantity < count -> Error (NotEnough (sku, count, item.Quantity))
        | other -> other

    let apply movement inventory =
        let changed =
            match movement with
            | Receive (sku, count) -> positive count |> Result.bind (fun count -> change sku count inventory)
            | Ship (sku, count) ->
                positive count
                |> Result.bind (fun count -> enough sku count inventory |> Result.map (fun _ -> count))
                |> Result.bind (fun count -> change sku -count inventory)
            | Adjust (sku, count, _) ->
                tryFind sku inventory |> Result.map (fun item -> add { item with Quantity = count } inventory)
            | Discontinue sku ->
                tryFind sku inventory
                |> Result.map (fun _ -> { inventory with Items = Map.remove sku inventory.Items })
        changed
        |> Result.map (fun changed ->
            { changed with
                History = (inventory.Next, movement) :: inventory.History
                Next = inventory.Next + 1 })

    /// Applies all movements; those that cannot be applied are left out and reported.
    let applyAll movements inventory =
        let step (inventory, problems) movement =
            match apply movement inventory with
            | Ok changed -> changed, problems
            | Error problem -> inventory, problem :: problems
        let inventory, problems = List.fold step (inventory, []) movements
        inventory, List.rev problems

    let items inventory = inventory.Items |> Map.toSeq |> Seq.map snd

    let value inventory =
        items inventory
        |> Seq.map (fun item -> Money.multiply item.Quantity item.Price)
        |> Seq.fold Money.add Money.zero

    let lowStock limit inventory =
        items inventory
        |> Seq.filter (fun item -> item.Quantity < limit)
        |> Seq.sortBy (fun item -> item.Quantity, item.Sku)
        |> Seq.toList
