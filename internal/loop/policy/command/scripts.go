package command

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Programs whose arguments hold a program of their own: sed, jq and go.

// sedScript matches sed scripts that only print: addresses, p, = and q. A regular
// expression must not contain brackets with a slash, or a slash without a backslash:
// every sed then finds the same end of it.
var sedScript = sync.OnceValue(func() *regexp.Regexp {
	expression := `/(\\.|\[[^\]/\\\n]+\]|[^/\\\[\n])*/I?`
	address := `([0-9]+(~[0-9]+)?|\$|` + expression + `)`
	command := `[ \t]*(` + address + `(,[ \t]*(` + address + `|[+~][0-9]+))?)?[ \t]*!?[ \t]*(p|=|q[0-9]*)[ \t]*`
	return regexp.MustCompile(`^` + command + `([;\n]` + command + `)*[;\n]?[ \t]*$`)
})

// streamEditing judges sed.
func (v *prover) streamEditing(p *Part, args []string) string {
	row := newProgram("search", []string{"-nErsuz", "-e:!", "--quiet", "--silent", "--regexp-extended", "--separate", "--unbuffered", "--null-data", "--expression=!", "--posix"})
	a, why := row.sort("sed", args)
	if why != "" {
		return why
	}
	scripts := slices.Concat(a.values["-e"], a.values["--expression"])
	if !a.pattern {
		if len(a.operands) == 0 {
			return "`sed` has no script"
		}
		scripts, a.operands = a.operands[:1], a.operands[1:]
	}
	whole := sedScript()
	for _, s := range scripts {
		if !whole.MatchString(s) {
			return "the script of `sed` is not known to only print"
		}
	}
	if len(a.operands) == 0 && !p.input.piped {
		return "`sed` would wait for input"
	}
	return v.streams(p, "sed", a.operands)
}

// jqOutside matches the functions and variables of jq that read more than the input:
// the environment, modules and names of files. A name after one dot is a field.
var jqOutside = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|[^.A-Za-z0-9_]|\.\.)(env|import|include|modulemeta|input_filename|get_search_list)\b|\bENV\b|__prog`)
})

// querying judges jq.
func (v *prover) querying(p *Part, args []string) string {
	var operands []string
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case w == "--arg", w == "--argjson", w == "--slurpfile", w == "--rawfile":
			if i+2 >= len(args) {
				return "`jq " + w + "` has no value"
			}
			if w == "--slurpfile" || w == "--rawfile" {
				p.opens(args[i+2])
			}
			i += 2
		case w == "--indent" && i+1 < len(args) && !suspect(args[i+1]):
			i++
		case slices.Contains([]string{
			"--compact-output", "--null-input", "--raw-output", "--slurp", "--raw-input", "--exit-status", "--color-output",
			"--monochrome-output", "--ascii-output", "--sort-keys", "--join-output", "--tab", "--seq", "--stream", "--raw-output0", "--version", "--unbuffered",
		}, w):
		case len(w) > 1 && w[0] == '-':
			if w[1] == '-' || strings.Trim(w[1:], "nrcsaSCMjRe") != "" {
				return "`jq` has an option that is not known to be safe: " + shown(w)
			}
		default:
			operands = append(operands, w)
		}
	}
	if len(operands) == 0 {
		if slices.Equal(args, []string{"--version"}) {
			return ""
		}
		return "`jq` has no filter"
	}
	if jqOutside().MatchString(operands[0]) {
		return "the filter of `jq` may read the environment or other files"
	}
	return v.streams(p, "jq", operands[1:])
}

// goVariables are the variables that go env may print. The others can hold
// passwords, or start the C compiler.
var goVariables = [...]string{
	"GOROOT", "GOPATH", "GOMODCACHE", "GOCACHE", "GOBIN", "GOOS", "GOARCH", "GOVERSION", "GOMOD", "GOWORK", "GOHOSTOS", "GOHOSTARCH", "GOTOOLCHAIN", "GOTOOLDIR", "GOEXE",
	"GOEXPERIMENT", "GOAMD64", "GOARM64", "GO111MODULE", "GOTMPDIR", "GOENV", "GODEBUG", "CGO_ENABLED",
}

// goTool judges the go command.
func (v *prover) goTool(p *Part, args []string) string {
	name := first(args)
	rest := args[min(1, len(args)):]
	switch name {
	case "version":
		if len(rest) == 0 {
			return ""
		}
		if rest[0] == "-m" && !slices.ContainsFunc(rest[1:], dashed) {
			p.opens(rest[1:]...)
			return ""
		}
	case "env":
		if len(rest) > 0 && !slices.ContainsFunc(rest, func(w string) bool { return !slices.Contains(goVariables[:], w) }) {
			return ""
		}
		return "`go env` prints or changes settings that may hold secrets; name harmless variables"
	case "list":
		return v.goList(p, rest)
	case "doc":
		for len(rest) > 0 && slices.Contains([]string{"-all", "-u", "-src", "-short", "-c", "-cmd"}, rest[0]) {
			rest = rest[1:]
		}
		if !slices.ContainsFunc(rest, dashed) {
			packages(p, rest)
			return ""
		}
	case "help":
		if !slices.ContainsFunc(rest, dashed) {
			return ""
		}
	}
	return code("go", name) + " is not known to only read"
}

func dashed(w string) bool { return strings.HasPrefix(w, "-") }

// packages adds the directories that package arguments name to the reads of p.
func packages(p *Part, args []string) {
	for _, w := range args {
		if strings.HasPrefix(w, ".") || filepath.IsAbs(w) {
			p.opens(strings.TrimSuffix(w, "/..."))
		}
	}
}

// goList judges go list. Fields about stale packages make it run git in the
// repository; versions make it use the network.
func (v *prover) goList(p *Part, args []string) string {
	unsafe := func(w string) string { return "`go list` has an argument that is not known to be safe: " + shown(w) }
	tracked := !slices.Contains(args, "-buildvcs=false")
	for len(args) > 0 && dashed(args[0]) {
		w := args[0]
		args = args[1:]
		name, value, attached := strings.Cut(w, "=")
		switch name {
		case "-m", "-deps", "-test", "-e", "-find":
			if attached {
				return unsafe(w)
			}
		case "-buildvcs", "-mod":
			if value != "false" && value != "readonly" && value != "vendor" {
				return unsafe(w)
			}
		case "-json":
			if tracked && (!attached || strings.Contains(value, "Stale")) || strings.Contains(value, "Export") {
				return "`go list -json` runs git in the repository; name fields, or add -buildvcs=false"
			}
		case "-f", "-tags":
			if !attached {
				if len(args) == 0 {
					return unsafe(w)
				}
				value, args = args[0], args[1:]
			}
			if dashed(value) || strings.Contains(value, ".Stale") || strings.Contains(value, ".Export") {
				return unsafe(value)
			}
		default:
			return unsafe(w)
		}
	}
	for _, w := range args {
		if dashed(w) || strings.Contains(w, "@") {
			return unsafe(w)
		}
	}
	packages(p, args)
	return ""
}
