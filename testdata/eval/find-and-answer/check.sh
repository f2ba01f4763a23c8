answer=$(cat)
echo "$answer" | grep -q 'transport\.go' && echo "$answer" | grep -qw 7 && echo "$answer" | grep -qw 4 && test "$(ls client | wc -l)" -eq 3
