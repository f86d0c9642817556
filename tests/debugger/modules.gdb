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
echo --- end\n
