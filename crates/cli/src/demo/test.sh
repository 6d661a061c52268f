# Tests price.sh: bash test.sh
. ./price.sh
failed=0
check() { # WHAT EXPECTED GOT
  if [ "$2" = "$3" ]; then echo "ok      $1"; else echo "FAILED  $1: expected $2, got $3"; failed=1; fi
}
check "total of 3 items at 4 each" 12 "$(total 3 4)"
check "10 percent off 200" 180 "$(discount 200 10)"
[ "$failed" = 0 ] && echo "all tests passed"
exit "$failed"
