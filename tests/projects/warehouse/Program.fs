module Warehouse.Program

open Warehouse.Domain

let catalogue =
    [ { Id = 1; Name = "apple"; Category = Food true; Weight = 0.2<kg>; Price = Cents 45L; Tags = [ "fruit"; "red" ] }
      { Id = 2; Name = "hammer"; Category = Tool; Weight = 1.25<kg>; Price = Cents 1999L; Tags = [] }
      { Id = 3; Name = "puzzle"; Category = Toy 12; Weight = 0.8<kg>; Price = Cents 2450L; Tags = [ "paper" ] }
      { Id = 4
        Name = "rice"
        Category = Food false
        Weight = 1.0<kg>
        Price = Cents 299L
        Tags = [ "grain"; "white" ] } ]

let byName = catalogue |> List.map (fun item -> item.Name, item) |> Map.ofList

let events =
    seq {
        for item in catalogue do
            yield Received (item, 10 * item.Id)
        yield Sold (1, 3)
        yield Sold (2, 25)
        yield Sold (9, 1)
        yield Adjusted (3, -2, Some "damaged")
        yield Adjusted (4, 5, None)
        yield Audit
        if Map.containsKey "rice" byName then
            yield! [ Sold (4, 40); Sold (4, 6) ]
    }

let run events =
    let step (stock, errors) event =
        match apply stock event with
        | Ok next -> next, errors
        | Error message -> stock, message :: errors
    let stock, errors = events |> Seq.fold step (empty, [])
    stock, List.rev errors

let value stock =
    stock.Levels
    |> Map.toSeq
    |> Seq.map (fun (id, level) -> Money.times level stock.Items.[id].Price)
    |> Seq.fold Money.add Money.zero

let report stock =
    printfn "%-10s|%6s|%8s|%10s| %s" "item" "level" "kg" "value" "category"
    printfn "%s" (String.replicate 56 "-")
    for KeyValue (id, item) in stock.Items do
        let level = levelOf id stock
        let weight = float level * item.Weight
        printfn
            "%-10s|%6d|%8.2f|%10s| %s"
            item.Name
            level
            (float weight)
            (Money.show (Money.times level item.Price))
            (Category.describe item.Category)

let rec combinations n list =
    match n, list with
    | 0, _ -> [ [] ]
    | _, [] -> []
    | n, head :: tail -> List.map (fun rest -> head :: rest) (combinations (n - 1) tail) @ combinations n tail

let primes limit =
    let rec sieve = function
        | [] -> []
        | p :: rest -> p :: sieve (List.filter (fun n -> n % p <> 0) rest)
    sieve [ 2 .. limit ]

let histogram (text: string) =
    text
    |> Seq.filter Char.isLetter
    |> Seq.countBy Char.toLower
    |> Seq.sortByDescending snd
    |> Seq.truncate 3
    |> Seq.toList

let collatz =
    Seq.unfold (fun n ->
        if n = 0 then None elif n = 1 then Some (1, 0) else Some (n, if n % 2 = 0 then n / 2 else 3 * n + 1))

[<EntryPoint>]
let main argv =
    let stock, errors = run events
    report stock
    printfn "total %s" (value stock |> Money.show)
    errors |> List.iteri (fun i e -> printfn "error %d: %s" (i + 1) e)
    stock.Log |> List.rev |> String.concat "; " |> printfn "%s"
    let tags = catalogue |> List.collect (fun item -> item.Tags) |> Set.ofList
    printfn "%A" tags
    let groups = catalogue |> List.groupBy (fun item -> match item.Category with Food _ -> "food" | _ -> "other")
    for name, items in groups do
        printfn "%s: %s" name (items |> List.map (fun item -> item.Name) |> String.concat ", ")
    printfn "%A" (combinations 2 [ 'a'; 'b'; 'c'; 'd' ] |> List.map (fun l -> String.ofList l))
    printfn "%A" (primes 50)
    printfn "%A" (histogram "The quick brown fox jumps over the lazy dog")
    printfn "%s" (collatz 27 |> Seq.take 10 |> Seq.map string |> String.concat " ")
    let squares = [| for i in 1..5 -> i * i |]
    squares.[2] <- -squares.[2]
    printfn "%A %d" squares (Array.sumBy abs squares)
    let heaviest = catalogue |> List.maxBy (fun item -> item.Weight)
    printfn "%A" heaviest
    let avg = catalogue |> List.averageBy (fun i -> float i.Weight)
    printfn "%.3f %g %e" avg avg avg
    let x, y = (3, "three"), [ Some 1; None ]
    printfn "%A %A %O" x y (Some 2.5)
    let mutable i = 0
    while i < 3 do
        printf "%d%s" i (if i < 2 then "," else "\n")
        i <- i + 1
    if List.length errors = 3 then 0 else 1
