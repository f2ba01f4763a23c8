package elicit_test

import (
	"encoding/json"
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

// A form says which values it accepts before the user enters any.
func TestWanted(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"string"}`:                                            "text",
		`{"type":"string","minLength":1}`:                              "text of at least 1 character",
		`{"type":"string","maxLength":20}`:                             "text of at most 20 characters",
		`{"type":"string","minLength":2,"maxLength":5}`:                "text of 2 to 5 characters",
		`{"type":"string","minLength":5,"maxLength":5}`:                "text of 5 characters",
		`{"type":"string","format":"date"}`:                            "a date, such as 2026-01-31",
		`{"type":"string","format":"email","maxLength":30}`:            "an email address, of at most 30 characters",
		`{"type":"string","pattern":"^[a-z]+$","minLength":3}`:         "text of at least 3 characters, matching ^[a-z]+$",
		`{"type":"integer","minimum":1,"maximum":9}`:                   "a whole number from 1 to 9",
		`{"type":"array","items":{"enum":["a","b","c"]},"minItems":2}`: "at least 2 of the choices",
	} {
		var field any
		if err := json.Unmarshal([]byte(schema), &field); err != nil {
			t.Fatal(err)
		}
		form, err := elicit.NewForm("shop", "order", "", map[string]any{"properties": map[string]any{"x": field}})
		if err != nil || form.Fields[0].Wanted() != want {
			t.Errorf("%s: got %+v, %v, want %q", schema, form.Fields, err, want)
		}
	}
}

// Spaces around a pasted address are no reason to reject it. Other text is not changed.
func TestParseSpaces(t *testing.T) {
	for format, want := range map[string]string{"email": "a@b.example", "": " a@b.example\n"} {
		if got, err := (elicit.Field{Kind: elicit.Text, Format: format}).Parse(" a@b.example\n"); err != nil || got != want {
			t.Errorf("%q: got %q, %v", format, got, err)
		}
	}
}
