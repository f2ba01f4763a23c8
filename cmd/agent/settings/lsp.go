package settings

import (
	"fmt"
	"slices"
	"strings"
)

// LanguageServer configures a language server, or overrides a built-in one.
type LanguageServer struct {
	Command  Command  `json:"command,omitempty" what:"program with its arguments, run without a shell: a list, or text that is split at spaces (required for a server that is not built in)"`
	Files    []string `json:"files,omitempty" format:"glob" what:"files that the server knows: *.go by name, web/**/*.ts by path (required for a server that is not built in)"`
	Roots    []string `json:"roots,omitempty" what:"names of files such as go.mod; the server starts in the nearest directory above a file that has one of them (default: the working directory)"`
	Settings Object   `json:"settings,omitempty" what:"initializationOptions for the server"`
}

// BuiltInServers are the language servers that a user can name without describing them.
func BuiltInServers() map[string]LanguageServer {
	words := func(line string) Command { return Command{Words: strings.Fields(line)} }
	return map[string]LanguageServer{
		"gopls":                      {Command: words("gopls"), Files: []string{"*.go"}, Roots: []string{"go.work", "go.mod"}},
		"typescript-language-server": {Command: words("typescript-language-server --stdio"), Files: []string{"*.{ts,tsx,mts,cts,js,jsx,mjs,cjs}"}, Roots: []string{"tsconfig.json", "jsconfig.json", "package.json"}},
		"pyright":                    {Command: words("pyright-langserver --stdio"), Files: []string{"*.{py,pyi}"}, Roots: []string{"pyrightconfig.json", "pyproject.toml", "setup.py", "requirements.txt"}},
		"rust-analyzer":              {Command: words("rust-analyzer"), Files: []string{"*.rs"}, Roots: []string{"Cargo.toml"}},
		"clangd":                     {Command: words("clangd"), Files: []string{"*.{c,h,cc,hh,cpp,hpp,cxx}"}, Roots: []string{"compile_commands.json", "compile_flags.txt", ".clangd"}},
	}
}

// Args returns the words of a command that runs without a shell.
func (c Command) Args() []string {
	if c.Line != "" {
		return strings.Fields(c.Line)
	}
	return slices.Clone(c.Words)
}

// LanguageServers returns the configured language servers. Fields that are not set come
// from the built-in server of the same name.
func (s *Settings) LanguageServers() map[string]LanguageServer {
	all := map[string]LanguageServer{}
	for name, l := range s.LSP {
		from := BuiltInServers()[name]
		if l.Command.Empty() {
			l.Command = from.Command
		}
		if l.Files == nil {
			l.Files = from.Files
		}
		if l.Roots == nil {
			l.Roots = from.Roots
		}
		all[name] = l
	}
	return all
}

// checkPrograms returns an error for a language server or a formatter without a program.
func (s *Settings) checkPrograms(lines map[string]int) error {
	for name, l := range s.LanguageServers() {
		at := "lsp." + name
		switch {
		case len(l.Command.Args()) == 0 || l.Command.Args()[0] == "":
			return fmt.Errorf("%d: %s: missing \"command\": the program of the language server", lines[at], at)
		case len(l.Files) == 0:
			return fmt.Errorf("%d: %s: missing \"files\", such as [\"*.go\"]", lines[at], at)
		}
	}
	for glob, c := range s.Format {
		at := "format." + glob
		if args := c.Args(); len(args) == 0 || args[0] == "" {
			return fmt.Errorf("%d: %s must be a program such as gofmt", lines[at], at)
		}
		if err := text(glob, `format:"glob"`, at); err != nil {
			return fmt.Errorf("%d: %w", lines[at], err)
		}
	}
	return nil
}
