package git

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// maxListing limits the output of a command that lists files, in bytes.
const maxListing = 64 << 20

// indexEntry is an entry of the index.
type indexEntry struct {
	path  string // relative to the top directory, with slashes
	mode  string // octal: "100644", "100755", "120000", "160000"
	id    string // of the blob or commit
	stage string // "0", or "1" to "3" for the sides of a conflict
	skip  bool   // a sparse checkout leaves the file out
}

// isSubmodule reports whether the entry is a commit of another repository.
func (e indexEntry) isSubmodule() bool { return e.mode == "160000" }

// index returns the entries of the index of the repository.
func (s *Session) index(ctx context.Context) ([]indexEntry, error) {
	names, err := s.list(ctx, s.repo.Root, s.env, "ls-files", "-z", "--stage", "-t")
	if err != nil {
		return nil, err
	}
	var all []indexEntry
	for _, line := range names {
		facts, path, ok := strings.Cut(line, "\t")
		fields := strings.Fields(facts)
		if !ok || len(fields) != 4 || commitID(fields[2]) == "" {
			return nil, fmt.Errorf("git ls-files: cannot parse %q", line)
		}
		all = append(all, indexEntry{path: path, skip: fields[0] == "S", mode: fields[1], id: fields[2], stage: fields[3]})
	}
	return all, nil
}

// untracked returns the files in top that are not in the index of env and are not
// ignored. A path that ends with a slash is a nested repository.
func (s *Session) untracked(ctx context.Context, top string, env []string) ([]string, error) {
	return s.list(ctx, top, env, "ls-files", "-z", "--others", "--exclude-standard")
}

// list runs a command that prints a list separated by NUL bytes.
func (s *Session) list(ctx context.Context, dir string, env []string, args ...string) ([]string, error) {
	out, complete, err := s.command(ctx, command{dir: dir, env: env, limit: maxListing, args: args})
	switch {
	case err != nil:
		return nil, err
	case !complete:
		return nil, errors.New("the repository has too many files")
	case len(out) == 0:
		return nil, nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}

// writeIndex writes entries to the index of env.
func (s *Session) writeIndex(ctx context.Context, env []string, entries []indexEntry) error {
	var all, skipped strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&all, "%s %s %s\t%s\x00", e.mode, e.id, e.stage, e.path)
		if e.skip {
			skipped.WriteString(e.path + "\x00")
		}
	}
	if err := s.updateIndex(ctx, env, all.String(), "--index-info"); err != nil {
		return err
	}
	if skipped.Len() > 0 {
		if err := s.updateIndex(ctx, env, skipped.String(), "--skip-worktree", "--stdin"); err != nil {
			return err
		}
	}
	// It fails if a file differs from the index.
	_ = s.updateIndex(ctx, env, "", "-q", "--refresh", "--ignore-submodules")
	return ctx.Err()
}

func (s *Session) updateIndex(ctx context.Context, env []string, input string, args ...string) error {
	_, _, err := s.command(ctx, command{
		dir: s.dir, env: env, input: strings.NewReader(input), limit: maxOutput,
		args: append([]string{"update-index", "-z"}, args...),
	})
	return err
}
