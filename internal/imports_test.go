package internal_test

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

// mayImport holds, for each package, the other packages of this module that it
// may import. A package without a row follows the nearest one above it.
var mayImport = map[string][]string{
	"internal/llm/phrase":              {},
	"internal/jsonrpc":                 {},
	"internal/link":                    {},
	"internal/elicit":                  {"internal/link"},
	"internal/realpath":                {},
	"internal/sampling":                {},
	"internal/scratch":                 {},
	"internal/textdiff":                {},
	"internal/llm":                     {},
	"internal/llm/mask":                {},
	"internal/history":                 {"internal/realpath"},
	"internal/tools":                   {"internal/scratch", "internal/elicit", "internal/llm", "internal/tools/advice", "internal/tools/charset", "internal/tools/intake", "internal/tools/manifest", "internal/tools/schema", "internal/tools/search/dfa", "internal/tools/search/wildmatch", "internal/tools/shell/sandbox", "internal/tools/tempdir", "internal/tools/workspace", "internal/realpath"},
	"internal/tools/advice":            {},
	"internal/tools/charset":           {},
	"internal/tools/schema":            {},
	"internal/tools/intake":            {"internal/tools/advice"},
	"internal/tools/search/dfa":        {},
	"internal/tools/search/wildmatch":  {},
	"internal/tools/shell/sandbox":     {},
	"internal/tools/manifest":          {},
	"internal/tools/toolchain":         {},
	"internal/tools/tempdir":           {"internal/realpath", "internal/tools/shell/sandbox"},
	"internal/tools/workspace":         {"internal/tools/advice", "internal/tools/charset", "internal/tools/tempdir", "internal/realpath", "internal/textdiff"},
	"internal/tools/lsp":               {"internal/llm", "internal/tools", "internal/tools/advice", "internal/tools/charset", "internal/tools/intake", "internal/tools/lsp/client", "internal/tools/lsp/protocol", "internal/tools/workspace", "internal/realpath"},
	"internal/tools/lsp/protocol":      {},
	"internal/tools/lsp/client":        {"internal/jsonrpc", "internal/tools/lsp/protocol"},
	"internal/tools/mcp":               {"internal/elicit", "internal/jsonrpc", "internal/llm", "internal/tools", "internal/tools/advice", "internal/tools/intake", "internal/tools/schema"},
	"internal/loop/event":              {"internal/elicit", "internal/llm"},
	"internal/loop/budget":             {"internal/loop/event", "internal/llm"},
	"internal/loop/plan":               {"internal/loop/event"},
	"internal/loop/hunk":               {"internal/loop/event", "internal/textdiff", "internal/tools/charset"},
	"internal/loop/window":             {"internal/loop/event", "internal/loop/plan", "internal/llm"},
	"internal/loop/session":            {"internal/loop/event", "internal/loop/plan", "internal/loop/window", "internal/llm", "internal/history"},
	"internal/loop/bash":               {},
	"internal/loop/evidence":           {"internal/loop/bash", "internal/loop/event", "internal/tools", "internal/loop/part"},
	"internal/loop/policy":             {"internal/history", "internal/loop/bash", "internal/loop/event", "internal/loop/policy/command", "internal/tools", "internal/tools/manifest", "internal/tools/tempdir", "internal/realpath"},
	"internal/loop/policy/command":     {"internal/loop/bash"},
	"internal/loop/part":               {"internal/loop/event", "internal/tools", "internal/tools/workspace"},
	"internal/loop/instructions":       {"internal/realpath", "internal/loop/event", "internal/tools", "internal/tools/advice", "internal/tools/intake", "internal/tools/workspace"},
	"internal/loop/turn":               {"internal/elicit", "internal/loop/budget", "internal/loop/event", "internal/loop/hunk", "internal/loop/plan", "internal/loop/window", "internal/loop/policy", "internal/tools", "internal/tools/advice", "internal/tools/charset", "internal/tools/schema", "internal/tools/workspace", "internal/llm"},
	"internal/loop/delegate":           {"internal/loop/budget", "internal/loop/event", "internal/loop/instructions", "internal/loop/policy", "internal/loop/session", "internal/loop/turn", "internal/llm", "internal/tools", "internal/tools/advice", "internal/tools/intake"},
	"internal/loop/delegate/isolation": {"internal/loop/delegate", "internal/loop/event", "internal/loop/policy", "internal/tools", "internal/tools/workspace"},
	"internal/loop/hooks":              {"internal/loop/event", "internal/realpath", "internal/tools", "internal/loop/part"},
	"internal/loop/secrets":            {"internal/loop/event", "internal/llm", "internal/llm/mask", "internal/tools", "internal/loop/part"},
	"internal/loop/undo":               {"internal/realpath", "internal/loop/event", "internal/loop/hunk", "internal/loop/turn", "internal/history", "internal/tools", "internal/tools/shell/sandbox", "internal/tools/workspace"},
	"internal/loop/trace":              {"internal/loop/event", "internal/llm", "internal/loop/part"},
	"internal/loop/export":             {"internal/link", "internal/loop/event", "internal/loop/session", "internal/llm", "internal/history"},
	"internal/loop/export/adopt":       {"internal/loop/export", "internal/loop/event", "internal/llm", "internal/history"},
	"internal/loop":                    {"internal/llm/mask", "internal/loop/budget", "internal/loop/delegate", "internal/loop/event", "internal/loop/part", "internal/loop/plan", "internal/loop/window", "internal/loop/session", "internal/loop/policy", "internal/loop/turn", "internal/loop/undo", "internal/llm", "internal/tools", "internal/tools/intake", "internal/tools/workspace", "internal/history"},
	"internal/tui":                     {"internal/elicit", "internal/loop/event", "internal/llm", "internal/tui/agents", "internal/tui/terminal", "internal/tui/ink", "internal/tui/keys", "internal/tui/pager", "internal/tui/prompt", "internal/tui/slash", "internal/tui/layer", "internal/tui/screen", "internal/tui/transcript", "internal/tui/dialog", "internal/tui/editor", "internal/tui/list"},
	"internal/tui/dialog":              {"internal/elicit", "internal/loop/event", "internal/loop/plan", "internal/tui/ink", "internal/tui/keys", "internal/tui/diff", "internal/tui/editor", "internal/tui/markdown", "internal/tui/review"},
	"internal/tui/review":              {"internal/loop/event", "internal/loop/hunk", "internal/tui/diff", "internal/tui/editor", "internal/tui/ink", "internal/tui/keys"},
	"internal/tui/editor":              {"internal/loop/event", "internal/llm", "internal/tui/ink", "internal/tui/keys", "internal/tui/editor/text", "internal/tui/editor/text/emacs", "internal/tui/editor/text/vi"},
	"internal/tui/editor/text":         {},
	"internal/tui/editor/text/emacs":   {"internal/tui/editor/text"},
	"internal/tui/editor/text/vi":      {"internal/tui/editor/text", "internal/tui/editor/text/emacs"},
	"internal/tui/list":                {"internal/loop/event", "internal/tui/ink", "internal/tui/keys"},
	"internal/tui/ink":                 {},
	"internal/tui/screen":              {"internal/loop/event", "internal/llm", "internal/tui/ink", "internal/tui/keys", "internal/tui/list", "internal/tui/transcript"},
	"internal/tui/slash":               {"internal/loop/event", "internal/loop/hunk", "internal/tui/dialog", "internal/tui/diff", "internal/tui/editor", "internal/tui/ink", "internal/tui/keys", "internal/tui/list", "internal/tui/markdown", "internal/tui/screen", "internal/tui/terminal", "internal/tui/transcript"},
	"internal/tui/prompt":              {"internal/scratch", "internal/loop/event", "internal/llm", "internal/tui/dialog", "internal/tui/editor", "internal/tui/ink", "internal/tui/keys", "internal/tui/layer", "internal/tui/list", "internal/tui/screen", "internal/tui/slash", "internal/tui/terminal", "internal/tui/transcript"},
	"internal/tui/plain":               {"internal/elicit", "internal/link", "internal/loop/event", "internal/llm", "internal/tui/dialog", "internal/tui/diff", "internal/tui/editor", "internal/tui/ink", "internal/tui/list", "internal/tui/prompt", "internal/tui/review", "internal/tui/screen", "internal/tui/slash", "internal/tui/terminal", "internal/tui/transcript"},
	"internal/tui/layer":               {},
	"internal/tui/agents":              {"internal/loop/event", "internal/tui/editor", "internal/tui/ink", "internal/tui/keys", "internal/tui/layer", "internal/tui/list", "internal/tui/screen", "internal/tui/transcript"},
	"internal/tui/pager":               {"internal/loop/event", "internal/tui/ink", "internal/tui/keys", "internal/tui/layer", "internal/tui/list", "internal/tui/screen", "internal/tui/transcript"},
	"internal/tui/keys":                {},
	"internal/tui/transcript":          {"internal/loop/event", "internal/llm", "internal/tui/ink", "internal/tui/markdown", "internal/tui/diff"},
	"internal/tui/markdown":            {"internal/link", "internal/tui/ink"},
	"internal/tui/diff":                {"internal/tui/ink", "internal/loop/event"},
	"internal/tui/terminal":            {},
	"internal/tui/terminal/ptytest":    {},
	"cmd/agent/settings":               {"internal/history", "internal/llm", "internal/loop/policy"},
	"cmd/agent/access":                 {"cmd/agent/command", "cmd/agent/settings", "internal/history", "internal/loop/policy", "internal/tools", "internal/tools/shell/sandbox", "internal/tools/tempdir", "internal/tools/toolchain", "internal/tools/workspace", "internal/tui/ink", "internal/realpath"},
	"cmd/agent/command":                {"cmd/agent/settings", "internal/history", "internal/llm", "internal/tui/ink"},
	"cmd/agent/connections":            {"cmd/agent/desktop", "cmd/agent/mcp", "cmd/agent/settings", "internal/loop/event", "internal/tools", "internal/tools/mcp", "internal/tui/screen", "internal/loop/part"},
	"cmd/agent/credentials":            {"cmd/agent/command", "cmd/agent/settings", "internal/history", "internal/llm"},
	"cmd/agent/dispatch":               {"internal/history", "internal/tools", "internal/tools/shell/sandbox", "internal/tui/terminal"},
	"cmd/agent/dotenv":                 {"internal/loop/policy"},
	"cmd/agent/desktop":                {"internal/tui/screen", "cmd/agent/credentials", "internal/llm", "internal/tools"},
	"cmd/agent/exit":                   {"cmd/agent/command", "internal/history"},
	"cmd/agent/headless":               {"cmd/agent/command", "cmd/agent/exit", "cmd/agent/sessions", "internal/llm", "internal/loop/event", "internal/loop/turn", "internal/tui/diff", "internal/tui/ink"},
	"cmd/agent/help":                   {},
	"cmd/agent/mcp":                    {"cmd/agent/command", "cmd/agent/exit", "cmd/agent/settings", "cmd/agent/trust", "internal/history", "internal/link", "internal/llm", "internal/loop/instructions", "internal/loop/policy", "internal/tools", "internal/tools/mcp", "internal/tui/ink"},
	"cmd/agent/doctor":                 {"internal/scratch", "cmd/agent/command", "cmd/agent/credentials", "cmd/agent/desktop", "cmd/agent/models", "cmd/agent/settings", "internal/history", "internal/tools", "internal/tools/shell/sandbox", "internal/tui/ink"},
	"cmd/agent/eval":                   {"cmd/agent/command", "internal/llm", "internal/tools", "internal/tui/ink"},
	"cmd/agent/models":                 {"cmd/agent/command", "cmd/agent/credentials", "cmd/agent/settings", "internal/history", "internal/llm", "internal/llm/phrase", "internal/loop/event", "internal/loop/turn", "internal/tui/ink"},
	"cmd/agent/tool":                   {"cmd/agent/command", "cmd/agent/exit", "internal/elicit", "internal/llm", "internal/loop/event", "internal/loop/policy", "internal/textdiff", "internal/tools", "internal/tools/advice", "internal/tui/ink"},
	"cmd/agent/languages":              {"cmd/agent/command", "cmd/agent/settings", "cmd/agent/trust", "internal/realpath", "internal/tools", "internal/tools/lsp", "internal/tui/screen", "internal/loop/event", "internal/loop/part", "internal/tools/workspace"},
	"cmd/agent/trust":                  {"cmd/agent/command", "cmd/agent/settings", "internal/realpath", "internal/tools/manifest", "internal/tui/ink", "internal/tui/screen"},
	"cmd/agent/hooks":                  {"cmd/agent/command", "cmd/agent/settings", "cmd/agent/trust", "internal/loop/hooks", "internal/loop/instructions", "internal/realpath", "internal/tools", "internal/tui/ink"},
	"cmd/agent/permit":                 {"cmd/agent/command", "cmd/agent/settings", "internal/history", "internal/loop/event", "internal/loop/policy", "internal/tui/ink"},
	"cmd/agent/agents":                 {"cmd/agent/command", "cmd/agent/trust", "internal/loop/delegate", "internal/loop/event", "internal/tui/ink"},
	"cmd/agent/inspect":                {"cmd/agent/command", "cmd/agent/models", "cmd/agent/sessions", "cmd/agent/settings", "internal/history", "internal/llm", "internal/loop", "internal/loop/event", "internal/loop/session", "internal/loop/turn", "internal/tui/ink"},
	"cmd/agent/sessions":               {"internal/scratch", "internal/tools/tempdir", "cmd/agent/command", "internal/history", "internal/llm", "internal/loop/event", "internal/loop/export", "internal/loop/export/adopt", "internal/loop/session", "internal/tui/diff", "internal/tui/ink", "internal/tui/list"},
	"cmd/agent/stored":                 {"cmd/agent/command", "cmd/agent/sessions", "internal/history", "internal/llm", "internal/loop/event", "internal/loop/session", "internal/tools", "internal/tui/screen"},
	"cmd/agent/undo":                   {"cmd/agent/command", "cmd/agent/exit", "cmd/agent/sessions", "cmd/agent/stored", "internal/history", "internal/loop/event", "internal/loop/session", "internal/loop/undo", "internal/realpath", "internal/tools", "internal/tui/diff", "internal/tui/ink"},
	"cmd/agent":                        {"cmd/agent/access", "cmd/agent/acp", "cmd/agent/agents", "cmd/agent/changes", "cmd/agent/command", "cmd/agent/configuration", "cmd/agent/connections", "cmd/agent/credentials", "cmd/agent/delegates", "cmd/agent/desktop", "cmd/agent/dispatch", "cmd/agent/doctor", "cmd/agent/eval", "cmd/agent/exit", "cmd/agent/headless", "cmd/agent/help", "cmd/agent/hooks", "cmd/agent/inspect", "cmd/agent/keys", "cmd/agent/languages", "cmd/agent/limits", "cmd/agent/lines", "cmd/agent/mcp", "cmd/agent/models", "cmd/agent/permit", "cmd/agent/project", "cmd/agent/prompts", "cmd/agent/redact", "cmd/agent/sessions", "cmd/agent/settings", "cmd/agent/stored", "cmd/agent/tool", "cmd/agent/toolbox", "cmd/agent/trust", "cmd/agent/undo", "internal/elicit", "internal/history", "internal/llm", "internal/llm/phrase", "internal/loop", "internal/loop/delegate", "internal/loop/event", "internal/loop/evidence", "internal/loop/hooks", "internal/loop/instructions", "internal/loop/part", "internal/loop/policy", "internal/loop/secrets", "internal/loop/session", "internal/loop/trace", "internal/loop/turn", "internal/scratch", "internal/tools", "internal/tools/shell/sandbox", "internal/tools/workspace", "internal/tui", "internal/tui/ink", "internal/tui/keys", "internal/tui/markdown", "internal/tui/plain", "internal/tui/screen", "internal/tui/slash", "internal/tui/terminal/ptytest"},
	"cmd/agent/toolbox":                {"cmd/agent/command", "cmd/agent/settings", "internal/loop", "internal/tools", "internal/tools/workspace"},
	"cmd/agent/project":                {"cmd/agent/access", "cmd/agent/command", "cmd/agent/settings", "cmd/agent/toolbox", "internal/llm/phrase", "internal/loop/delegate", "internal/loop/event", "internal/loop/instructions", "internal/loop/part", "internal/loop/turn", "internal/tools", "internal/tui/ink", "internal/tui/screen", "internal/tui/slash"},
	"cmd/agent/redact":                 {"cmd/agent/dotenv", "cmd/agent/access", "cmd/agent/credentials", "cmd/agent/mcp", "cmd/agent/settings", "internal/llm/mask", "internal/loop/policy", "internal/loop/secrets", "internal/tools"},
	"cmd/agent/changes":                {"internal/history", "internal/loop", "internal/loop/part", "internal/loop/undo", "internal/realpath", "internal/tools", "internal/tools/workspace"},
	"cmd/agent/delegates":              {"cmd/agent/agents", "cmd/agent/sessions", "cmd/agent/settings", "cmd/agent/stored", "cmd/agent/trust", "internal/history", "internal/llm", "internal/loop", "internal/loop/delegate", "internal/loop/delegate/isolation", "internal/loop/event", "internal/loop/part", "internal/loop/policy", "internal/loop/turn", "internal/tools", "internal/tools/advice", "internal/tools/workspace"},
	"cmd/agent/keys":                   {"cmd/agent/command", "cmd/agent/settings", "internal/tui/keys"},
	"cmd/agent/lines":                  {"internal/tui/terminal/ptytest"},
	"cmd/agent/configuration":          {"cmd/agent/command", "cmd/agent/settings", "internal/llm", "internal/tui/ink"},
	"cmd/agent/limits":                 {"cmd/agent/command", "cmd/agent/settings", "internal/loop/event"},
	"cmd/agent/prompts":                {"cmd/agent/command", "cmd/agent/settings"},
	"cmd/agent/acp":                    {"internal/realpath", "cmd/agent/command", "cmd/agent/desktop", "cmd/agent/exit", "cmd/agent/headless", "cmd/agent/sessions", "cmd/agent/settings", "internal/jsonrpc", "internal/llm", "internal/loop/event", "internal/loop/session", "internal/tools/workspace", "internal/tui/dialog", "internal/tui/ink", "internal/tui/screen", "internal/tui/slash"},
}

// leaf may be imported by every package.
const leaf = "internal/llm/phrase"

// testsOnly may be imported by the tests of every package, and by nothing else.
const testsOnly = "internal/sampling"

// forbidden are the packages of other modules that a package must not import.
var forbidden = map[string][]string{
	"internal/llm":     {"charm.land/"},
	"internal/history": {"charm.land/"},
	"internal/tools":   {"charm.land/"},
	"internal/loop":    {"charm.land/"},
}

// vague are names of packages that collect code of no particular concern.
var vague = []string{"util", "utils", "common", "helpers", "helper", "types", "misc", "base", "config", "manager", "service", "pubsub"}

func TestImportsRunOneWay(t *testing.T) {
	seen, used := map[string]bool{}, map[[2]string]bool{}
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || len(d.Name()) > 2 && strings.HasPrefix(d.Name(), ".")) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(file, ".go") {
			return nil
		}
		name := strings.TrimPrefix(filepath.ToSlash(file), "../")
		from := owner(path.Dir(name))
		if from == "" {
			if path.Dir(name) != "internal" {
				t.Errorf("%s is in no package of the table", name)
			}
			return nil
		}
		seen[from] = true
		if base := path.Base(path.Dir(name)); slices.Contains(vague, base) {
			t.Errorf("%s: the package name %s is too vague", name, base)
		}
		checkImports(t, file, name, from, used)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for r := range mayImport {
		if !seen[r] {
			t.Errorf("the table has a package %s that does not exist", r)
		}
		for _, to := range mayImport[r] {
			if !used[[2]string{r, to}] {
				t.Errorf("the table lets %s import %s, which it does not", r, to)
			}
		}
	}
}

func checkImports(t *testing.T, file, name, from string, used map[[2]string]bool) {
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
				t.Errorf("%s imports %s, which %s must not", name, p, from)
			}
		}
		rel, ours := strings.CutPrefix(p, "agent/")
		if !ours {
			continue
		}
		to := owner(rel)
		if strings.HasSuffix(name, "_test.go") && strings.HasPrefix(to, from+"/") {
			continue // tests of several parts are with the package above them
		}
		if to == testsOnly {
			if !strings.HasSuffix(name, "_test.go") {
				t.Errorf("%s imports %s, which only tests may import", name, rel)
			}
			continue
		}
		used[[2]string{from, to}] = true
		if to != from && to != leaf && !slices.Contains(mayImport[from], to) {
			t.Errorf("%s imports %s: %s may import only %v", name, rel, from, mayImport[from])
		}
	}
}

// owner returns the row of the table for dir, the deepest one above it.
func owner(dir string) string {
	best := ""
	for r := range mayImport {
		if (dir == r || strings.HasPrefix(dir, r+"/")) && len(r) > len(best) {
			best = r
		}
	}
	return best
}
