module Main

open Lab.Units
open Lab.Units.Constants
module T = Lab.Trees
open Lab.Trees

let describe n =
    match n with
    | Answer -> "the answer"
    | _ -> "no answer"

let distance (time: float<s>) : float<m> = speed * time

[<EntryPoint>]
let main argv =
    let tree = [ 5; 1; 9; 3 ] |> List.fold (fun tree value -> T.insert value tree) Leaf
    printfn "%A depth %d" (T.toList tree) (T.depth tree)
    printfn "%s %s %d" (describe 42) (describe 41) (get 2)
    printfn "%.1f %d %.1f %d" (float (distance 2.0<s>)) (twice 4) (twice 1.5) (1 +++ 2 +++ 3)
    counter <- counter + 1
    printfn "%d %d" counter Constants.counter
    let kind = Kind.Some 3
    match kind, Level.High with
    | Kind.Some n, Level.High -> printfn "%d high" n
    | _ -> printfn "other"
    printfn "%s" (Unopened.show { Label = "global"; Size = 4 })
    match Some 1 with
    | Some n -> n
    | None -> 0
