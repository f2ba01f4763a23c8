test ! -e util && test "$(go run .)" = Hello && grep -q '^package text' text/text.go
