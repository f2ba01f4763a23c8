package git

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// harmless are the settings of a repository that the temporary git directory gets:
// without them, git would misread the working tree or the objects. None of them
// names a file or a program.
func harmless() []string {
	return []string{"core.filemode", "core.symlinks", "core.ignorecase", "core.precomposeunicode", "core.autocrlf", "core.eol", "extensions.objectformat"}
}

// isWord reports whether a harmless setting can have that value.
func isWord(value string) bool {
	return value != "" && len(value) <= 16 && strings.Trim(value, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// configure writes the harmless settings of the user and of the repository. git only
// parses the files for that: it acts on none of the settings.
func (s *Session) configure(ctx context.Context) error {
	own := append(slices.DeleteFunc(slices.Clone(os.Environ()), func(v string) bool { return strings.HasPrefix(v, "GIT_") }), "GIT_DIR="+s.dir)
	var text strings.Builder
	set := func(name, value string) {
		section, key, _ := strings.Cut(name, ".")
		text.WriteString("[" + section + "]\n\t" + key + " = " + value + "\n")
	}
	user, _ := s.run(ctx, s.dir, own, "config", "--list", "-z") // not the repository's: its settings are optional
	for name, value := range settings(user) {
		switch {
		case name == "core.excludesfile":
			set(name, quoted(expanded(value)))
		case (name == "core.autocrlf" || name == "core.eol") && isWord(value):
			set(name, value)
		}
	}
	var repo map[string]string
	config := filepath.Join(s.repo.common, "config")
	if content, err := readFile(config, maxConfig); err == nil { // a copy, because the file could become a pipe
		if err := s.write("theirs", string(content)); err != nil {
			return err
		}
		out, err := s.run(ctx, s.dir, s.env, "config", "--file", filepath.Join(s.dir, "theirs"), "--no-includes", "--list", "-z")
		if err != nil {
			return err
		}
		repo = settings(out)
	}
	s.bare = repo["core.bare"] == "true" && s.repo.dir == s.repo.common
	if repo["extensions.objectformat"] != "" {
		set("core.repositoryformatversion", "1")
	}
	for _, name := range harmless() {
		if value := strings.ToLower(repo[name]); isWord(value) {
			set(name, value)
		}
	}
	return s.write("config", text.String())
}

// settings parses the output of git config --list -z.
func settings(out []byte) map[string]string {
	all := map[string]string{}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		name, value, hasValue := strings.Cut(entry, "\n")
		if !hasValue {
			value = "true"
		}
		all[strings.ToLower(name)] = value
	}
	return all
}

// expanded returns a path of the user's configuration with the home directory in
// place of a tilde.
func expanded(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return path
}

// quoted returns a value in the notation of a configuration file.
func quoted(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(value) + `"`
}
