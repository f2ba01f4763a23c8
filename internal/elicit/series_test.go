package elicit_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/elicit"
)

// series returns the series for a form with these fields, as JSON.
func series(t *testing.T, required, fields string) (elicit.Series, error) {
	t.Helper()
	var schema any
	if err := json.Unmarshal([]byte(`{"type":"object","required":[`+required+`],"properties":{`+fields+`}}`), &schema); err != nil {
		t.Fatal(err)
	}
	return elicit.NewSeries(elicit.Form{Server: "shop", Tool: "order", Message: "Which one?"}, schema)
}

// typed returns a function that gives these answers, one after the other.
func typed(asked *[]elicit.Question, answers ...string) func(elicit.Question) (elicit.Answer, error) {
	return func(q elicit.Question) (elicit.Answer, error) {
		*asked = append(*asked, q)
		if len(answers) == 0 {
			return elicit.Answer{}, errors.New("asked too often")
		}
		a := elicit.Answer{Action: elicit.Accept, Text: answers[0]}
		if rest, ok := strings.CutPrefix(answers[0], "#"); ok {
			for _, r := range rest {
				a.Choices = append(a.Choices, int(r-'0'))
			}
		}
		answers = answers[1:]
		return a, nil
	}
}

// A question says which values it accepts. A wrong one is asked for again, with the reason.
func TestValues(t *testing.T) {
	for _, c := range []struct {
		field, wanted string
		wrong         []string
		right         string
		want          any
	}{
		{`{"type":"string"}`, "text", []string{"", " \n"}, " a\n", " a\n"},
		{`{"type":"string","minLength":2}`, "text of at least 2 characters", []string{"é"}, "éé", "éé"},
		{`{"type":"string","maxLength":1}`, "text of at most 1 character", []string{"ab"}, "a", "a"},
		{`{"type":"string","minLength":2,"maxLength":5}`, "text from 2 to 5 characters", []string{"a", "abcdef"}, "abc", "abc"},
		{`{"type":"string","minLength":5,"maxLength":5}`, "text of exactly 5 characters", []string{"a", "abcdef"}, "abcde", "abcde"},
		{`{"type":"string"}`, "text", []string{"\xff"}, "x", "x"},
		{`{"type":"string","format":"date"}`, "a date, such as 2026-01-31", []string{"tomorrow", "2026-02-31"}, "2026-02-28\n", "2026-02-28"},
		{`{"type":"string","format":"date-time"}`, "a date and time, such as 2026-01-31T10:00:00Z", []string{"2026-01-31"}, "2026-01-31T10:00:00Z", "2026-01-31T10:00:00Z"},
		{`{"type":"string","format":"email"}`, "an email address", []string{"a", "A <a@b.example>"}, " a@b.example\n", "a@b.example"},
		{`{"type":"string","format":"uri"}`, "a URL, such as https://example.com", []string{"a b"}, "https://a.example", "https://a.example"},
		{`{"type":"integer","minimum":1,"maximum":9}`, "a whole number from 1 to 9", []string{"x", "0", "10", "1.5", "NaN"}, " 9", 9.0},
		{`{"type":"integer"}`, "a whole number", []string{"1e300"}, "-1", -1.0},
		{`{"type":"number","minimum":0.5}`, "a number of at least 0.5", []string{"0.4", "Inf"}, "1e3", 1000.0},
		{`{"type":"boolean"}`, "one of the choices", []string{"yes", "#", "#01", "#7"}, "#1", false},
		{`{"type":"string","enum":["r","g"],"enumNames":["Red"]}`, "one of the choices", []string{"g", "#2"}, "#1", "g"},
		{`{"type":"string","oneOf":[{"const":"r","title":"Red"}]}`, "one of the choices", []string{"#1"}, "#0", "r"},
		{`{"type":"array","items":{"enum":["a","b","c"]},"minItems":1,"maxItems":2}`, "a selection from 1 to 2 choices", []string{"#", "#012"}, "#20", []any{"a", "c"}},
		{`{"type":"array","items":{"anyOf":[{"const":"a"}]}}`, "a selection", nil, "#", []any{}},
	} {
		s, err := series(t, `"x"`, `"x":`+c.field)
		if err != nil {
			t.Errorf("%s: %v", c.field, err)
			continue
		}
		var asked []elicit.Question
		got, err := s.Ask(typed(&asked, append(c.wrong, c.right)...))
		if diff := cmp.Diff(elicit.Reply{Action: elicit.Accept, Values: map[string]any{"x": c.want}}, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", c.field, err, diff)
		}
		for i, q := range asked {
			problem := ""
			if i > 0 {
				problem = "the answer must be " + c.wanted
			}
			if q.Wanted != c.wanted+", required" || q.Problem != problem && q.Problem != "a value is required" {
				t.Errorf("%s: question %d wants %q because of %q", c.field, i, q.Wanted, q.Problem)
			}
		}
	}
}

// Required values are asked for first. Defaults are preselected, unless the field cannot have
// them. Optional values can be left out.
func TestSeries(t *testing.T) {
	s, err := series(t, `"name"`, `
		"age": {"type":"integer","default":7},
		"color": {"type":"string","title":"Color","description":"of the door","enum":["r","g"],"default":"g"},
		"fast": {"type":"boolean","default":false},
		"mail": {"type":"string","format":"email","default":"none"},
		"name": {"type":"string"},
		"pets": {"type":"array","items":{"enum":["cat","dog"]},"default":["dog"]}`)
	if err != nil {
		t.Fatal(err)
	}
	var asked []elicit.Question
	got, err := s.Ask(typed(&asked, "Ann", "", "#1", "#1", "", "#"))
	if diff := cmp.Diff(elicit.Reply{Action: elicit.Accept, Values: map[string]any{"name": "Ann", "color": "g", "fast": false}}, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	form := func(at int, typed bool, wanted, text string, selected ...int) elicit.Form {
		return elicit.Form{Server: "shop", Tool: "order", Message: "Which one?", At: at, Of: 6, Typed: typed, Optional: true, Wanted: wanted + ", optional", Default: text, Selected: selected}
	}
	first := form(1, true, "", "")
	first.Wanted, first.Optional = "text, required", false
	want := []elicit.Question{
		{Form: first, Text: "name"},
		{Form: form(2, true, "a whole number", "7"), Text: "age"},
		{Form: form(3, false, "one of the choices", "", 1), Text: "Color: of the door", Choices: []string{"r", "g"}},
		{Form: form(4, false, "one of the choices", "", 1), Text: "fast", Choices: []string{"Yes", "No"}},
		{Form: form(5, true, "an email address", ""), Text: "mail"},
		{Form: form(6, false, "a selection", "", 1), Text: "pets", Choices: []string{"cat", "dog"}, Many: true},
	}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Error(diff)
	}
}

// A series that the user does not finish, or answers wrongly too often, gives no values.
func TestUnfinishedSeries(t *testing.T) {
	s, err := series(t, "", `"a":{"type":"string"},"b":{"type":"integer"}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, last := range []elicit.Answer{{Action: elicit.Decline}, {Action: elicit.Decline, Why: "no"}, {Action: elicit.Cancel}} {
		answers := []elicit.Answer{{Action: elicit.Accept, Text: "x"}, last}
		got, err := s.Ask(func(elicit.Question) (elicit.Answer, error) {
			a := answers[0]
			answers = answers[1:]
			return a, nil
		})
		if diff := cmp.Diff(elicit.Reply{Action: last.Action, Why: last.Why}, got); diff != "" || err != nil {
			t.Error(err, diff)
		}
	}
	n := 0
	got, err := s.Ask(func(elicit.Question) (elicit.Answer, error) {
		n++
		return elicit.Answer{Action: elicit.Accept, Text: "x"}, nil
	})
	if want := (elicit.Reply{Action: elicit.Decline, Why: "too many answers were not valid"}); !cmp.Equal(got, want) || err != nil || n != 22 {
		t.Errorf("after %d answers: %+v, %v", n, got, err)
	}
}

// A form that is no short series of simple values is not asked.
func TestOtherForms(t *testing.T) {
	many := `"f0":{"type":"string"}`
	for i := 1; i < 9; i++ {
		many += fmt.Sprintf(`,"f%d":{"type":"string"}`, i)
	}
	for fields, want := range map[string]string{
		many: "it has 9 fields, more than 8",
		`"a":{"type":"object","properties":{"b":{"type":"string"}}}`:               `its field "a": values of the type "object" without choices are not supported`,
		`"a":{"type":"array","items":{"type":"string"}}`:                           `its field "a": values of the type "array" without choices are not supported`,
		`"a":{"type":["string","null"]}`:                                           "its schema has a value of a wrong type",
		`"a":{}`:                                                                   `its field "a": values of the type "" without choices are not supported`,
		`"a":{"type":"string","format":"color"}`:                                   `its field "a": its format "color" is not supported`,
		`"a":{"type":"string","enum":["` + strings.Repeat(`x","`, 20) + `"]}`:      `its field "a": it has 21 choices, more than 20`,
		`"a":{"type":"string","description":"` + strings.Repeat("x", 1<<14) + `"}`: "its schema is longer than 16384 bytes",
	} {
		if _, err := series(t, "", fields); err == nil || err.Error() != want {
			t.Errorf("%.60s: got %v, want %s", fields, err, want)
		}
	}
	if _, err := series(t, `"b"`, `"a":{"type":"string"}`); err == nil {
		t.Error("a form that requires an unknown field is asked")
	}
}

// A choice of a server shows the value that is sent if its title is another word.
func TestChoicesShowTheirValues(t *testing.T) {
	var schema any
	if err := json.Unmarshal([]byte(`{"type":"object","properties":{"a":{"type":"string","enum":["DELETE-ALL","keep","Red"],"enumNames":["Decline","","red"]}}}`), &schema); err != nil {
		t.Fatal(err)
	}
	s, err := elicit.NewSeries(elicit.Form{Server: "x", Message: "m"}, schema)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = s.Ask(func(q elicit.Question) (elicit.Answer, error) {
		if got := strings.Join(q.Choices, "|"); got != "Decline (DELETE-ALL)|keep|red" {
			t.Errorf("got %s", got)
		}
		return elicit.Answer{Action: elicit.Decline}, nil
	})
}
