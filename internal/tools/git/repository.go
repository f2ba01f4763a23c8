// Package git reads git repositories, prepares the model's commands that read them, and
// makes worktrees in which agents work.
//
// A repository can name programs that git runs: filters, hooks, a file system
// monitor, a pager, a signature check, an SSH command. git offers no way to ignore
// its configuration, so this package never lets git see it. git runs with an empty
// git directory in a temporary place, which borrows the index and the objects of the
// repository and holds only harmless settings. Commands of the model get more of the
// repository: see View. Branch runs no program at all. A worktree is made without a
// checkout: its files are copied. Start reading at Open, Repository.View and
// AddWorktree.
package git

import (
	"bufio"
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"strings"
)

// Repository is a working tree with its git directory.
type Repository struct {
	Root   string // top directory of the working tree
	dir    string // the git directory; empty if it cannot be read
	common string // the git directory that holds objects and branches
	hidden string // attributes of files whose contents a View does not show
}

// Open returns the repository that contains dir. It reports false if there is none.
func Open(dir string) (Repository, bool) {
	for {
		git := filepath.Join(dir, ".git")
		if fi, err := os.Stat(git); err == nil {
			r := Repository{Root: dir, dir: git}
			if !fi.IsDir() { // a linked worktree or a submodule: the file names the directory
				r.dir = pathIn(git, "gitdir: ", dir)
			}
			r.common = r.dir
			if r.dir != "" {
				r.common = cmp.Or(pathIn(filepath.Join(r.dir, "commondir"), "", r.dir), r.dir)
			}
			return r, true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return Repository{}, false
		}
		dir = up
	}
}

// IsBare reports whether git takes a directory itself for a git directory, such as that of a bare
// repository.
func IsBare(dir string) bool {
	head, err := os.Stat(filepath.Join(dir, "HEAD"))
	return err == nil && !head.IsDir() && isDir(filepath.Join(dir, "objects")) && isDir(filepath.Join(dir, "refs"))
}

// At returns the repository whose git directory is dir, without a working tree: only its objects can
// be looked up.
func At(dir string) Repository { return Repository{Root: dir, dir: dir, common: dir} }

// Common returns the git directory that all worktrees of the repository share; empty if
// it cannot be read.
func (r Repository) Common() string { return r.common }

// State returns the git directory, without symbolic links, that holds the branches and what is
// staged in the repository. It is empty if the repository only names one that does not know it, or
// is a submodule, whose git directory is in that of another repository.
func (r Repository) State() string {
	info, err := os.Lstat(filepath.Join(r.Root, ".git"))
	if err != nil || !info.IsDir() && !r.linked() {
		return ""
	}
	real, err := filepath.EvalSymlinks(r.common)
	if err != nil {
		return ""
	}
	return real
}

// pathIn returns the path in a file, after a prefix and relative to dir. It is empty
// if the file has none.
func pathIn(file, prefix, dir string) string {
	text, err := readFile(file, maxRef)
	to, ok := strings.CutPrefix(strings.TrimSpace(string(text)), prefix)
	if err != nil || !ok || to == "" {
		return ""
	}
	if filepath.IsAbs(to) {
		return filepath.Clean(to)
	}
	return filepath.Join(dir, to)
}

// Branch returns the checked-out branch, or an abbreviated commit. It is empty if it
// is unknown. It reads the files of git and runs no program.
func (r Repository) Branch() string {
	head := r.head()
	if branch, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok {
		return branch
	}
	return head[:min(len(head), 8)]
}

// Head returns the checked-out branch, empty if there is none, and the current commit,
// empty if it is unknown. It reads the files of git and runs no program.
func (r Repository) Head() (branch, commit string) {
	if name, ok := strings.CutPrefix(r.head(), "ref: refs/heads/"); ok {
		branch = name
	}
	return branch, r.commit()
}

// head returns the content of HEAD; empty if it cannot be read.
func (r Repository) head() string {
	if r.dir == "" {
		return ""
	}
	text, err := readFile(filepath.Join(r.dir, "HEAD"), maxRef)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// commit returns the ID of the current commit; empty if there is none, or if the
// repository stores its branches in another format.
func (r Repository) commit() string {
	head := r.head()
	name, isRef := strings.CutPrefix(head, "ref: ")
	if !isRef {
		return commitID(head)
	}
	return r.tip(name)
}

// Tip returns the last commit of a branch; empty if it is unknown. It reads the files of
// git and runs no program.
func (r Repository) Tip(branch string) string { return r.tip("refs/heads/" + branch) }

// tip returns the commit of a reference, like commit.
func (r Repository) tip(name string) string {
	if r.dir == "" {
		return ""
	}
	if !strings.HasPrefix(name, "refs/") || strings.Contains(name, "..") {
		return ""
	}
	for _, dir := range []string{r.dir, r.common} {
		if text, err := readFile(filepath.Join(dir, filepath.FromSlash(name)), maxRef); err == nil {
			return commitID(strings.TrimSpace(string(text)))
		}
	}
	packed, err := readFile(filepath.Join(r.common, "packed-refs"), maxPacked)
	if err != nil {
		return ""
	}
	for lines := bufio.NewScanner(bytes.NewReader(packed)); lines.Scan(); {
		if id, ref, _ := strings.Cut(lines.Text(), " "); ref == name {
			return commitID(id)
		}
	}
	return ""
}

// commitID returns id if it is the ID of a commit; otherwise it is empty.
func commitID(id string) string {
	if !IsObjectID(id) {
		return ""
	}
	return id
}

// IsObjectID reports whether a text is the ID of an object in hexadecimal.
func IsObjectID(text string) bool {
	return (len(text) == 40 || len(text) == 64) && strings.Trim(text, "0123456789abcdef") == ""
}
