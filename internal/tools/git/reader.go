package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"agent/internal/scratch"
)

// Reader finds repositories and checks whether a View of them can be made. It is safe for
// concurrent use.
type Reader struct {
	tested func() error
}

// NewReader returns a Reader. Its first use runs git to test whether the installed
// version honors the variables of a View.
func NewReader() *Reader { return &Reader{tested: sync.OnceValue(testVersion)} }

// Test returns why the commands of a View cannot run on this system; nil if they can.
func (r *Reader) Test() error { return r.tested() }

// Open returns the repository of dir, an absolute path without symbolic links, and the
// directories that its commands read. The repository is the zero value if there is
// none. The error says why a View of it cannot be made, as a clause for the user.
func (r *Reader) Open(dir string) (Repository, []string, error) {
	if err := r.tested(); err != nil {
		return Repository{}, nil, err
	}
	repo, found := Open(dir)
	if !found {
		return Repository{}, nil, nil
	}
	if repo.dir == "" || !isDir(repo.common) {
		return Repository{}, nil, errors.New("its git directory cannot be read")
	}
	if _, err := os.Lstat(filepath.Join(repo.common, "reftable")); err == nil {
		return Repository{}, nil, errors.New("its repository stores branches in an unknown format")
	}
	borrowed, err := repo.alternates()
	if err != nil {
		return Repository{}, nil, err
	}
	reads := append([]string{repo.Root}, borrowed...)
	if !repo.linked() {
		reads = append(reads, repo.stores()...)
	}
	return repo, reads, nil
}

// stores returns the files and directories that hold the data of the repository. Each
// could be a symbolic link.
func (r Repository) stores() []string {
	out := []string{r.dir, r.common, filepath.Join(r.dir, "index")}
	for _, name := range r.parts() {
		out = append(out, filepath.Join(r.common, name))
	}
	return out
}

// parts returns the names of the parts of the common directory that commands read.
func (r Repository) parts() []string {
	return append([]string{"objects", "info/exclude", "info/attributes"}, shared[:]...)
}

// linked reports whether the repository is a worktree that its main repository lists.
// A .git file that names a git directory elsewhere is not enough, because anybody can
// write one. Listing a worktree needs write access to the main repository.
func (r Repository) linked() bool {
	common, err := filepath.EvalSymlinks(r.common)
	if err != nil {
		return false
	}
	dir, err := filepath.EvalSymlinks(r.dir)
	if err != nil || filepath.Dir(dir) != filepath.Join(common, "worktrees") {
		return false
	}
	for _, name := range r.parts() {
		path := filepath.Join(common, filepath.FromSlash(name))
		if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
			return false
		}
	}
	return sameFile(pathIn(filepath.Join(dir, "gitdir"), "", dir), filepath.Join(r.Root, ".git"))
}

// sameFile reports whether two paths name the same existing file.
func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// maxAlternates limits the object directories that a repository borrows.
const maxAlternates = 10

// alternates returns the object directories of other repositories that this one uses.
func (r Repository) alternates() ([]string, error) {
	var found []string
	todo := []string{filepath.Join(r.common, "objects")}
	for len(todo) > 0 {
		objects := todo[0]
		todo = todo[1:]
		text, err := readFile(filepath.Join(objects, "info", "alternates"), maxConfig)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, errors.New("the objects that its repository borrows cannot be listed")
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimRight(line, "\n")
			if line == "" || line[0] == '#' {
				continue
			}
			if line[0] == '"' {
				return nil, errors.New("the objects that its repository borrows cannot be listed")
			}
			if !filepath.IsAbs(line) {
				line = filepath.Join(objects, line)
			}
			found, todo = append(found, line), append(todo, line)
		}
		if len(found) > maxAlternates {
			return nil, errors.New("its repository borrows objects from too many others")
		}
	}
	return found, nil
}

// testLimit is the time limit of testVersion.
const testLimit = 10 * time.Second

// testVersion returns an error unless the installed git ignores the configuration of a
// repository and of the user when the variables of a View tell it to. It marks settings of
// a temporary repository and lists all settings that git sees.
func testVersion() error {
	dir, err := scratch.MkdirTemp("agent-git-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	const mark = "agent-mark-5c1d"
	marked := "[core]\n\trepositoryformatversion = 0\n[x]\n\ty = " + mark + "\n"
	for name, text := range map[string]string{
		"repo/.git/config": marked, "repo/.git/config.worktree": marked, "repo/.git/HEAD": "ref: refs/heads/none\n", "repo/.git/refs/x": "", "repo/.git/objects/x": "",
		"home/.gitconfig": marked, "home/git/config": marked,
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			return err
		}
	}
	repo, _ := Open(filepath.Join(dir, "repo"))
	ctx, stop := context.WithTimeout(context.Background(), testLimit)
	defer stop()
	v, err := repo.View(ctx)
	if err != nil {
		return fmt.Errorf("git cannot run without the configuration of its repository: %w", err)
	}
	defer v.Close()
	cmd := exec.CommandContext(ctx, v.session.git, "config", "--list")
	home := filepath.Join(dir, "home")
	cmd.Dir, cmd.Env = repo.Root, append(v.Env(), "HOME="+home, "XDG_CONFIG_HOME="+home, "PATH="+os.Getenv("PATH"))
	out, err := cmd.Output()
	if err != nil || bytes.Contains(out, []byte(mark)) || !bytes.Contains(out, []byte("core.hookspath=")) {
		return errors.New("this version of git cannot ignore the configuration of its repository")
	}
	return nil
}
