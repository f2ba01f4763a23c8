package elicit_test

import (
	"strings"
	"testing"
	"time"

	"agent/internal/elicit"
)

// The expression of a server is checked while the user waits, so a form with one that takes
// long is not shown.
func TestExpensivePatterns(t *testing.T) {
	for pattern, shown := range map[string]bool{
		`^[A-Z]{2}\d{4}-(?:red|green)$`: true,
		`^\S(?:.{0,498}\S)?$`:           true,
		`(`:                             false,
		strings.Repeat("a", 501):        false,
		strings.Repeat("[a-z]", 1<<18):  false,
		`^(` + strings.Repeat(`(?:.?.?.?){900}|`, 25) + `a)$`: false,
		"(" + strings.Repeat(`(?:.?){900}|`, 40) + "a)$":      false,
	} {
		schema := map[string]any{"properties": map[string]any{"code": map[string]any{"type": "string", "pattern": pattern, "default": strings.Repeat("x", 2000)}}}
		begun := time.Now()
		form, err := elicit.NewForm("shop", "order", "", schema)
		if err == nil {
			_ = form.Fields[0].Check(strings.Repeat("x", 2000))
		}
		if (err == nil) != shown {
			t.Errorf("%.40q: %v", pattern, err)
		}
		if took := time.Since(begun); took > 4*time.Second {
			t.Errorf("%.40q took %s", pattern, took)
		}
	}
}
