package plan_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/loop/event"
	"agent/internal/loop/plan"
)

var full = event.Plan{
	Title: "Split server.go", Steps: []string{"Move the handlers to `handlers.go`", "Run the tests"},
	Files: []string{"server.go", "handlers.go"}, Risks: []string{"An import cycle"}, Checks: []string{"go test ./..."},
	Notes: "The handlers share no state.\n\n- see issue 12",
}

// A plan that was written is read back unchanged.
func TestMarkdownIsReadBack(t *testing.T) {
	const want = `# Split server.go

## Steps

1. Move the handlers to ` + "`handlers.go`" + `
2. Run the tests

## Files

- server.go
- handlers.go

## Risks

- An import cycle

## Checks

- go test ./...

## Notes

The handlers share no state.

- see issue 12
`
	if d := cmp.Diff(plan.Markdown(full), want); d != "" {
		t.Error(d)
	}
	for _, p := range []event.Plan{full, {Title: "Step 1 of 2: b", Steps: []string{"# d", "- e", "1. f"}}} {
		if d := cmp.Diff(plan.Parse(plan.Markdown(p)), p); d != "" {
			t.Error(d)
		}
	}
}

// A plan stays readable after an edit, and freely written plans can be read.
func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want event.Plan
	}{
		"numbers removed":         {"# T\n\n## Steps\n\na\nb\n", event.Plan{Title: "T", Steps: []string{"a", "b"}}},
		"renumbered":              {"# T\n\n## Steps\n\n3. a\n1) b\n1. c\n", event.Plan{Title: "T", Steps: []string{"a", "b", "c"}}},
		"bullets and check boxes": {"# T\n\n## Steps\n\n- a\n* [ ] b\n- [x] c", event.Plan{Title: "T", Steps: []string{"a", "b", "c"}}},
		"a line without a number": {"# T\n\n## Steps\n\n1. a\nnew\n2. b\n", event.Plan{Title: "T", Steps: []string{"a", "new", "b"}}},
		"wrapped":                 {"# T\n\n## Steps\n\n1. a long\n   step\n2. b\n", event.Plan{Title: "T", Steps: []string{"a long step", "b"}}},
		"a paragraph":             {"# T\n\n## Steps\n\n1. a\n2. b\n\nDo not touch c.\n", event.Plan{Title: "T", Steps: []string{"a", "b"}, Notes: "Do not touch c."}},
		"no heading for steps":    {"# T\n\n1. a\n2. b\n", event.Plan{Title: "T", Steps: []string{"a", "b"}}},
		"no title":                {"## Steps\n\n1. a\n", event.Plan{Steps: []string{"a"}}},
		"Windows line endings":    {"# T\r\n\r\n## Steps\r\n\r\n1. a\r\n", event.Plan{Title: "T", Steps: []string{"a"}}},
		"no steps":                {"# T\n\n## Steps\n\n## Risks\n\n- r\n", event.Plan{Title: "T", Risks: []string{"r"}}},
		"only prose":              {"I would like to think about it.\n\nIt is hard.", event.Plan{Title: "I would like to think about it.", Notes: "It is hard."}},
		"empty":                   {" \n", event.Plan{}},
		"a heading of its own":    {"# T\n\n## Steps\n\n1. a\n\n## Why\n\n- because\n", event.Plan{Title: "T", Steps: []string{"a"}, Notes: "## Why\n\n- because"}},
		"nested items and code": {
			"# T\n\n## Steps\n\n1. a\n   - detail\n\n2. b\n   ```\n   1. code\n   ```\n3. c\n",
			event.Plan{Title: "T", Steps: []string{"a", "b", "c"}, Notes: "Step 1:\n   - detail\n\nStep 2:\n   ```\n   1. code\n   ```"},
		},
		"a heading for each step": {
			"# T\n\n## Context\nOld code.\n\n### Step 1: a\nwith care\n\n### 2. b\n- x\n\n## Verification\n- go test\n\n**Risks**\n- r",
			event.Plan{Title: "T", Steps: []string{"a", "b"}, Checks: []string{"go test"}, Risks: []string{"r"},
				Notes: "## Context\nOld code.\n\nStep 1:\nwith care\n\nStep 2:\n- x"},
		},
		"only a step":                 {"### Step 1: a\n", event.Plan{Steps: []string{"a"}}},
		"steps under another heading": {"# T\n\n## Approach\n\n1. a\n2. b\n", event.Plan{Title: "T", Steps: []string{"a", "b"}}},
		"files": {
			"## Implementation plan for T\n\n1. a\n\n## Critical files\n- `x.go` - the parser\n",
			event.Plan{Title: "Implementation plan for T", Steps: []string{"a"}, Files: []string{"`x.go` - the parser"}},
		},
	} {
		if d := cmp.Diff(plan.Parse(c.text), c.want); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// An item of the todo list is short enough for the tool todo.
func TestTodoIsClipped(t *testing.T) {
	items := plan.Todo(event.Plan{Steps: []string{"a", strings.Repeat("é", 300)}})
	if n := len([]rune(items[1].Text)); n != 200 || items[0] != (event.TodoItem{Text: "a", State: event.TodoPending}) {
		t.Errorf("%d characters in %+v", n, items)
	}
}

// Parse reads any text without a panic, and what it returns can be written and read.
func FuzzParse(f *testing.F) {
	f.Add(plan.Markdown(full))
	f.Add("# a\n- b\n   c\n```\n# d")
	f.Fuzz(func(t *testing.T, text string) {
		p := plan.Parse(text)
		if again := plan.Parse(plan.Markdown(p)); len(p.Steps) > 0 && len(again.Steps) < len(p.Steps) {
			t.Errorf("%d steps became %d", len(p.Steps), len(again.Steps))
		}
	})
}
