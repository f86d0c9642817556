(* Expressions are parsed and evaluated by parser combinators. *)

external bench_size : unit -> (int[@untagged]) = "unused" "bench_size" [@@noalloc]
external bench_result : (int[@untagged]) -> (int[@untagged]) = "unused" "bench_result" [@@noalloc]

let satisfy condition = fun text index ->
  if index < String.length text && condition text.[index] then Some (text.[index], index + 1) else None

let map f parser = fun text index ->
  match parser text index with Some (value, next) -> Some (f value, next) | None -> None

let either first second = fun text index ->
  match first text index with Some result -> Some result | None -> second text index

let both first second = fun text index ->
  match first text index with
  | Some (one, next) -> map (fun other -> (one, other)) second text next
  | None -> None

(* A first part, and any number of more that are folded into it. *)
let chain first more folder = fun text index ->
  let rec rest value index =
    match more text index with Some (other, next) -> rest (folder value other) next | None -> Some (value, index)
  in
  match first text index with Some (value, next) -> rest value next | None -> None

let symbol wanted = satisfy (fun own -> own = wanted)
let digit = satisfy (fun own -> own >= '0' && own <= '9') |> map (fun own -> Char.code own - 48)
let number = chain digit digit (fun number digit -> ((number * 10) + digit) land 0xFFFF)

let calculate value (operator, operand) =
  match operator with
  | '+' -> (value + operand) land 0xFFFF
  | '-' -> (value - operand) land 0xFFFF
  | _ -> (value * operand) land 0x7FFF

let rec expression text index =
  chain term (both (either (symbol '+') (symbol '-')) term) calculate text index

and term text index = chain factor (both (symbol '*') factor) calculate text index

and factor text index =
  let inner = both (symbol '(') (both expression (symbol ')')) |> map (fun (_, (value, _)) -> value) in
  either number inner text index

let texts =
  [| "1+2*3-4"; "(12+34)*(56-7)*2"; "((1+2)*(3+4)+5)*(6+(7*(8+9)))"; "100*200-300*(4+5*(6-7*(8+9)))+1234" |]

let run size =
  let sum = ref 0 in
  for round = 1 to size do
    match expression texts.(round land 3) 0 with
    | Some (value, stop) -> sum := ((!sum * 31) lxor (value + stop)) land 0xFFFFFF
    | None -> sum := 0
  done;
  !sum

let () = ignore (bench_result (run (bench_size ())))
