set width 0
echo --- a backtrace through closures that are inlined\n
backtrace 7
echo --- the place of a call in an inlined closure\n
up
up
up
list 22,22
echo --- parameters and variables of inlined functions\n
frame 1
info args
info locals
frame 4
info args
echo --- end\n
