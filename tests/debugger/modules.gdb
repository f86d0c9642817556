set width 0
echo --- values of the module of the frame\n
print total
print Modules.total
print place
echo --- values of other modules\n
print Modules.Board.total
print Board.total + Board.Inner.total
print Board.table
print Modules.Board.Inner.label
print Tree.shown
echo --- constants\n
print Board.limit
print Board.letter
print Board.enabled
print Board.ratio
echo --- a module\n
print Board
whatis Board
ptype Board.Inner
info variables -q ^Modules.*total
echo --- a change\n
set var Board.total = 5
print Modules.Board.total
print *&Board.total
echo --- the source of the library\n
delete
break Modules.sum
continue
set suppress-cli-notifications on
python
# On some processors a step ends before the parameters are stored, at the first line of the function.
gdb.execute("step")
place = gdb.selected_frame().find_sal()
with open(place.symtab.fullname()) as source:
    if "let " in source.readlines()[place.line - 1]:
        gdb.execute("step")
end
frame
print otherwise
print value
print Modules.Board.Inner.total
echo --- end\n
