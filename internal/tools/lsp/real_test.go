package lsp_test

import (
	"os"
	"os/exec"
	"path/filepath"
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
	contains(t, d.must("symbols", `{"op":"references","path":"a.go","line":3,"name":"One"}`), "a.go\n3: func One() int { return 1 }\n5: var x = One()\n\nb.go\n3: var y = One()\n")
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
	contains(t, d.must("symbols", definition), "a.ts:1: export function one()")
	contains(t, d.must("edit", `{"path":"b.ts","old":"y: number","new":"y: string"}`), "b.ts:2: Type 'number' is not assignable to type 'string'.")
	contains(t, d.must("rename", `{"path":"a.ts","line":1,"name":"one","to":"two"}`), "changed b.ts")
	contains(t, d.must("symbols", `{"op":"references","path":"a.ts","line":1,"name":"two"}`), "2: const y: string = two();")
}

func TestPyright(t *testing.T) {
	d := real(t, map[string]string{
		"pyproject.toml": "[project]\nname = \"m\"\n",
		"a.py":           "def one() -> int:\n    return 1\n\n\nclass T:\n    def m(self) -> int:\n        return one()\n",
		"b.py":           "from a import one\n\ny: int = one()\nold: str = 3\n",
	}, "*.py", "pyright-langserver", "--stdio")
	contains(t, d.must("symbols", `{"op":"definition","path":"b.py","line":3,"name":"one"}`), "a.py:1: def one() -> int:\n")
	contains(t, d.must("symbols", `{"op":"references","path":"a.py","line":1,"name":"one"}`), "a.py\n1: def one() -> int:\n7: return one()\n\nb.py\n1: from a import one\n3: y: int = one()\n")
	contains(t, d.must("symbols", `{"op":"hover","path":"b.py","line":3,"name":"one"}`), "def one() -> int")
	contains(t, d.must("symbols", `{"op":"outline","path":"a.py"}`), "1: function one\n5: class T\n6:   method m\n")
	contains(t, d.must("edit", `{"path":"b.py","old":"y: int","new":"y: str"}`), "[1 new error in the edited files, found by the language server:]\nb.py:3: Type \"int\" is not assignable")
	contains(t, d.must("edit", `{"path":"a.py","old":"return 1","new":"return 'x'"}`), "[1 new error in the edited files, found by the language server:]\na.py:2: Type")
	if got := d.must("edit", `{"path":"a.py","old":"return 'x'","new":"return 2"}`); strings.Contains(got, "language server") {
		t.Errorf("an edit that corrects an error: %s", got)
	}
	contains(t, d.must("rename", `{"path":"a.py","line":1,"name":"one","to":"two"}`), "changed b.py")
	contains(t, d.must("read", `{"path":"b.py"}`), "y: str = two()")
}

func TestClangd(t *testing.T) {
	d := real(t, map[string]string{
		"a.h": "#pragma once\nint one(void);\n",
		"a.c": "#include \"a.h\"\nint one(void) { return 1; }\n",
		"b.c": "#include \"a.h\"\nint y(void) { return one(); }\nint old(void) { return undeclared; }\n",
	}, "*.{c,h}", "clangd")
	list := `[{"directory":"` + d.dir + `","file":"a.c","command":"cc -c a.c"},{"directory":"` + d.dir + `","file":"b.c","command":"cc -c b.c"}]`
	if err := os.WriteFile(filepath.Join(d.dir, "compile_commands.json"), []byte(list), 0o644); err != nil {
		t.Fatal(err)
	}
	contains(t, d.must("symbols", `{"op":"definition","path":"b.c","line":2,"name":"one"}`), "one(void)")
	contains(t, d.must("symbols", `{"op":"references","path":"a.h","line":2,"name":"one"}`), "a.c\n2: int one(void) { return 1; }\n\na.h\n2: int one(void);\n\nb.c\n2: int y(void) { return one(); }\n")
	contains(t, d.must("symbols", `{"op":"hover","path":"b.c","line":2,"name":"one"}`), "int one()")
	contains(t, d.must("symbols", `{"op":"outline","path":"b.c"}`), "2: function y int (void)\n")
	contains(t, d.must("edit", `{"path":"b.c","old":"one()","new":"one("}`), "b.c:2: Expected expression")
	if got := d.must("edit", `{"path":"b.c","old":"one(","new":"one()"}`); strings.Contains(got, "language server") {
		t.Errorf("an error from before the turn, which another one had hidden: %s", got)
	}
	contains(t, d.must("rename", `{"path":"a.h","line":2,"name":"one","to":"two"}`), "changed a.c")
	contains(t, d.must("read", `{"path":"b.c"}`), "return two();")
}

func TestRustAnalyzer(t *testing.T) {
	d := real(t, map[string]string{
		"Cargo.toml":  "[package]\nname = \"m\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
		"src/lib.rs":  "pub fn one() -> i32 {\n    1\n}\n\npub struct T {\n    pub x: i32,\n}\n",
		"src/main.rs": "use m::one;\n\nfn main() {\n    let y: i32 = one();\n    let _ = y;\n}\n",
	}, "*.rs", "rust-analyzer")
	contains(t, d.must("symbols", `{"op":"definition","path":"src/main.rs","line":4,"name":"one"}`), "src/lib.rs:1: pub fn one() -> i32 {\n")
	contains(t, d.must("symbols", `{"op":"references","path":"src/lib.rs","line":1,"name":"one"}`), "src/main.rs\n1: use m::one;\n4: let y: i32 = one();\n")
	contains(t, d.must("symbols", `{"op":"hover","path":"src/main.rs","line":4,"name":"one"}`), "pub fn one() -> i32")
	contains(t, d.must("symbols", `{"op":"outline","path":"src/lib.rs"}`), "1: function one fn() -> i32\n5: struct T\n6:   field x i32\n")
	contains(t, d.must("edit", `{"path":"src/main.rs","old":"y: i32","new":"y: String"}`), "src/main.rs:4: mismatched types") // of cargo check
	if got := d.must("edit", `{"path":"src/main.rs","old":"y: String","new":"y: i32"}`); strings.Contains(got, "language server") {
		t.Errorf("an edit that corrects an error: %s", got)
	}
	contains(t, d.must("rename", `{"path":"src/lib.rs","line":1,"name":"one","to":"two"}`), "changed src/lib.rs")
	contains(t, d.must("read", `{"path":"src/main.rs"}`), "let y: i32 = two();")
}

func contains(t *testing.T, got, want string) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}
