# The test must be unchanged, and a further case must pass.
cat > more_test.go <<'EOF'
package shop

import "testing"

func TestPageOfOne(t *testing.T) {
	if got := Page([]string{"a", "b"}, 2, 1); len(got) != 1 || got[0] != "b" {
		t.Fatal(got)
	}
}
EOF
grep -q 'page 3: %v' page_test.go && go test ./...
