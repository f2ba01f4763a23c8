package agent_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// rooms holds, for each room, the other rooms of this module that it may
// import. A sub-room follows its room, unless it has a row of its own.
var rooms = map[string][]string{
	"internal/llm/spelling":         {},
	"internal/llm":                  {"internal/llm/spelling"},
	"internal/history":              {},
	"internal/tools":                {"internal/llm", "internal/llm/spelling"},
	"internal/loop/event":           {"internal/llm"},
	"internal/loop/policy":          {"internal/loop/event", "internal/tools"},
	"internal/loop/export":          {"internal/loop", "internal/loop/event", "internal/llm", "internal/history"},
	"internal/loop":                 {"internal/loop/event", "internal/loop/policy", "internal/loop/export", "internal/llm", "internal/tools", "internal/history"},
	"internal/tui":                  {"internal/loop/event", "internal/llm", "internal/llm/spelling", "internal/tui/terminal", "internal/tui/terminal/ptytest", "internal/tui/ink", "internal/tui/markdown", "internal/tui/diff"},
	"internal/tui/ink":              {},
	"internal/tui/markdown":         {"internal/tui/ink"},
	"internal/tui/diff":             {"internal/tui/ink", "internal/loop/event"},
	"internal/tui/terminal":         {"internal/tui/terminal/ptytest"},
	"internal/tui/terminal/ptytest": {},
	"cmd/agent/settings":            {"internal/llm/spelling"},
	"cmd/agent":                     {"internal/llm", "internal/history", "internal/tools", "internal/loop", "internal/loop/event", "internal/loop/policy", "internal/loop/export", "internal/tui", "internal/tui/diff", "internal/tui/ink", "internal/tui/terminal/ptytest", "internal/llm/spelling", "cmd/agent/settings"},
}

// forbidden are packages from elsewhere that a room must not import.
var forbidden = map[string][]string{
	"internal/llm":     {"charm.land/"},
	"internal/history": {"charm.land/"},
	"internal/tools":   {"charm.land/"},
	"internal/loop":    {"charm.land/"},
}

// attic are names under which code of no particular concern gathers.
var attic = []string{"util", "utils", "common", "helpers", "helper", "types", "misc", "base", "config", "manager", "service", "permission", "session", "pubsub"}

func TestImportsRunOneWay(t *testing.T) {
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || len(d.Name()) > 1 && strings.HasPrefix(d.Name(), ".")) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(file, ".go") {
			return nil
		}
		file = filepath.ToSlash(file)
		from := room(path.Dir(file))
		if from == "" {
			if path.Dir(file) != "." {
				t.Errorf("%s is in no room of the table", file)
			}
			return nil
		}
		seen[from] = true
		if base := path.Base(path.Dir(file)); slices.Contains(attic, base) {
			t.Errorf("%s: a package called %s says nothing of what it holds", file, base)
		}
		checkImports(t, file, from)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for r := range rooms {
		if !seen[r] {
			t.Errorf("the table has a room %s that does not exist", r)
		}
	}
}

func checkImports(t *testing.T, file, from string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Error(err)
		return
	}
	for _, im := range f.Imports {
		p := strings.Trim(im.Path.Value, `"`)
		for _, bad := range forbidden[from] {
			if strings.HasPrefix(p, bad) {
				t.Errorf("%s imports %s, which has no business in %s", file, p, from)
			}
		}
		rel, ours := strings.CutPrefix(p, "agent/")
		if !ours {
			continue
		}
		if to := room(rel); to != from && !slices.Contains(rooms[from], to) {
			t.Errorf("%s imports %s: %s may import only %v", file, rel, from, rooms[from])
		}
	}
}

// room returns the room that holds dir, the deepest of the table.
func room(dir string) string {
	best := ""
	for r := range rooms {
		if (dir == r || strings.HasPrefix(dir, r+"/")) && len(r) > len(best) {
			best = r
		}
	}
	return best
}
