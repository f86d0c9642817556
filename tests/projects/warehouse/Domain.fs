module Warehouse.Domain

/// Money in cents
type Money = Cents of int64

[<Measure>] type kg

type Category =
    | Food of perishable: bool
    | Tool
    | Toy of minAge: int

type Item =
    { Id: int
      Name: string
      Category: Category
      Weight: float<kg>
      Price: Money
      Tags: string list }

type Event =
    | Received of item: Item * quantity: int
    | Sold of id: int * quantity: int
    | Adjusted of id: int * delta: int * reason: string option
    | Audit

type Stock =
    { Items: Map<int, Item>
      Levels: Map<int, int>
      Log: string list }

module Money =
    let zero = Cents 0L
    let add (Cents a) (Cents b) = Cents (a + b)
    let times n (Cents a) = Cents (int64 n * a)
    let show (Cents c) = sprintf "%d.%02d" (c / 100L) (c % 100L)

module Category =
    let describe = function
        | Food true -> "fresh food"
        | Food false -> "food"
        | Tool -> "tool"
        | Toy age when age >= 12 -> sprintf "toy for teenagers (%d+)" age
        | Toy age -> $"toy ({age}+)"

let empty = { Items = Map.empty; Levels = Map.empty; Log = [] }

let private note text stock = { stock with Log = text :: stock.Log }

let levelOf id stock = stock.Levels |> Map.tryFind id |> Option.defaultValue 0

let private change id delta stock =
    let level = levelOf id stock + delta
    if level < 0 then Error (sprintf "item %d: %d short" id -level)
    else Ok { stock with Levels = Map.add id level stock.Levels }

let apply stock event =
    match event with
    | Received (item, quantity) when quantity <= 0 -> Error $"nothing of {item.Name}"
    | Received ({ Id = id } as item, quantity) ->
        { stock with Items = Map.add id item stock.Items }
        |> change id quantity
        |> Result.map (note $"+{quantity} {item.Name}")
    | Sold (id, quantity) ->
        match Map.tryFind id stock.Items with
        | None -> Error (sprintf "no item %d" id)
        | Some item ->
            change id -quantity stock |> Result.map (note (sprintf "-%d %s" quantity item.Name))
    | Adjusted (id, delta, reason) ->
        let why = match reason with Some r -> r | None -> "no reason"
        change id delta stock |> Result.map (note (sprintf "%+d #%d (%s)" delta id why))
    | Audit -> Ok (note "audit" stock)
