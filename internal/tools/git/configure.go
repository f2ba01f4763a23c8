package git

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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
	own := append(slices.DeleteFunc(slices.Clone(os.Environ()), func(v string) bool { return strings.HasPrefix(v, "GIT_") }),
		"GIT_DIR="+s.dir, "GIT_TRACE2=0", "GIT_TRACE2_EVENT=0", "GIT_TRACE2_PERF=0")
	var text strings.Builder
	set := func(name, value string) {
		section, key, _ := strings.Cut(name, ".")
		text.WriteString("[" + section + "]\n\t" + key + " = " + value + "\n")
	}
	var user []byte
	var asked sync.WaitGroup
	asked.Go(func() { user, _ = s.run(ctx, s.dir, own, "config", "--list", "-z") }) // not the repository's: its settings are optional
	repo, err := s.theirs(ctx)
	asked.Wait()
	if err != nil {
		return err
	}
	for name, value := range settings(user) {
		switch {
		case name == "core.excludesfile":
			set(name, quoted(expanded(value)))
		case (name == "core.autocrlf" || name == "core.eol") && isWord(value):
			set(name, value)
		}
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

// theirs returns the settings of the repository's own file, and notes its remotes.
func (s *Session) theirs(ctx context.Context) (map[string]string, error) {
	content, err := readFile(filepath.Join(s.repo.common, "config"), maxConfig)
	if err != nil {
		return nil, nil
	}
	if err := s.write("theirs", string(content)); err != nil { // a copy, because the file could become a pipe
		return nil, err
	}
	out, err := s.run(ctx, s.dir, s.env, "config", "--file", filepath.Join(s.dir, "theirs"), "--no-includes", "--list", "-z")
	if err != nil {
		return nil, err
	}
	s.tracking = tracking(out)
	return settings(out), nil
}

// tracking returns the remotes and the upstream branches among the output of git config
// --list -z, as lines of a configuration file. git remote, git branch and git status
// show them; a command that only reads never connects to a remote.
func tracking(out []byte) string {
	var text strings.Builder
	for entry := range strings.SplitSeq(string(out), "\x00") {
		name, value, _ := strings.Cut(entry, "\n")
		section, rest, _ := strings.Cut(name, ".")
		dot := strings.LastIndexByte(rest, '.')
		if dot < 0 {
			continue
		}
		key := strings.ToLower(rest[dot+1:])
		switch strings.ToLower(section) + "." + key {
		case "remote.url", "remote.pushurl", "remote.fetch", "branch.remote", "branch.merge", "branch.rebase", "branch.description":
			text.WriteString("[" + section + " " + quoted(rest[:dot]) + "]\n\t" + key + " = " + quoted(value) + "\n")
		}
	}
	return text.String()
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
