set width 0
echo --- a backtrace through a closure\n
backtrace
echo --- a function value with its captures\n
up
print f
echo --- parameters and variables\n
up
info args
info locals
print outer
print outer.inner.wide
print counter.count
print list
print *counter
ptype outer
echo --- a module-level value, and the place of a call\n
frame 0
print total
echo --- captures by name\n
delete
break Values.show.fun.2
continue
info args
info locals
backtrace
echo --- a variable of an arm\n
delete
break values.clef:53
continue
print value
print doubled
echo --- a recursive function\n
delete
break values.clef:32
continue
backtrace
print value + below
echo --- the result of a function\n
finish
echo --- numbers with units, and enums\n
delete
break Values.stop
continue
up
info args
whatis area
ptype colour
echo --- cases that share memory\n
continue
up
info args
echo --- maps and sets\n
continue
up
info args
echo --- end\n
