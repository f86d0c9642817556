module Survey.Main

open Console
open Survey
open Survey.Answers

let private isVerbose (arguments: string[]) = Array.exists (fun argument -> argument = "--verbose") arguments

let rec private others (ask: string -> string) (found: Answer list) =
    match answer ask "another" with
    | Skipped -> List.rev found
    | known -> others ask (known :: found)

[<EntryPoint>]
let main argv =
    let greet greeting = fun name -> Report.show $"{greeting}, {name}!"
    argv.[0] |> greet "Hello"
    let ask = asker (if isVerbose argv then "Please tell" else "?")
    let fixedAnswers = [ "the place"; "the count" ] |> List.map (answer ask)
    let answers = fixedAnswers @ others ask []
    Report.show ""
    answers |> List.iter (Report.describe >> Report.detail)
    Report.summary answers
    Statistics.Sequences.first 5 (fun i -> i * argv.Length)
    |> Seq.filter (fun n -> n % 4 <> 2)
    |> Seq.map string
    |> String.concat " "
    |> Report.show
    Array.length argv + (if String.includes "love" (String.toLower argv.[0]) then 1 else 0)
