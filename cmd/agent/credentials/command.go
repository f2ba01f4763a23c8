package credentials

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"agent/cmd/agent/settings"
	"agent/internal/llm/catalog"
)

// commandLimit is the time limit of a command that prints an API key.
const commandLimit = 10 * time.Second

// runCommand runs a command, until ctx or limit ends, and returns the API key that it
// prints. cleanup may be nil.
func runCommand(ctx context.Context, c settings.Command, limit time.Duration, cleanup func(func()) (forget func())) (catalog.Key, error) {
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	words := c.Words
	if c.Line != "" {
		words = []string{"sh", "-c", c.Line}
		if runtime.GOOS == "windows" {
			words = []string{"cmd", "/c", c.Line}
		}
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Env = Strip(os.Environ())
	cmd.Dir, _ = os.UserHomeDir() // relative names must not depend on a repository
	cmd.WaitDelay = time.Second   // child processes can keep the pipes open
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	ended := make(chan struct{})
	if cleanup != nil {
		defer cleanup(func() { stop(); <-ended })()
	}
	err := cmd.Run()
	close(ended)
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("the command %s did not finish within %s%s", words[0], limit, outputSuffix(stderr))
	case err != nil:
		return "", fmt.Errorf("the command %s failed: %w%s", words[0], err, outputSuffix(stderr))
	}
	key, _, _ := strings.Cut(strings.TrimSpace(stdout.String()), "\n") // some programs print more lines
	if key = strings.TrimSpace(key); key == "" {
		return "", fmt.Errorf("the command %s printed nothing%s", words[0], outputSuffix(stderr))
	}
	return catalog.Key(key), nil
}

// outputSuffix returns the error output of a command on one line, to append to an
// error.
func outputSuffix(b bytes.Buffer) string {
	s := strings.Join(strings.Fields(b.String()), " ")
	if s == "" {
		return ""
	}
	return ": " + s[:min(len(s), 300)]
}
