package trust

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/realpath"
	"agent/internal/tools/manifest"
)

// loaded are variables with files or options by which programs load code, besides searchPaths.
var loaded = []string{
	"BASH_ENV", "ENV", "NODE_OPTIONS", "BUN_OPTIONS", "PYTHONSTARTUP", "PERL5OPT", "RUBYOPT", "LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES",
	"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "LUA_INIT", "PHPRC", "MAKEFILES", "MAKEFLAGS", "BUNDLE_GEMFILE", "GIT_CONFIG_GLOBAL",
	"GIT_SSH_COMMAND", "OPENSSL_CONF", "NPM_CONFIG_USERCONFIG", "npm_config_userconfig", "UV_CONFIG_FILE", "DENO_CONFIG",
}

// Server is like Commands for a program that the user configures, which starts in dir. It
// finds only what the program would run there: not the files and directories that the command
// passes as data, nor manifests of a project that the program does not read. If dir is outside
// root, only absolute paths lead there. Env has the variables that the user adds.
func Server(root, dir string, command, env []string) (text string, files []string) {
	name, args := command[0], command[1:]
	outside := !realpath.Reaches(dir, root)
	local := func(words []string) []string { return localWords(root, dir, words) }
	if outside {
		dir = root
		local = func(words []string) []string { return localWords(root, dir, absolute(words)) }
	}
	var all []launch
	started := programsOf(name, env)
	if slices.Contains(starters, launcher(name)) { // env tool
		for _, word := range wordsIn(strings.Join(args, "\n")) {
			started = append(started, programsOf(word, env)...)
		}
	}
	if programs := local(started); len(programs) > 0 {
		all = append(all, launch{root: root, dir: dir, words: programs})
	}
	if !elsewhere(root, args) {
		l := newArguments(name, args)
		l.outside = outside && len(localWords(root, dir, absolute(workingDirs(args)))) == 0
		if l.root, l.dir = root, dir; l.outside {
			l.words = absolute(l.words)
		}
		l.words = localWords(root, dir, l.words)
		all = append(all, l)
	}
	for _, assignment := range env {
		if variable, value, _ := strings.Cut(assignment, "="); slices.Contains(loaded, variable) || slices.Contains(searchPaths, variable) {
			words := local(wordsIn(value))
			all = append(all, launch{outside: outside, root: root, dir: dir, line: variable + "=" + strings.Join(words, ":"), words: words, packages: words, node: isNode(variable), python: isPython(variable)})
		}
	}
	var lines, paths []string
	for _, l := range all {
		lines, paths = append(lines, strings.Join(l.words, "\n")), append(paths, l.paths()...)
	}
	if !outside {
		for _, in := range (launch{root: root, dir: dir}).above() {
			paths = append(paths, existing(in, manifest.Versions())...)
		}
	}
	return describeAll(root, dir, lines, paths)
}

// absolute returns the absolute paths among words.
func absolute(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !filepath.IsAbs(word) })
}

// newArguments returns what the arguments of a program may make it run.
func newArguments(name string, args []string) launch {
	kind := launcher(name)
	fetched := fetches(kind, args)
	switch {
	case fetched || interprets(kind) || slices.Contains(runners, kind):
		operands, rest := operand(kind, args)
		words := wordsIn(strings.Join(operands, "\n"))
		l := launch{programs: append([]string{name}, interpreters(operands)...), words: words, packages: words, node: isNode(kind), python: isPython(kind), fetches: fetched}
		if fetched && kind != "pipx" { // which prefers a file of that name
			l.words = append(slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !strings.HasPrefix(word, ".") && !filepath.IsAbs(word) }), workingDirs(args)...)
		}
		if len(operands) > 0 && !interprets(kind) { // npx tsx server.ts, uvx proxy npx server
			l.add(wrapped(append(operands[len(operands)-1:], rest...)))
		}
		return l
	case slices.Contains(starters, kind) || len(manifest.Files(name)) > 0 || slices.Contains(args, "compose"): // docker compose
		l := newLaunch("", "", strings.Join(args, "\n"))
		l.programs = append(l.programs, name)
		return l
	}
	l := launch{words: slices.DeleteFunc(slices.Clone(args), func(word string) bool { return !isCode(word) })}
	l.add(wrapped(args)) // op run -- npx server
	return l
}

// wrapped returns what the command that a program is given in its arguments makes run: from
// the first argument on that is, or begins with, a program known to run others.
func wrapped(args []string) launch {
	for i, arg := range args {
		words := append(strings.Fields(arg), args[i+1:]...)
		if len(words) == len(args)-i-1 {
			continue
		}
		kind := launcher(words[0])
		if fetches(kind, words[1:]) || interprets(kind) || slices.Contains(runners, kind) || slices.Contains(starters, kind) {
			return newArguments(words[0], words[1:])
		}
	}
	return launch{}
}

// add adds what another command makes run.
func (l *launch) add(inner launch) {
	l.words, l.programs, l.packages = append(l.words, inner.words...), append(l.programs, inner.programs...), append(l.packages, inner.packages...)
	l.node, l.python = l.node || inner.node, l.python || inner.python
}

// interpreters returns those that words name, as in node --import tsx and in
// file:///opt/node_modules/tsx/dist/loader.mjs.
func interpreters(words []string) (names []string) {
	for _, word := range words {
		for name := range strings.SplitSeq(filepath.ToSlash(word), "/") {
			if interprets(launcher(name)) {
				names = append(names, name)
			}
		}
	}
	return names
}

// programsOf returns the paths of the programs that start if a program is started by its name:
// its own, and those that its first line names.
func programsOf(name string, env []string) (paths []string) {
	path := os.Getenv("PATH")
	for _, assignment := range env {
		if value, ok := strings.CutPrefix(assignment, "PATH="); ok {
			path = value
		}
	}
	for range 3 { // a script, env, and an interpreter that is a script
		if !strings.ContainsAny(name, `/`+string(filepath.Separator)) {
			name = lookUp(name, path)
		}
		if name == "" {
			return paths
		}
		paths = append(paths, name)
		words := strings.Fields(firstLine(name))
		if len(words) > 1 && programName(words[0]) == "env" {
			words = slices.DeleteFunc(words[1:], func(word string) bool { return strings.HasPrefix(word, "-") || strings.Contains(word, "=") })
		}
		if len(words) == 0 {
			return paths
		}
		name = words[0]
	}
	return paths
}

// lookUp returns the path of a program in the directories of PATH, which are without links;
// "" if there is none. Relative directories do not count, as in exec.LookPath.
func lookUp(name, path string) string {
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		file := filepath.Join(realpath.Of(dir), name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return file
		}
	}
	return ""
}

// firstLine returns what follows #! in the first line of a script; "" for other files.
func firstLine(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	start := make([]byte, 256)
	n, _ := io.ReadFull(f, start)
	line, _, _ := strings.Cut(string(start[:n]), "\n")
	line, ok := strings.CutPrefix(line, "#!")
	if !ok {
		return ""
	}
	return line
}

// runners are programs that run the program that their first operand names, with the other
// arguments.
var runners = []string{"uv", "poetry", "pdm", "hatch", "pipenv", "rye", "npm", "pnpm", "yarn", "bundle"}

// starters are programs whose arguments can name a program.
var starters = []string{
	"sh", "bash", "zsh", "dash", "ksh", "fish", "cmd", "powershell", "pwsh", "env", "sudo", "doas", "nice", "nohup", "timeout", "time", "setsid", "stdbuf", "xargs", "busybox", "dotnet",
	"direnv", "mise", "watchexec", "nodemon", "concurrently",
}

// launcher returns the name of a program, or of a package with a version, without both.
func launcher(name string) string {
	kind, _, _ := strings.Cut(programName(name), "@")
	return kind
}

// interprets reports whether a program runs the file that its first operand names.
func interprets(kind string) bool {
	switch kind {
	case "node", "nodejs", "tsx", "ts-node", "vite-node", "deno", "bun", "ruby", "perl", "php", "lua", "java", "rscript", "osascript":
		return true
	}
	return strings.HasPrefix(kind, "python") || strings.HasPrefix(kind, "pypy")
}

// fetches reports whether a command runs a package that it downloads if necessary.
func fetches(kind string, args []string) bool {
	i := slices.IndexFunc(args, func(arg string) bool { return !strings.HasPrefix(arg, "-") })
	first := ""
	if i >= 0 {
		first = args[i]
	}
	switch kind {
	case "npx", "bunx", "pnpx", "uvx":
		return true
	case "pnpm", "yarn":
		return first == "dlx"
	case "npm":
		return first == "exec" || first == "x"
	case "bun":
		return first == "x"
	case "pipx":
		return first == "run"
	case "uv":
		return first == "tool"
	case "go":
		return first == "run" && slices.ContainsFunc(args, func(arg string) bool { return strings.Contains(arg, "@") })
	}
	return false
}

// operand returns the words of a command up to the file, the package or the module that it
// runs, without its first words such as run, and the arguments for that. A word after an
// option may be its value: then it is not the last one.
func operand(kind string, args []string) (words, rest []string) {
	python := strings.HasPrefix(kind, "py")
	first, value := true, false
	for i, arg := range args {
		switch {
		case arg == "--":
			value = false
		case strings.HasPrefix(arg, "-"):
			words = append(words, arg)
			if python {
				value = arg == "-W" || arg == "-X"
				if module := strings.HasPrefix(arg, "-m") || strings.HasPrefix(arg, "-c"); module {
					end := min(len(args), i+1)
					if len(arg) == 2 {
						end = min(len(args), i+2)
					}
					return append(words, args[i+1:end]...), args[end:]
				}
			} else {
				value = !slices.Contains(switches, arg) && !strings.Contains(arg, "=")
			}
		case first && !value && slices.Contains([]string{"run", "x", "exec", "dlx", "tool"}, arg) && slices.Contains(withCommands, kind):
		default:
			first = false
			if words = append(words, arg); !value {
				return words, args[i+1:]
			}
			value = false
		}
	}
	return words, nil
}

// switches are options without a value.
var switches = []string{"-y", "--yes", "-q", "--quiet", "-A", "--allow-all", "-u", "--silent", "-s"}

// withCommands are programs whose first operand is a command, such as run.
var withCommands = append([]string{"deno", "bun", "pipx", "go"}, runners...)

// ImportsFromDir reports whether a command is Python that can import modules from its working
// directory before it runs a file.
func ImportsFromDir(command []string) bool {
	for i, word := range command {
		if strings.HasPrefix(programName(word), "python") {
			words, _ := operand("python", command[i+1:])
			return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "-m") || strings.HasPrefix(w, "-c") })
		}
	}
	return false
}

// elsewhere reports whether an option makes a program work in a directory outside root.
func elsewhere(root string, args []string) bool {
	return slices.ContainsFunc(workingDirs(args), func(dir string) bool {
		return filepath.IsAbs(dir) && !realpath.Inside(dir, root) && !realpath.Inside(realpath.Of(dir), realpath.Of(root))
	})
}

// workingDirs returns the directories in which options make a program work or look for
// packages.
func workingDirs(args []string) (dirs []string) {
	for i, arg := range args {
		option, dir, ok := strings.Cut(arg, "=")
		if !ok && i+1 < len(args) {
			dir = args[i+1]
		}
		switch option {
		case "--directory", "--prefix", "--cwd", "--dir", "-C", "-w", "--workspace":
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// isCode reports whether a word has the form of a file with a program.
func isCode(word string) bool {
	switch strings.ToLower(filepath.Ext(word)) {
	case ".js", ".mjs", ".cjs", ".ts", ".mts", ".py", ".pyz", ".rb", ".pl", ".php", ".lua", ".sh", ".bash", ".jar", ".ps1", ".bat", ".cmd", ".exe", ".wasm", ".so":
		return true
	}
	return false
}

// localWords returns the words that can name something in root, relative to dir. An absolute
// path may lead there through links.
func localWords(root, dir string, words []string) (out []string) {
	real := realpath.Of(root)
	for _, word := range words {
		if !filepath.IsAbs(word) {
			out = append(out, word)
			continue
		}
		for _, path := range realpath.Steps(word) {
			if in, ok := realpath.Rel(path, real); ok && !realpath.Inside(path, root) {
				path = filepath.Join(root, in)
			}
			if rel, err := filepath.Rel(dir, path); err == nil && realpath.Inside(path, root) && !slices.Contains(out, rel) {
				out = append(out, rel)
			}
		}
	}
	return out
}
