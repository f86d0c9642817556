module Survey.Report

open Console
open Survey.Answers
open Statistics

let private line (indent: int) text = Console.writeln (String.concat2 (String.replicate indent " ") text)

let show = line 0
let detail = line 2

let describe (answer: Answer) : string =
    match answer with
    | Named name -> "name " + name
    | Measured number -> "number " + Numbers.show number
    | Skipped -> "nothing"

let summary (answers: Answer list) : unit =
    let numbers = answers |> List.choose (fun answer -> match answer with Measured n -> Some n | _ -> None)
    show $"{List.length answers} answers, {List.length numbers} numbers"
    for total in Sequences.totals Numbers.add (Numbers.Whole 0) numbers do
        detail (Numbers.show total)
