package confine

import (
	"slices"
	"strings"

	"agent/internal/tools/shell/sandbox"
)

// ProgramExtents returns what a check or a hook may reach, the most first: the caller uses
// the next one if the supervisor cannot keep files. The user chose the program, but files
// that the model can change may decide what it executes, such as a Makefile. Like a command
// that nobody approved, it has no network and sees only toolchains in the home directory.
// If undo records what it changes, it can change the workspace. There are no extents if the
// system has no sandbox.
func (a *Area) ProgramExtents(recorded bool) []Extent {
	session := a.Session()
	switch {
	case session == nil || session.Form() == sandbox.None:
		return nil
	case recorded && session.Form() == sandbox.Complete:
		return []Extent{{HideHome: true}, {Private: true}}
	}
	return []Extent{{Private: true}}
}

// ProgramEnv returns env for a program that may not change git directories: git status,
// which also go build runs, does not try to update the index then.
func ProgramEnv(env []string) []string {
	const name = "GIT_OPTIONAL_LOCKS="
	env = slices.DeleteFunc(slices.Clone(env), func(v string) bool { return strings.HasPrefix(v, name) })
	return append(env, name+"0")
}
