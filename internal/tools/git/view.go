package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// View runs commands of the model that only read a repository: git log, git diff. git
// sees the repository as it is, except for its configuration. Close the View once the
// commands have ended.
//
// The variables of Env name the git directory of the repository, but replace its common
// directory (the part that linked worktrees share) by a temporary one with only harmless
// settings. Its branches, tags and logs are symbolic links to those of the repository. So no filter, text conversion, diff program, pager, signature
// check, file system monitor, hook or alias exists, and submodules count as unchanged,
// because git would read their configuration too.
type View struct {
	session *Session // nil if there is no repository
	env     []string
}

// shared lists the parts of a common directory that commands read in the repository
// itself. None of them names a program.
var shared = [...]string{"refs", "packed-refs", "logs", "worktrees", "shallow"}

// Hiding returns the repository with files whose contents a View does not show: git
// treats those with a name of patterns as binary, except for those with one of the
// extensions. A star in a pattern stands for any text, and the case of letters does not
// matter.
func (r Repository) Hiding(patterns, except []string) Repository {
	if r == (Repository{}) {
		return r
	}
	var text strings.Builder
	for _, p := range patterns {
		text.WriteString(anyCase(p) + " -diff\n")
	}
	for _, extension := range except {
		text.WriteString("*" + anyCase(extension) + " !diff\n")
	}
	r.hidden = text.String()
	return r
}

// anyCase returns a pattern that matches names without regard to case.
func anyCase(pattern string) string {
	var out strings.Builder
	for _, c := range pattern {
		if upper := unicode.ToUpper(c); upper != c {
			out.WriteString("[" + string(c) + string(upper) + "]")
		} else {
			out.WriteRune(c)
		}
	}
	return out.String()
}

// View prepares commands that only read the repository. The zero Repository stands for
// none: git then says so.
func (r Repository) View(ctx context.Context) (*View, error) {
	if r == (Repository{}) {
		return &View{env: append(isolated(), "GIT_DIR="+os.DevNull)}, nil
	}
	s, err := r.Session(ctx)
	if err != nil {
		return nil, err
	}
	v := &View{session: s}
	if err := v.prepare(); err != nil {
		v.Close()
		return nil, err
	}
	return v, nil
}

// prepare makes the temporary directory of the session a common directory.
func (v *View) prepare() error {
	s := v.session
	if s.bare {
		return errors.New("the repository has no working tree")
	}
	if err := s.share(); err != nil {
		return err
	}
	config, err := os.ReadFile(filepath.Join(s.dir, "config"))
	if err != nil {
		return err
	}
	fixed := "[core]\n\tfsmonitor = false\n\thooksPath = " + os.DevNull + "\n\tattributesFile = " + os.DevNull + "\n\tpager = cat\n[diff]\n\tignoreSubmodules = dirty\n"
	if err := s.write("config", string(config)+s.tracking+fixed); err != nil {
		return err
	}
	programs := filepath.Join(s.dir, "programs")
	if err := os.Mkdir(programs, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(programs, "git"), []byte(s.wrapper()), 0o700); err != nil {
		return err
	}
	v.env = append(isolated(),
		"GIT_DIR="+s.repo.dir, "GIT_COMMON_DIR="+s.dir, "GIT_WORK_TREE="+s.repo.Root,
		"GIT_OBJECT_DIRECTORY="+filepath.Join(s.repo.common, "objects"), "GIT_EXEC_PATH="+programs,
	)
	return nil
}

// share replaces parts of the temporary directory by links to those of the repository.
func (s *Session) share() error {
	for _, name := range shared {
		link := filepath.Join(s.dir, name)
		if err := os.RemoveAll(link); err != nil {
			return err
		}
		if err := os.Symlink(filepath.Join(s.repo.common, name), link); err != nil {
			return err
		}
	}
	own, _ := readFile(filepath.Join(s.repo.common, "info", "attributes"), maxConfig) // most repositories have none
	return s.write("info/attributes", string(own)+"\n"+s.repo.hidden)
}

// wrapper returns a script that git runs when it starts itself, as git stash list starts
// git log. In a submodule, which has another git directory, it does nothing.
func (s *Session) wrapper() string {
	return "#!/bin/sh\n[ \"$GIT_COMMON_DIR\" = " + word(s.dir) + " ] && [ \"$GIT_DIR\" = " + word(s.repo.dir) + " ] || exit 0\nexec " + word(s.git) + " \"$@\"\n"
}

// word returns text as a word of a shell script.
func word(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// Env returns the variables with which git runs. The other variables of the command
// must hold none that begins with GIT_, and none that names a program.
func (v *View) Env() []string { return v.env }

// Dirs returns the temporary directory, if there is one. Commands must not change it.
func (v *View) Dirs() []string {
	if v.session == nil {
		return nil
	}
	return []string{v.session.dir}
}

// Close removes the temporary directory.
func (v *View) Close() {
	if v.session != nil {
		v.session.Close()
	}
}
