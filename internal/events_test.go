package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// handles are the places that handle every event of a list in loop/event/table.go, and
// those that they ignore, with the reasons.
var handles = []struct {
	list    string
	what    string
	files   string // globs, without tests
	ignored map[string]string
}{
	{"durables", "drawn", "tui/*.go tui/transcript/*.go", map[string]string{
		"ShellOutputSent": "the output of the command is on the screen already",
		"Prefix":          "the user sees it with agent inspect",
	}},
	{"durables", "printed in plain mode", "tui/plain/*.go", map[string]string{
		"Partial":           "its finished message is printed",
		"Decided":           "the answer of the user is printed when it is given",
		"StepEnd":           "it has no text for the user",
		"Prefix":            "the user sees it with agent inspect",
		"TodoSet":           "the tool call is printed with the number of items",
		"Renamed":           "printed as an item of the transcript",
		"Compacted":         "printed as an item of the transcript",
		"PermissionRemoved": "printed as an item of the transcript",
		"ShellStart":        "the command is printed with its output when it has ended",
		"ShellOutputSent":   "the output of the command is printed already",
	}},
	{"durables", "exported", "loop/export/*.go", map[string]string{"Rewound": "rewound events are not exported"}},
	{"durables", "folded", "loop/session/*.go loop/session/calls/*.go", map[string]string{
		"FilesChanged": "it summarizes changes for the user",
	}},
	{"previews", "drawn", "tui/*.go tui/prompt/*.go tui/screen/*.go tui/slash/*.go tui/transcript/*.go", map[string]string{
		"RequestDone": "it is for traces",
	}},
	{"previews", "printed in plain mode", "tui/plain/*.go", map[string]string{
		"RequestDone":    "it is for traces",
		"Asked":          "front.handle prints the first question",
		"AskDone":        "package prompt closes the question",
		"Delegated":      "plain mode watches no delegate",
		"HookNow":        "plain mode shows no activity",
		"BudgetNow":      "package slash prints it",
		"SandboxNow":     "a Notice says why it is incomplete, and package slash prints it",
		"Progress":       "the complete output is printed at the end",
		"JobsNow":        "package slash prints them",
		"Unsent":         "package prompt takes it back, and its text is printed",
		"Notice":         "printed as an item of the transcript",
		"NotRun":         "package prompt reports it",
		"Summarizing":    "the compaction is printed when it has ended",
		"ContextNow":     "package slash prints it as a list",
		"Unreadable":     "printed as an item of the transcript",
		"Searched":       "package slash shows how to connect a model",
		"PermissionsNow": "package slash prints them",
		"Explained":      "package slash prints it",
		"UndoPlan":       "package slash asks about it",
		"ChangesNow":     "package slash asks about it",
	}},
	{"durables", "sent to editors", "../cmd/agent/acp/*.go", map[string]string{
		"Decided":           "the editor knows the answer of its user",
		"Prefix":            "the user sees it with agent inspect",
		"PlanSet":           "the call that presents it is sent",
		"PermissionRemoved": "an editor cannot remove permissions",
		"ShellStart":        "an editor runs no typed commands",
		"ShellEnd":          "an editor runs no typed commands",
		"ShellOutputSent":   "an editor runs no typed commands",
		"DelegateStart":     "the call that starts a delegate is sent",
	}},
	{"previews", "sent to editors", "../cmd/agent/acp/*.go", map[string]string{
		"RequestDone":    "it is for traces",
		"JobsNow":        "an editor cannot list jobs",
		"NotRun":         "an editor runs no typed commands",
		"Searched":       "notices say what was found",
		"PermissionsNow": "an editor cannot list permissions",
		"SandboxNow":     "a Notice says why it is incomplete",
		"Explained":      "an editor cannot explain permissions",
		"BudgetNow":      "the end of the turn says which limit was reached",
		"Summarizing":    "the compaction is sent when it has ended",
		"ContextNow":     "an editor cannot list the context",
		"DelegatesNow":   "an editor does not list delegates",
		"Delegated":      "an editor watches no delegate",
		"HookNow":        "an editor shows its own activity",
		"ChangesNow":     "an editor cannot list changes",
	}},
	{"durables", "traced", "loop/trace/*.go", map[string]string{
		"Partial":           "its finished message is traced",
		"ModelSet":          "each request has its model",
		"ModeSet":           "each question has its span",
		"TodoSet":           "its tool call is traced",
		"PlanSet":           "its tool call is traced",
		"Renamed":           "it concerns no turn",
		"Rewound":           "spans that were written stay",
		"Compacted":         "its request is traced",
		"PermissionRemoved": "it concerns no turn",
		"ShellStart":        "commands of the user are not traced",
		"ShellEnd":          "commands of the user are not traced",
		"ShellOutputSent":   "commands of the user are not traced",
		"FilesChanged":      "the spans of calls do not have their changes",
		"Undone":            "it concerns no turn",
	}},
	{"previews", "traced", "loop/trace/*.go", map[string]string{
		"Streamed":       "the finished message is traced",
		"Progress":       "the result of the call is traced",
		"Retrying":       "RequestDone follows each request, also one that failed",
		"JobsNow":        "the call that starts a job is traced",
		"Notice":         "it is text for the user",
		"Unsent":         "the message was not sent",
		"NotRun":         "the command of the front end was not executed",
		"Summarizing":    "the request is traced when it has ended",
		"ContextNow":     "it only answers the front end",
		"Opened":         "it only concerns the front end",
		"Unreadable":     "it only concerns the front end",
		"Searched":       "it only answers the front end",
		"PermissionsNow": "it only answers the front end",
		"SandboxNow":     "it only concerns the front end",
		"Explained":      "it only answers the front end",
		"BudgetNow":      "the spans of requests have their usage and cost",
		"DelegatesNow":   "each delegate has its span",
		"HookNow":        "hooks are not traced",
		"Delegated":      "the front end gets it; Trace.Delegate sees the original",
		"UndoPlan":       "it only answers the front end",
		"ChangesNow":     "it only answers the front end",
	}},
	{"commands", "executed", "loop/*.go", map[string]string{}},
}

// A new event, preview or command is handled everywhere, or listed above.
func TestEveryEventIsHandled(t *testing.T) {
	for _, h := range handles {
		seen, all := casesIn(t, h.files), listed(t, h.list)
		for _, typ := range all {
			_, ignored := h.ignored[typ]
			switch {
			case !seen[typ] && !ignored:
				t.Errorf("%s is not %s: add a case in %s, or list it as ignored with the reason", typ, h.what, h.files)
			case seen[typ] && ignored:
				t.Errorf("%s is %s, but listed as ignored", typ, h.what)
			}
		}
		for typ := range h.ignored {
			if !slices.Contains(all, typ) {
				t.Errorf("%s is listed as not %s, but it is not one of the %s", typ, h.what, h.list)
			}
		}
	}
}

// listed returns the names of the types in a list of the table of events.
func listed(t *testing.T, list string) (types []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "loop/event/table.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || v.Names[0].Name != list {
			return true
		}
		ast.Inspect(v, func(n ast.Node) bool {
			if row, ok := n.(*ast.IndexExpr); ok { // named[X]
				types = append(types, row.Index.(*ast.Ident).Name)
			}
			return true
		})
		return false
	})
	if len(types) == 0 {
		t.Fatalf("loop/event/table.go has no list %s", list)
	}
	return types
}

// casesIn returns the names of the events that the type switches and type assertions of
// the files mention, and in package slash the only parameters of functions.
func casesIn(t *testing.T, globs string) map[string]bool {
	t.Helper()
	var files []string
	for _, glob := range strings.Fields(globs) {
		found, err := filepath.Glob(glob)
		if err != nil || len(found) == 0 {
			t.Fatalf("no files match %s: %v", glob, err)
		}
		files = append(files, found...)
	}
	seen := map[string]bool{}
	for _, file := range slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, "_test.go") }) {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CaseClause:
				for _, x := range n.List {
					note(seen, x)
				}
			case *ast.TypeAssertExpr:
				note(seen, n.Type)
			case *ast.FuncType: // of a function that screen.Await calls
				if p := n.Params.List; strings.HasPrefix(file, "tui/slash/") && len(p) == 1 {
					note(seen, p[0].Type)
				}
			}
			return true
		})
	}
	return seen
}

// note adds the X of event.X and *event.X.
func note(seen map[string]bool, x ast.Expr) {
	if star, ok := x.(*ast.StarExpr); ok {
		x = star.X
	}
	if sel, ok := x.(*ast.SelectorExpr); ok {
		if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "event" {
			seen[sel.Sel.Name] = true
		}
	}
}
