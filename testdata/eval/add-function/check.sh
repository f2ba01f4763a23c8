cat > hidden_test.go <<'EOF'
package shop

import "testing"

func TestHidden(t *testing.T) {
	for _, c := range []struct{ off, want int }{{0, 350}, {10, 315}, {33, 234}, {100, 0}} {
		if got := Total([]int{100, 250}, c.off); got != c.want {
			t.Errorf("%d %%: %d, want %d", c.off, got, c.want)
		}
	}
}
EOF
ls *_test.go | grep -qv hidden_test.go && go vet ./... && go test ./...
