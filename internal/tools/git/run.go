package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agent/internal/realpath"
	"agent/internal/scratch"
)

// Session runs git commands on a repository. Close it.
type Session struct {
	repo Repository
	git  string // the program
	dir  string // the temporary git directory
	env  []string
	bare bool // the repository has no working tree

	tracking string // remotes and upstream branches, as lines of a configuration file
}

// Session prepares the commands on a repository. The error says why git cannot run.
func (r Repository) Session(ctx context.Context) (*Session, error) {
	if r.dir == "" {
		return nil, errors.New("the git directory cannot be read")
	}
	git, err := exec.LookPath("git")
	if err != nil {
		return nil, err
	}
	if within(r.Root, git) {
		return nil, fmt.Errorf("%s is in the repository itself", git)
	}
	dir, err := scratch.MkdirTemp("agent-git-")
	if err != nil {
		return nil, err
	}
	s := &Session{repo: r, git: git, dir: dir}
	if err := s.prepare(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// within reports whether a file is below dir, also after its links are resolved.
func within(dir, file string) bool {
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return true
	}
	top, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return true
	}
	return realpath.Inside(file, dir) || realpath.Inside(file, top) || realpath.Inside(real, top)
}

// Close removes the temporary git directory.
func (s *Session) Close() { _ = os.RemoveAll(s.dir) }

// prepare writes the temporary git directory.
func (s *Session) prepare(ctx context.Context) error {
	for _, dir := range []string{"refs", "objects", "info"} {
		if err := os.Mkdir(filepath.Join(s.dir, dir), 0o700); err != nil {
			return err
		}
	}
	head := s.repo.commit()
	if head == "" {
		head = "ref: refs/heads/none" // a repository without commits
	}
	if err := s.write("HEAD", head+"\n"); err != nil {
		return err
	}
	if err := s.write("config", ""); err != nil {
		return err
	}
	for _, name := range []string{"info/exclude", "info/attributes", "shallow"} {
		if text, err := readFile(filepath.Join(s.repo.common, filepath.FromSlash(name)), maxConfig); err == nil {
			if err := s.write(name, string(text)); err != nil {
				return err
			}
		}
	}
	s.env = s.environment()
	return s.configure(ctx)
}

func (s *Session) write(name, text string) error {
	return os.WriteFile(filepath.Join(s.dir, filepath.FromSlash(name)), []byte(text), 0o600)
}

// environment returns the whole environment of git, without the user's variables.
func (s *Session) environment() []string {
	env := append(isolated(),
		"GIT_DIR="+s.dir, "GIT_WORK_TREE="+s.repo.Root,
		"GIT_INDEX_FILE="+filepath.Join(s.repo.dir, "index"), "GIT_OBJECT_DIRECTORY="+filepath.Join(s.repo.common, "objects"),
		"HOME="+s.dir, "XDG_CONFIG_HOME="+s.dir, "PATH="+os.Getenv("PATH"), "LC_ALL=C",
	)
	for _, name := range []string{"SystemRoot", "TMPDIR", "TEMP"} {
		if value := os.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// isolated returns the variables that keep git from the configuration of the system and
// the user, and from the network.
func isolated() []string {
	return []string{
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM=" + os.DevNull, "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1",
		"GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat",
	}
}

// maxOutput limits the output of a command, in bytes.
const maxOutput = 1 << 20

// run runs git in dir and returns its output, truncated to maxOutput.
func (s *Session) run(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
	out, _, err := s.command(ctx, command{dir: dir, env: env, limit: maxOutput, args: args})
	return out, err
}

// command is a run of git.
type command struct {
	dir   string
	env   []string // the whole environment
	input io.Reader
	limit int // of the output, in bytes
	args  []string
}

// command runs git and returns its output, truncated to the limit. It reports whether
// the output is complete.
func (s *Session) command(ctx context.Context, c command) (out []byte, complete bool, err error) {
	cmd := exec.CommandContext(ctx, s.git, slices.Concat([]string{"--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull}, c.args)...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.WaitDelay = c.dir, c.env, c.input, time.Second
	text, failure := limited{max: c.limit}, limited{max: maxOutput}
	cmd.Stdout, cmd.Stderr = &text, &failure
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
		first, _, _ := strings.Cut(strings.TrimSpace(failure.text.String()), "\n")
		return nil, false, fmt.Errorf("git %s: %w: %s", c.args[0], err, first)
	}
	return text.text.Bytes(), !text.truncated, nil
}

// limited keeps the first max bytes that are written to it.
type limited struct {
	text      bytes.Buffer
	max       int
	truncated bool
}

func (l *limited) Write(p []byte) (int, error) {
	n := min(len(p), l.max-l.text.Len())
	l.truncated = l.truncated || n < len(p)
	l.text.Write(p[:n])
	return len(p), nil
}

// Status returns the lines of git status --short, with paths relative to dir.
// Submodules are left out.
func (s *Session) Status(ctx context.Context, dir string) ([]string, error) {
	out, err := s.run(ctx, dir, s.env, "status", "--short", "--ignore-submodules=all", "--no-renames")
	return lines(out), err
}

// Commits returns the last n commits, newest first: abbreviated ID and subject.
func (s *Session) Commits(ctx context.Context, n int) ([]string, error) {
	if s.repo.commit() == "" {
		return nil, nil
	}
	out, err := s.run(ctx, s.repo.Root, s.env, "log", fmt.Sprintf("--max-count=%d", n), "--format=%h %s", "--no-show-signature", "--no-color")
	return lines(out), err
}

func lines(out []byte) []string {
	text := strings.TrimRight(string(out), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
