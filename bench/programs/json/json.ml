(* A text of JSON is parsed into a tree, whose values are summed up. *)

external bench_size : unit -> (int[@untagged]) = "unused" "bench_size" [@@noalloc]
external bench_result : (int[@untagged]) -> (int[@untagged]) = "unused" "bench_result" [@@noalloc]

type json =
  | Null
  | Bool of bool
  | Number of int
  | Text of string
  | Items of json list
  | Fields of (string * json) list

let peek text index = if index < String.length text then text.[index] else '\000'
let is_digit c = c >= '0' && c <= '9'

let rec digits text index value =
  if is_digit (peek text index) then digits text (index + 1) ((value * 10) + Char.code (peek text index) - 48)
  else (value, index)

let quoted text start =
  let stop = String.index_from text start '"' in
  (String.sub text start (stop - start), stop + 1)

let rec value text index =
  match peek text index with
  | '{' -> fields text (index + 1) []
  | '[' -> items text (index + 1) []
  | '"' ->
    let content, next = quoted text (index + 1) in
    (Text content, next)
  | 't' -> (Bool true, index + 4)
  | 'f' -> (Bool false, index + 5)
  | 'n' -> (Null, index + 4)
  | '-' ->
    let number, next = digits text (index + 1) 0 in
    (Number (-number), next)
  | _ ->
    let number, next = digits text index 0 in
    (Number number, next)

and items text index before =
  match peek text index with
  | ']' -> (Items (List.rev before), index + 1)
  | ',' -> items text (index + 1) before
  | _ ->
    let item, next = value text index in
    items text next (item :: before)

and fields text index before =
  match peek text index with
  | '}' -> (Fields (List.rev before), index + 1)
  | ',' -> fields text (index + 1) before
  | _ ->
    let name, next = quoted text (index + 1) in
    let field, next = value text (next + 1) in
    fields text next ((name, field) :: before)

let rec total json =
  match json with
  | Null -> 1
  | Bool is_true -> if is_true then 2 else 3
  | Number number -> number
  | Text content -> String.length content
  | Items items -> List.fold_left (fun sum item -> ((sum * 3) + total item) land 0xFFFF) 7 items
  | Fields fields ->
    List.fold_left (fun sum (name, field) -> ((sum * 5) + String.length name + total field) land 0xFFFF) 11 fields

let texts =
  [| {|{"name":"pump","id":7,"on":true,"limits":[10,25,-3,400],"note":null}|};
     {|[{"area":12,"doors":[1,2,3],"use":"office"},{"area":30,"doors":[],"use":"store"},{"area":-1,"open":false}]|} |]

let run size =
  let sum = ref 0 in
  for round = 1 to size do
    let json, stop = value texts.(round land 1) 0 in
    sum := ((!sum * 31) lxor (total json + stop)) land 0xFFFFFF
  done;
  !sum

let () = ignore (bench_result (run (bench_size ())))
