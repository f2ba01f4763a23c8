package edit_test

import (
	"errors"
	"testing"

	"agent/internal/tools/edit"
)

func TestLineNumbersOfAListingAreIgnored(t *testing.T) {
	const file = "a\n\tb\n\tb2\nc\n"
	for name, c := range map[string]struct{ before, old, new, want string }{ // no want: not found
		"both":                       {file, "2\t\tb\n3\t\tb2", "2\t\tB\n3\t\tB2", "a\n\tB\n\tB2\nc\n"},
		"old only":                   {file, "2\t\tb\n3\t\tb2\n", "\tB\n", "a\n\tB\nc\n"},
		"padded":                     {file, "     2\t\tb\n     3\t\tb2\n", "     2\t\tB\n", "a\n\tB\nc\n"},
		"more new lines":             {file, "4\tc\n", "4\tc\n5\td\n", "a\n\tb\n\tb2\nc\nd\n"},
		"deleted":                    {file, "4\tc\n", "", "a\n\tb\n\tb2\n"},
		"other numbers":              {file, "7\ta\n8\t\tb\n", "7\tA\n", "A\n\tb2\nc\n"}, // the file has changed since
		"numbers of the file":        {"1\tx\n2\ty\n", "1\tx\n", "3\tz\n", "3\tz\n2\ty\n"},
		"new begins elsewhere":       {file, "2\t\tb\n3\t\tb2\n", "9\tx\n", ""},
		"new partly numbered":        {file, "2\t\tb\n3\t\tb2\n", "2\t\tB\n\tB2\n", ""},
		"old partly numbered":        {file, "2\t\tb\n\tb2\n", "\tB\n", ""},
		"not in sequence":            {file, "1\ta\n3\t\tb2\n", "1\tA\n", ""},
		"a numbered file, listed":    {"1\tx\n2\ty\n", "5\t1\tx\n", "5\t1\tz\n", ""},
		"several places":             {"x\nx\n", "1\tx", "1\ty", ""},
		"new is numbered text twice": {file, "2\t\tb\n", "2\t3\tx\n", ""},
		"another row of a table":     {"8\tfoo\n9\tbar\n", "7\tfoo", "7\tbaz", ""},
		"nothing else":               {file, "2\t\n", "x", ""},
	} {
		r, err := edit.ReplaceListed(t.Context(), []byte(c.before), []byte(c.old), []byte(c.new), false)
		if _, missing := errors.AsType[*edit.NotFoundError](err); missing != (c.want == "") || err != nil && !missing {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err == nil && (string(r.After) != c.want || r.Numbered != (name != "numbers of the file")) {
			t.Errorf("%s: got %q, %v, want %q", name, r.After, r.Numbered, c.want)
		}
	}
}
