test "$(go run .)" = 'true false' && ! grep -nE 'full|restock' stock.go && go vet ./... && test -z "$(gofmt -l .)"
