set width 0
echo --- one region has ended\n
up
info locals
echo --- all have ended\n
continue
up
info locals
echo --- state of a loop\n
continue
up
info locals
continue
up
info locals
echo --- after the loop\n
continue
up
info locals
echo --- state of calls\n
continue
up
info args
continue
up
info args
echo --- end\n
