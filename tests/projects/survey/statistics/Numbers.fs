module Statistics.Numbers

/// A number as it was written: with a point, or without.
type Number =
    | Whole of int
    | Decimal of float

let ofText (text: string) : Number =
    if String.contains text '.' then Decimal (Parse.float text) else Whole (Parse.int text)

let toFloat (number: Number) : float =
    match number with
    | Whole n -> float n
    | Decimal x -> x

let show (number: Number) : string =
    match number with
    | Whole n -> Format.int n
    | Decimal x -> Format.float x

let add (a: Number) (b: Number) : Number =
    match a, b with
    | Whole x, Whole y -> Whole (x + y)
    | _ -> Decimal (toFloat a + toFloat b)
