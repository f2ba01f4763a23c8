package lsp_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"agent/internal/tools/lsp"
	"agent/internal/tools/process"
)

// real returns a pool that starts a program, if AGENT_LSP is set and the program exists.
func real(t *testing.T, files map[string]string, glob string, args ...string) *desk {
	if os.Getenv("AGENT_LSP") == "" {
		t.Skip("AGENT_LSP is not set")
	}
	if _, err := exec.LookPath(args[0]); err != nil {
		t.Skip(err)
	}
	return newDesk(t, lsp.Options{
		Servers: func() []lsp.Server { return []lsp.Server{{Name: args[0], Args: args, Files: []string{glob}}} },
		Start: func(s lsp.Server, dir string) (lsp.Process, error) {
			return process.Start(process.Program{Args: s.Args, Dir: dir, Env: os.Environ()})
		},
		Wait: 20 * time.Second,
	}, files)
}

func TestGopls(t *testing.T) {
	d := real(t, map[string]string{
		"go.mod": "module example.org/m\n\ngo 1.24\n",
		"a.go":   "package m\n\nfunc One() int { return 1 }\n\nvar x = One()\n",
		"b.go":   "package m\n\nvar y = One()\n",
	}, "*.go", "gopls")
	contains(t, d.must("symbols", `{"op":"references","path":"a.go","line":3,"name":"One"}`), "a.go:3: func One() int { return 1 }\na.go:5: var x = One()\nb.go:3: var y = One()\n")
	contains(t, d.must("symbols", `{"op":"definition","path":"b.go","line":3,"name":"One"}`), "a.go:3: func One() int { return 1 }\n")
	contains(t, d.must("symbols", `{"op":"hover","path":"b.go","line":3,"name":"One"}`), "func One() int")
	contains(t, d.must("symbols", `{"op":"outline","path":"a.go"}`), "3: function One func() int\n")
	contains(t, d.must("edit", `{"path":"a.go","old":"return 1","new":"return \"1\""}`), `a.go:3: cannot use "1"`)
	if got := d.must("edit", `{"path":"a.go","old":"return \"1\"","new":"return 2"}`); strings.Contains(got, "language server") {
		t.Errorf("an edit that corrects an error: %s", got)
	}
	contains(t, d.must("rename", `{"path":"a.go","line":3,"name":"One","to":"Two"}`), "changed b.go")
	contains(t, d.must("read", `{"path":"b.go"}`), "var y = Two()")
}

func TestTypeScript(t *testing.T) {
	d := real(t, map[string]string{
		"tsconfig.json": `{"compilerOptions":{"strict":true},"include":["*.ts"]}`,
		"a.ts":          "export function one(): number { return 1; }\n",
		"b.ts":          "import { one } from \"./a\";\nconst y: number = one();\nconsole.log(y);\n",
	}, "*.ts", "typescript-language-server", "--stdio")
	const definition = `{"op":"definition","path":"b.ts","line":2,"name":"one"}`
	for end := time.Now().Add(limit); time.Now().Before(end) && !strings.Contains(d.must("symbols", definition), "a.ts"); {
	} // before it has loaded the project, it finds only the import
	contains(t, d.must("symbols", definition), "a.ts:1: export function one()")
	contains(t, d.must("edit", `{"path":"b.ts","old":"y: number","new":"y: string"}`), "b.ts:2: Type 'number' is not assignable to type 'string'.")
	contains(t, d.must("rename", `{"path":"a.ts","line":1,"name":"one","to":"two"}`), "changed b.ts")
	contains(t, d.must("symbols", `{"op":"references","path":"a.ts","line":1,"name":"two"}`), "b.ts:2: const y: string = two();")
}

func contains(t *testing.T, got, want string) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}
