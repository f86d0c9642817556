[<AutoOpen>]
module Drawing.Log

let private prefix = "> "
let lines = ref 0

let log (text: string) =
    lines := !lines + 1
    Console.writeln $"{prefix}{!lines} {text}"

log "log"
