package trust

import (
	"path/filepath"
	"slices"
	"strings"
)

// NamesRelativePath reports whether a program or one of its arguments names a path that depends
// on the directory in which the program starts. It looks only at the words, not at files, because
// a repository must not decide the answer.
func NamesRelativePath(command []string) bool {
	kind := launcher(command[0])
	if isRelative(command[0]) || interprets(kind) && interpretsRelative(kind, command[1:]) {
		return true
	}
	image := slices.Contains([]string{"docker", "podman", "nerdctl"}, kind) // docker run mcp/fetch
	for _, arg := range command[1:] {
		for word := range strings.FieldsFuncSeq(arg, func(r rune) bool { return strings.ContainsRune(" \t\n'\"();&|", r) }) { // sh -c "node a.js"
			if word == "pwd" || strings.Contains(word, "$PWD") {
				return true
			}
			for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return r == '=' || r == ',' }) { // --mount src=./a,dst=/b
				if isRelative(part) && !strings.Contains(word, "://") && (!image || strings.HasPrefix(part, ".")) {
					return true
				}
			}
		}
	}
	return false
}

// isRelative reports whether a word has the form of a relative path: ./x, .env, src/x or x.js,
// but not @scope/package, github:owner/name, host.example/name or an option.
func isRelative(word string) bool {
	switch first, _, nested := strings.Cut(filepath.ToSlash(word), "/"); {
	case strings.HasPrefix(word, "."):
		return true
	case filepath.IsAbs(word), word == "", strings.ContainsAny(word[:1], "-~/"), strings.ContainsAny(word, ":@$"):
		return false
	case isCode(word), isData(word):
		return true
	default:
		return nested && !strings.Contains(first, ".")
	}
}

// interpretsRelative reports whether the file that an interpreter runs is a relative path, which
// can be a plain word: node server.
func interpretsRelative(kind string, args []string) bool {
	if fetches(kind, args) {
		return false
	}
	words, rest := operand(kind, args)
	if rest == nil || strings.HasPrefix(kind, "py") && ImportsFromDir(append([]string{kind}, args...)) {
		return false
	}
	file := words[len(words)-1]
	return !filepath.IsAbs(file) && !strings.ContainsAny(file, ":~")
}

// isData reports whether a word has the form of a file with data or settings.
func isData(word string) bool {
	switch strings.ToLower(filepath.Ext(word)) {
	case ".json", ".jsonc", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".env", ".xml", ".csv", ".txt", ".md", ".db", ".sqlite", ".sqlite3", ".duckdb", ".log", ".pem":
		return true
	}
	return false
}
