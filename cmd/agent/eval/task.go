// Package eval measures how well a model solves tasks: it runs each task in a
// temporary directory and checks the result with a command. It knows nothing of
// models and sessions: its Turn runs the prompt. Start reading at Run.
package eval

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/tools/txtar"

	"agent/cmd/agent/command"
)

// The files of a task.
const (
	promptFile     = "prompt.md"
	repositoryFile = "repository.txtar"
	checkFile      = "check.sh"
)

// task is one task of a directory.
type task struct {
	name   string
	prompt string
	files  []txtar.File // of the repository
	check  string       // script of the shell; exit code 0 means solved
}

// readTasks returns the tasks in dir, by name: dir itself if it is a task, else its
// directories.
func readTasks(dir string) ([]task, error) {
	if _, err := os.Lstat(filepath.Join(dir, promptFile)); err == nil {
		t, err := readTask(dir)
		return []task{t}, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read the tasks: %w", err)
	}
	var tasks []task
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		t, err := readTask(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, t)
	}
	if len(tasks) == 0 {
		return nil, command.Usage("%s has no tasks. A task is a directory with %s, %s and %s", dir, promptFile, repositoryFile, checkFile)
	}
	return tasks, nil
}

// readTask reads the task in dir.
func readTask(dir string) (task, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return task{}, fmt.Errorf("read the task %s: %w", dir, err)
	}
	t := task{name: filepath.Base(abs)}
	var texts [3]string
	for i, name := range []string{promptFile, repositoryFile, checkFile} {
		b, err := readFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			return t, command.Usage("the task %s has no %s. A task is a directory with %s, %s and %s", dir, name, promptFile, repositoryFile, checkFile)
		}
		if err != nil {
			return t, fmt.Errorf("read the task %s: %w", dir, err)
		}
		texts[i] = string(b)
	}
	t.prompt, t.check = strings.TrimSpace(texts[0]), texts[2]
	t.files = txtar.Parse([]byte(texts[1])).Files
	switch {
	case t.prompt == "":
		return t, command.Usage("the task %s has an empty %s", dir, promptFile)
	case strings.TrimSpace(t.check) == "":
		return t, command.Usage("the task %s has an empty %s", dir, checkFile)
	}
	for _, f := range t.files {
		if !filepath.IsLocal(f.Name) {
			return t, command.Usage("%s in %s: %q is not a path inside the repository", repositoryFile, dir, f.Name)
		}
	}
	return t, nil
}

// maxFile limits the size of each file of a task, in bytes.
const maxFile = 16 << 20

// readFile reads a file of a task. The task can come from somebody else: a link could
// send any file of the user to the model, and a pipe blocks.
func readFile(name string) ([]byte, error) {
	info, err := os.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", name)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s is larger than %d MiB", name, maxFile>>20)
	}
	return os.ReadFile(name)
}

// unpack writes the repository of t to dir, which it creates.
func (t task) unpack(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range t.files {
		if err := root.MkdirAll(path.Dir(f.Name), 0o755); err != nil {
			return err
		}
		if err := root.WriteFile(f.Name, f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
