package desktop

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"agent/cmd/agent/credentials"
	"agent/internal/realpath"
)

// find returns the path of a program. Directories of PATH in the working directory do not count,
// because the model could put a program there.
func find(name string) (string, error) {
	work, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		path, err := exec.LookPath(filepath.Join(dir, name))
		if err == nil && !realpath.Reaches(path, work) {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is not installed", name)
}

// command returns a command with a program that find finds, without credentials in its environment.
func command(ctx context.Context, args []string) (*exec.Cmd, error) {
	path, err := find(args[0])
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path, args[1:]...)
	cmd.Env = credentials.Strip(os.Environ())
	return cmd, nil
}
