module Survey.Answers

open Statistics

type Answer =
    | Named of string
    | Measured of Numbers.Number
    | Skipped

/// A function that asks, with the question that its creator received.
let asker (prompt: string) =
    fun (what: string) ->
        Console.write $"{prompt} {what}: "
        Console.readln ()

let answer (ask: string -> string) (what: string) : Answer =
    match ask what |> String.trim with
    | "" -> Skipped
    | text when Char.isDigit text.[0] || text.[0] = '-' -> Measured (Numbers.ofText text)
    | text -> Named text
